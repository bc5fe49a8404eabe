"""Rooms that open at the first look at them: importing the package passes them by."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

Look = Callable[[str], object]
Names = Callable[[], list[str]]


def later(front: str, rooms: Mapping[str, str], kept: bool = True) -> tuple[Look, Names]:
    """``__getattr__`` and ``__dir__`` of the module ``front``.

    ``rooms`` says of each name which module to import for it: one that has it, or one that is it::

        __getattr__, __dir__ = later(__name__, {"mint": "minispore.mint"})

    A name is ``kept`` in the module after the first look, where ``dir`` shows it from then on.
    """

    def look(name: str) -> object:
        module = sys.modules[front]
        if name not in rooms:
            said = f"module {front!r} has no attribute {name!r}"
            raise AttributeError(said, name=name, obj=module)
        room = import_module(rooms[name])
        found = room if rooms[name] == f"{front}.{name}" else getattr(room, name)
        if kept:
            setattr(module, name, found)  # the next look finds it there
        return found

    def names() -> list[str]:
        return sorted({*vars(sys.modules[front]), *rooms})

    return look, names


__all__ = ["later"]
