"""The cache of compiled functions: their programs, the state that each depends on, and a limit on
their total memory.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from minispore.core import interpreter
from minispore.core.parameter import Parameter
from minispore.graph.keys import format_key_difference, format_state_change, get_hook_key
from minispore.graph.program import Program
from minispore.graph.state.tracked import TrackedState
from minispore.ir.value import Spec

# Limit on the memory of all programs together, without the arenas that they share.
CACHE_BYTES = 256 << 20
ENTRY_BYTES = 4000  # estimate for an entry without a program
# Entries per cache key, one for each state of the Cells (train flags, attributes).
VERSIONS = 8


class Entry:
    """All programs of one function for one kind of input and one state of its Cells.

    Attributes:
        programs: the programs, keyed by the answers to their guards.
        eager_reason: the reason why the function runs op by op; None if it does not.
        cell_keys: the key of each Cell's state when it was compiled.
        state_snapshots: the Python state that the function reads.
        params: each Parameter with its required spec and ``requires_grad``.
        hooks: each Parameter with the key of its hooks.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.last_use = 0  # a counter over all uses of the cache
        self.programs: dict[tuple[bool | int, ...], Program] = {}
        self.last_program: Program | None = None
        self.eager_reason: str | None = None
        self.cell_keys: list[tuple[weakref.ref[Any], Any]] = []
        self.state_snapshots: list[tuple[TrackedState, Sequence[Any]]] = []
        self.params: list[tuple[Parameter, Spec, bool]] = []
        self.hooks: list[tuple[Parameter, tuple[int, ...]]] = []
        self._last_change_count = -1

    @property
    def retained_bytes(self) -> int:
        """The estimated memory in bytes that is freed when the entry is dropped."""
        return ENTRY_BYTES + sum(p.retained_bytes for p in self.programs.values())

    def find_stale_reason(self) -> str | None:
        """Return the reason why this entry is no longer valid; None if it is valid or runs op by
        op.

        Hooks and Cells are compared only if the interpreter has noted a change since the last
        comparison.
        """
        if self.eager_reason is not None:
            return None
        for param, spec, grad in self.params:
            if param._value.spec is not spec and param._value.spec != spec:
                return f"parameter {param.name} became {param._value.spec}, was {spec}"
            if param.requires_grad is not grad:
                return f"requires_grad of parameter {param.name} became {param.requires_grad}"
        if self._last_change_count != interpreter.get_change_count():
            for param, hooks in self.hooks:
                if get_hook_key(param) != hooks:
                    return f"the hooks of parameter {param.name} changed"
            for get_cell, key in self.cell_keys:
                cell = get_cell()
                if cell is None:
                    return "a Cell is gone"
                current_key = cell._graph_key_()
                if current_key != key:
                    return format_state_change(cell, key, current_key)
            self._last_change_count = interpreter.get_change_count()
        for state, snapshot in self.state_snapshots:
            if not state.matches(snapshot):
                return f"{state.label} {state.find_changed_name(snapshot)} changed"
        return None


class Cache:
    """The entries of all functions, keyed by a weak reference to the function and by the key of a
    call.
    """

    def __init__(self) -> None:
        self.entries: weakref.WeakKeyDictionary[Any, dict[Any, list[Entry]]] = (
            weakref.WeakKeyDictionary()
        )
        self._uses = itertools.count()

    def find(self, owner: Any, key: Any) -> tuple[Entry | None, str | None]:
        """Find the valid entry for a call of ``owner`` with ``key``, and mark it as used.

        Returns:
            The entry and None; or None and the reason why no entry is valid (None at the first
            call).
        """
        versions_by_key = self.entries.get(owner, {})
        versions = versions_by_key.get(key)
        reason: str | None = None
        if versions is None:
            if versions_by_key:
                reason = format_key_difference(next(reversed(versions_by_key)), key)
            return None, reason
        for entry in versions:
            stale_reason = entry.find_stale_reason()
            if stale_reason is None:
                entry.last_use = next(self._uses)
                return entry, None
            reason = reason or stale_reason
        return None, reason

    def find_latest(self, owner: Any) -> Entry | None:
        """Return the entry that ``owner`` used last; None if there is none."""
        versions = itertools.chain.from_iterable(self.entries.get(owner, {}).values())
        return max(versions, key=lambda entry: entry.last_use, default=None)

    def add_entry(self, owner: Any, key: Any, name: str) -> Entry:
        """Add a new entry in front of the other versions for its key, and return it.

        Drops the oldest version beyond ``VERSIONS``, and the least recently used entries of all
        functions beyond ``CACHE_BYTES``.
        """
        entry = Entry(name)
        entry.last_use = next(self._uses)
        versions = self.entries.setdefault(owner, {}).setdefault(key, [])
        versions.insert(0, entry)
        del versions[VERSIONS:]
        self._evict_oldest()
        return entry

    def _evict_oldest(self) -> None:
        """Drop the least recently used entries until the rest is within ``CACHE_BYTES``.

        The newest entry stays even if it alone is larger.
        """
        candidates = [
            (entry.last_use, entry, versions, key, versions_by_key)
            for versions_by_key in self.entries.values()
            for key, versions in versions_by_key.items()
            for entry in versions
        ]
        excess = sum(entry.retained_bytes for _, entry, *_ in candidates) - CACHE_BYTES
        if excess <= 0:
            return
        *older, _ = sorted(candidates, key=itemgetter(0))  # the newest is about to be used
        for _, entry, versions, key, versions_by_key in older:
            if excess <= 0:
                break
            excess -= entry.retained_bytes
            versions.remove(entry)
            if not versions:
                del versions_by_key[key]
