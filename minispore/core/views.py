"""Views: tensors that show a part of another one. What is written into either is seen in both.

Values are written once, so no memory is shared: a write gives new Values to the tensor itself, to
those that it is a view of, and to the views of these. Both interpreters do so by binding the same
ops.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minispore.core import interpreter
from minispore.core.value import Value

if TYPE_CHECKING:
    from minispore.core.box import Box
    from minispore.core.primitive import Primitive

_ROOM = 8  # views of one tensor that are noted before the dead ones are dropped


class View(NamedTuple):
    """What a tensor shows: ``prim(base, *args)``."""

    base: Any
    prim: Primitive
    args: tuple[Any, ...]

    def of_nothing(self) -> View:
        """The step alone, to be gone from another base."""
        return View(None, self.prim, self.args)

    def seen(self) -> Value:
        """What it shows now."""
        made = interpreter.bind(self.prim, (self.base.value_, *self.args))
        assert isinstance(made, Value)
        return made


class Views:
    """The views of one tensor, held weakly."""

    __slots__ = ("_held", "_room")

    def __init__(self) -> None:
        self._held: list[weakref.ref[Any]] = []
        self._room = _ROOM

    def add(self, box: Box) -> None:
        if len(self._held) >= self._room:
            self._held = [r for r in self._held if r() is not None]
            self._room = 2 * len(self._held) + _ROOM
        self._held.append(weakref.ref(box))

    def alive(self) -> list[Any]:
        return [box for r in self._held if (box := r()) is not None]


def show(box: Box, view: View) -> None:
    """Note that ``box`` is a view. Copies, as a cast or an index tensor makes them, are none."""
    if box.dtype is not view.base.dtype or any(hasattr(a, "value_") for a in view.args):
        return
    box._view = view
    base = view.base
    views = getattr(base, "_views", None)
    if views is None:
        views = base._views = Views()
    views.add(box)


def view_of(box: Box) -> View | None:
    """What ``box`` shows of another tensor, if it is a view."""
    return getattr(box, "_view", None)


def traced_back(box: Any) -> tuple[Any, list[View]]:
    """The tensor of which ``box`` is a view in the end, and the views that lead to it."""
    found = []
    while (view := view_of(box)) is not None:
        found.append(view)
        box = view.base
    return box, found[::-1]


def again(box: Any, base: Any, way: Iterable[View]) -> Any:
    """``box``, now a view of ``base`` by the steps that led elsewhere before."""
    *first, last = way
    for step in first:
        made = View(base, step.prim, step.args)
        base = box.__class__.__new__(box.__class__)
        base.set_value_(made.seen())
        show(base, made)
    show(box, View(base, last.prim, last.args))
    return box


def write(box: Any, value: Value) -> None:
    """Give ``box`` another content, and let all see it that share it."""
    assign = interpreter.interpreter().assign
    assign(box, value)
    path = [box]
    while (view := view_of(box)) is not None and _shared(view):
        base = view.base
        put = view.prim.put(base, *view.args, seen=box)
        assign(base, put.value_)
        path.append(base)
        box = base
    for base in reversed(path):
        _refresh(base, path)


def _refresh(base: Any, path: list[Any]) -> None:
    views = getattr(base, "_views", None)
    for box in () if views is None else views.alive():
        view = view_of(box)
        if view is None or view.base is not base or any(box is p for p in path):
            continue
        if _shared(view):
            interpreter.interpreter().assign(box, view.seen())
            _refresh(box, path)


def _shared(view: View) -> bool:
    """Whether a view lies in the memory of the tensor that it was made of, as MindSpore lays both
    out: a reshaped transposition is a copy.
    """
    return _seen(_memory(view.base), view) is not None


def _memory(box: Box) -> np.ndarray:
    """An array that lies as ``box`` does, and is never read."""
    view = view_of(box)
    seen = None if view is None else _seen(_memory(view.base), view)
    spec = box.value_.spec
    return np.empty(spec.shape, spec.dtype) if seen is None else seen


def _seen(memory: np.ndarray, view: View) -> np.ndarray | None:
    return view.prim.view(memory, *view.args) if view.prim.has_view else None


class Layout(NamedTuple):
    """Where the elements of a tensor lie, counted in elements of the memory that they are in."""

    stride: list[int]
    offset: int
    contiguous: bool  # one after the other in row-major order

    @property
    def plain(self) -> bool:
        """Whether they begin where the memory does, too."""
        return self.contiguous and not self.offset


def layout(box: Any) -> Layout:
    """How ``box`` lies in memory."""
    size = box.itemsize
    memory = None if view_of(box) is None else _memory(box)
    whole = None if memory is None else memory if memory.base is None else memory.base
    if memory is None or whole is None or not whole.size:
        return Layout([s // size for s in box.strides], 0, True)
    steps = [s // size for s in memory.strides]
    for i in reversed(range(memory.ndim)):  # a new axis steps over all that is behind it
        if steps[i] == 0:
            steps[i] = memory.shape[i + 1] * steps[i + 1] if i + 1 < memory.ndim else 1
    offset = (memory.ctypes.data - whole.ctypes.data) // size
    return Layout(steps, offset, memory.flags.c_contiguous)


def told(box: Any) -> Layout:
    """What ``box`` says of its layout: in a graph, which lays out its memory later, row-major."""
    plain = Layout([s // box.itemsize for s in box.strides], 0, True)
    return plain if interpreter.tracing() else layout(box)


__all__ = ["Layout", "View", "again", "layout", "show", "told", "traced_back", "view_of", "write"]
