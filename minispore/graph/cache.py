"""The cache of compiled functions: what each depends on, and how much all of them may hold."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from minispore.core import interpreter
from minispore.core.parameter import Parameter
from minispore.core.value import Spec
from minispore.graph.keys import difference, hooks_of, state_change
from minispore.graph.program import Program
from minispore.graph.state.places import Place

CACHE_BYTES = 256 << 20  # of what all programs hold, beside the arenas that they share
ENTRY_BYTES = 4000  # of an entry without a program
VERSIONS = 8  # entries per kind of input, one per state of the Cells (train flags, attributes)


class Entry:
    """All programs of one function for one kind of input."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.used = 0  # when, counted in uses of the cache
        self.programs: dict[tuple[bool | int, ...], Program] = {}
        self.recent: Program | None = None
        self.eager: str | None = None  # why it runs op by op, if it does
        self.visited: list[tuple[weakref.ref[Any], Any]] = []
        self.watched: list[tuple[Place, Sequence[Any]]] = []  # Python state that the trace read
        self.params: list[tuple[Parameter, Spec, bool]] = []
        self.hooks: list[tuple[Parameter, tuple[int, ...]]] = []
        self._changes = -1

    @property
    def held_bytes(self) -> int:
        """Memory that goes when the entry goes."""
        return ENTRY_BYTES + sum(p.held_bytes for p in self.programs.values())

    def stale(self) -> str | None:
        """Why this entry can't serve any more, or None."""
        if self.eager is not None:
            return None
        for param, spec, grad in self.params:
            if param._value.spec is not spec and param._value.spec != spec:
                return f"parameter {param.name} became {param._value.spec}, was {spec}"
            if param.requires_grad is not grad:
                return f"requires_grad of parameter {param.name} became {param.requires_grad}"
        if self._changes != interpreter.changes():
            for param, hooks in self.hooks:
                if hooks_of(param) != hooks:
                    return f"the hooks of parameter {param.name} changed"
            for ref, key in self.visited:
                cell = ref()
                if cell is None:
                    return "a Cell is gone"
                now = cell._graph_key_()
                if now != key:
                    return state_change(cell, key, now)
            self._changes = interpreter.changes()
        for place, picture in self.watched:
            if not place.holds(picture):
                return f"{place.kind} {place.touched(picture)} changed"
        return None


class Cache:
    """The entries of all functions, by what each was called with."""

    def __init__(self) -> None:
        self.entries: weakref.WeakKeyDictionary[Any, dict[Any, list[Entry]]] = (
            weakref.WeakKeyDictionary()
        )
        self._uses = itertools.count()

    def find(self, owner: Any, key: Any) -> tuple[Entry | None, str | None]:
        """The entry that serves a call of ``owner``, or why none does any more."""
        known = self.entries.get(owner, {})
        versions, reason = known.get(key), None
        if versions is None:
            return None, difference(next(reversed(known)), key) if known else None
        for entry in versions:
            why = entry.stale()
            if why is None:
                entry.used = next(self._uses)
                return entry, None
            reason = reason or why
        return None, reason

    def latest(self, owner: Any) -> Entry | None:
        """The entry that served ``owner`` last."""
        versions = itertools.chain.from_iterable(self.entries.get(owner, {}).values())
        return max(versions, key=lambda entry: entry.used, default=None)

    def add(self, owner: Any, key: Any, name: str) -> Entry:
        """A new entry, before all others of its key."""
        entry = Entry(name)
        entry.used = next(self._uses)
        versions = self.entries.setdefault(owner, {}).setdefault(key, [])
        versions.insert(0, entry)
        del versions[VERSIONS:]
        self._shrink()
        return entry

    def _shrink(self) -> None:
        """Forget what was not used for the longest time, until the rest is within the bound."""
        found = [
            (entry.used, entry, versions, key, known)
            for known in self.entries.values()
            for key, versions in known.items()
            for entry in versions
        ]
        excess = sum(entry.held_bytes for _, entry, *_ in found) - CACHE_BYTES
        if excess <= 0:
            return
        *older, _ = sorted(found, key=itemgetter(0))  # the newest is about to be used
        for _, entry, versions, key, known in older:
            if excess <= 0:
                break
            excess -= entry.held_bytes
            versions.remove(entry)
            if not versions:
                del known[key]
