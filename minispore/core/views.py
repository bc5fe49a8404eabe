"""Views: tensors that show a part of another tensor. A write to either is visible in both.

Values are written once, so no memory is shared: a write gives new Values to the tensor itself, to
the tensors that it is a view of, and to their views. Both interpreters do so by binding the same
ops.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from minispore.core import interpreter
from minispore.core.tensor_base import TensorBase
from minispore.ir.operator import Operator
from minispore.ir.value import Value

_PRUNE_MARGIN = 8  # new views of a tensor before the dead ones are dropped


class View(NamedTuple):
    """The relation of a view to its base: the view is ``prim(base, *args)``."""

    base: Any
    prim: Operator
    args: tuple[Any, ...]

    def without_base(self) -> View:
        """Return the relation without its base, to be applied to another base."""
        return View(None, self.prim, self.args)

    def compute(self) -> Value:
        """Return the current content of the view, computed from its base."""
        value = interpreter.bind(self.prim, (self.base.value_, *self.args))
        assert isinstance(value, Value)
        return value


class Views:
    """The views of one tensor, held weakly."""

    __slots__ = ("_prune_at", "_refs")

    def __init__(self) -> None:
        self._refs: list[weakref.ref[Any]] = []
        self._prune_at = _PRUNE_MARGIN

    def add(self, tensor: TensorBase) -> None:
        """Add a weak reference to a view; occasionally drop the dead ones."""
        if len(self._refs) >= self._prune_at:
            self._refs = [r for r in self._refs if r() is not None]
            self._prune_at = 2 * len(self._refs) + _PRUNE_MARGIN
        self._refs.append(weakref.ref(tensor))

    def list_alive(self) -> list[Any]:
        """Return the views that are still alive."""
        return [tensor for r in self._refs if (tensor := r()) is not None]


def register_view(tensor: TensorBase, view: View) -> None:
    """Register ``tensor`` as a view, on itself and on its base.

    Does nothing if the op made a copy, as a cast or an index by a tensor does.
    """
    if tensor.dtype is not view.base.dtype or any(hasattr(a, "value_") for a in view.args):
        return
    tensor._view = view
    base = view.base
    views = getattr(base, "_views", None)
    if views is None:
        views = base._views = Views()
    views.add(tensor)


def find_view(tensor: TensorBase) -> View | None:
    """Return the relation of ``tensor`` to its base, if it is a view; else None."""
    return getattr(tensor, "_view", None)


def trace_to_root(tensor: Any) -> tuple[Any, list[View]]:
    """Return the root of ``tensor``, which is not a view itself, and the views that lead from the
    root to ``tensor``.
    """
    path = []
    while (view := find_view(tensor)) is not None:
        path.append(view)
        tensor = view.base
    return tensor, path[::-1]


def rebase(tensor: Any, base: Any, view_ops: Iterable[View]) -> Any:
    """Make ``tensor`` a view of ``base`` by the ops of ``view_ops`` in turn; return ``tensor``.

    All ops but the last make new tensors in between.
    """
    *inner_views, last_view = view_ops
    for op in inner_views:
        view = View(base, op.prim, op.args)
        base = tensor.__class__.__new__(tensor.__class__)
        base.set_value_(view.compute())
        register_view(base, view)
    register_view(tensor, View(base, last_view.prim, last_view.args))
    return tensor


def scatter_by_vjp(prim: Operator, x: Any, *args: Any, content: Any) -> Any:
    """Return ``x`` with ``content`` written into the part of it that the output of ``prim`` views.

    It fits views of all elements, such as a reshape, whose vjp moves the elements back into the
    shape of the base. Ops whose outputs are registered as views use it as their ``scatter_view``.
    """
    gradient = prim.vjp(x, *args, out=content, dout=content)[0]
    return gradient() if callable(gradient) else gradient


def write_through(tensor: Any, value: Value) -> None:
    """Give ``tensor`` new content, and update all tensors that share it: its bases, and their
    views.
    """
    assign = interpreter.current().assign
    assign(tensor, value)
    path = [tensor]
    while (view := find_view(tensor)) is not None and _shares_memory(view):
        base = view.base
        scatter_view = view.prim.scatter_view or partial(scatter_by_vjp, view.prim)
        new_base = scatter_view(base, *view.args, content=tensor)
        assign(base, new_base.value_)
        path.append(base)
        tensor = base
    for base in reversed(path):
        _refresh_views(base, path)


def _refresh_views(base: Any, path: list[Any]) -> None:
    """Recompute the views of ``base`` that are not on ``path``, and the views of these."""
    views = getattr(base, "_views", None)
    for tensor in () if views is None else views.list_alive():
        view = find_view(tensor)
        if view is None or view.base is not base or any(tensor is p for p in path):
            continue
        if _shares_memory(view):
            interpreter.current().assign(tensor, view.compute())
            _refresh_views(tensor, path)


def _shares_memory(view: View) -> bool:
    """Whether a view shares memory with its base in MindSpore's layout of both.

    A reshaped transpose, for example, is a copy.
    """
    return _view_memory(_make_memory_model(view.base), view) is not None


def _make_memory_model(tensor: TensorBase) -> np.ndarray:
    """Return an array with MindSpore's strides for ``tensor``; its content is never read."""
    view = find_view(tensor)
    memory = None if view is None else _view_memory(_make_memory_model(view.base), view)
    spec = tensor.value_.spec
    return np.empty(spec.shape, spec.dtype) if memory is None else memory


def _view_memory(memory: np.ndarray, view: View) -> np.ndarray | None:
    """Return the view of the array ``memory`` by the op of ``view``; None if the op needs a
    copy.
    """
    return view.prim.view(memory, *view.args) if view.prim.traits.has_view else None


class Layout(NamedTuple):
    """Strides and offset of a tensor in its memory, counted in elements."""

    stride: list[int]
    offset: int
    contiguous: bool  # without gaps, in row-major order

    @property
    def is_plain(self) -> bool:
        """Whether the layout is contiguous and begins where the memory does."""
        return self.contiguous and not self.offset


def compute_layout(tensor: Any) -> Layout:
    """Return the strides and offset of a tensor in elements; for a view, within its root."""
    size = tensor.itemsize
    memory = None if find_view(tensor) is None else _make_memory_model(tensor)
    root: Any = memory
    if memory is not None and memory.base is not None:
        root = memory.base
    if memory is None or not root.size:
        return Layout([s // size for s in tensor.strides], 0, contiguous=True)
    strides = [s // size for s in memory.strides]
    for i in reversed(range(memory.ndim)):  # a new axis steps over all inner axes
        if strides[i] == 0:
            strides[i] = memory.shape[i + 1] * strides[i + 1] if i + 1 < memory.ndim else 1
    offset = (memory.ctypes.data - root.ctypes.data) // size
    return Layout(strides, offset, memory.flags.c_contiguous)


def get_reported_layout(tensor: Any) -> Layout:
    """Return the layout that ``tensor`` reports: always row-major while a graph is traced, since
    memory is planned later.
    """
    row_major = Layout([s // tensor.itemsize for s in tensor.strides], 0, contiguous=True)
    return row_major if interpreter.tracing() else compute_layout(tensor)


__all__ = [
    "Layout",
    "View",
    "compute_layout",
    "find_view",
    "get_reported_layout",
    "rebase",
    "register_view",
    "trace_to_root",
    "write_through",
]
