"""What has changed of the Cells of a graph since it was made, and whether anything reads it."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable
from typing import Any

from minispore.check.source import Source, called, content, held_by
from minispore.graph.cache import Entry


def picture(entry: Entry) -> dict[int, dict[str, Any]]:
    """The attributes of the Cells that a trace went through, and their training flags."""
    cells = {id(c): c for ref, _ in entry.visited if (c := ref()) is not None}
    return {
        at: {name: content(x) for name, x in held_by(c).items() if not name.startswith("_")}
        | {"training": c.training}
        for at, c in cells.items()
    }


def is_read(entry: Entry, before: dict[int, dict[str, Any]], sources: Iterable[Source]) -> bool:
    """Whether a function that ran reads what is another now; True where that can't be told."""
    now = picture(entry)
    names = {
        name
        for at, old in before.items()
        for name in old.keys() | now.get(at, {}).keys()
        if old.get(name) != now.get(at, {}).get(name)
    }
    if not names or before.keys() != now.keys():
        return True
    if any(names & _read_by(source) or _by_any_name(source) for source in sources):
        return True
    kinds = {type(c) for ref, _ in entry.visited if (c := ref()) is not None}
    return any(names & _read_by_class(kind) for kind in kinds)


def _read_by(source: Source) -> set[str]:
    texts = {n.value for n in source.walk(ast.Constant) if isinstance(n.value, str)}
    return {n.attr for n in source.walk(ast.Attribute)} | texts


def _by_any_name(source: Source) -> bool:
    """Whether it asks for attributes whose names are made as it runs."""
    return any(
        called(call) == "getattr" and not isinstance(call.args[1], ast.Constant)
        for call in source.calls("getattr")
        if len(call.args) > 1
    )


def _read_by_class(kind: type) -> set[str]:
    """The names in the code of a layer of the package."""
    return {
        name
        for base in kind.__mro__
        if base.__module__.startswith("minispore.nn.") and base.__name__ != "Cell"
        for x in vars(base).values()
        if isinstance(x, types.FunctionType) and x.__name__ != "__init__"
        for name in x.__code__.co_names
    }


__all__ = ["is_read", "picture"]
