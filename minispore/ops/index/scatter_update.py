"""Scatter ops that update a Parameter in place."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Cotangents
from minispore.core.tensor import Tensor
from minispore.ir.value import Spec
from minispore.ops.index.gather import Gather, check_index_range
from minispore.ops.index.scatter import (
    TensorScatterAdd,
    TensorScatterDiv,
    TensorScatterMax,
    TensorScatterMin,
    TensorScatterMul,
    TensorScatterSub,
    TensorScatterUpdate,
    _Scatter,
    _ScatterNd,
)
from minispore.ops.shape.views import ExpandDims
from minispore.ops.support.arguments import cast_to_fit, check_axis, check_dtype
from minispore.ops.support.spelling import also_spelled


class _ParameterScatter(_Scatter):
    """Base of scatter ops that write their result into a Parameter."""

    use_locking: bool = False
    mutates = (0,)
    reuse = ()
    functional_op: ClassVar[type[_Scatter]]
    # Combinations with the gradient of an addition, as in MindSpore.
    passes_gradient: ClassVar[tuple[str, ...]] = ("update",)

    def __call__(self, input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        return super().__call__(
            input_x, indices, cast_to_fit(self.name, input_x, updates, "updates")
        )

    def kernel(
        self, x: np.ndarray, indices: np.ndarray, updates: np.ndarray, *, out: np.ndarray
    ) -> None:
        """Scatter the updates; raise for an index out of range before changing any element."""
        self.find_rows(x, indices)  # checks all indices before it changes anything
        super().kernel(x, indices, updates, out=out)

    def vjp(
        self, x: Tensor, indices: Tensor, updates: Tensor, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        """Return the gradient functions, which are those of an addition for the combinations in
        ``passes_gradient``.
        """
        if self.how in self.passes_gradient:
            return dout, None, lambda: self.gather_targets(dout, indices)
        return super().vjp(x, indices, updates, out=out, dout=dout)

    def _scatter_copy(self, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        """Apply the functional op of the same rule to a copy of x, so that the Parameter stays
        unchanged.
        """
        return self.functional_op()(x, indices, updates)


class _ParameterScatterNd(_ParameterScatter, _ScatterNd):
    """A scatter at coordinates of a Parameter."""


class ScatterNdUpdate(_ParameterScatterNd):
    """The Parameter ``input_x`` with ``updates`` written at coordinates."""

    use_locking: bool = True
    functional_op = TensorScatterUpdate


class ScatterNdAdd(_ParameterScatterNd):
    """The Parameter ``input_x`` with ``updates`` added at coordinates."""

    how = "add"
    functional_op = TensorScatterAdd


class ScatterNdSub(_ParameterScatterNd):
    """The Parameter ``input_x`` with ``updates`` subtracted at coordinates."""

    how = "sub"
    functional_op = TensorScatterSub


class ScatterNdMul(_ParameterScatterNd):
    """The Parameter ``input_x`` multiplied by ``updates`` at coordinates."""

    how = "mul"
    functional_op = TensorScatterMul


class ScatterNdDiv(_ParameterScatterNd):
    """The Parameter ``input_x`` divided by ``updates`` at coordinates."""

    how = "div"
    functional_op = TensorScatterDiv


class ScatterNdMax(_ParameterScatterNd):
    """The greater of the Parameter ``input_x`` and ``updates`` at coordinates."""

    how = "max"
    functional_op = TensorScatterMax


class ScatterNdMin(_ParameterScatterNd):
    """The lesser of the Parameter ``input_x`` and ``updates`` at coordinates."""

    how = "min"
    functional_op = TensorScatterMin


class _ScatterRows(_Scatter):
    """A scatter of rows: ``indices`` (any shape) index the first axis of x, or x itself if it is
    0-d.
    """

    def compute_updates_shape(self, x: Spec, indices: Spec) -> tuple[int, ...]:
        return indices.shape + x.shape[1:]

    def find_rows(self, x: np.ndarray, indices: np.ndarray) -> tuple[Any, int]:
        """Check ``indices``, and return them as the rows, with the number of elements of a row."""
        return check_index_range(self.name, indices, 0, x.shape[0] if x.ndim else 1), prod(
            x.shape[1:]
        )

    def gather_targets(self, x: Tensor, indices: Tensor) -> Tensor:
        """Return the rows ``indices`` of ``x``; a 0-d x has a single row."""
        return Gather()(x if x.ndim else x.reshape(1), indices, 0)


class _ParameterScatterRows(_ParameterScatter, _ScatterRows):
    """A scatter of rows into a Parameter."""

    passes_gradient = ("update", "max", "min")

    def _scatter_copy(self, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        """Apply the functional op to a copy of x, with each row index as a coordinate."""
        return self.functional_op()(x, ExpandDims()(indices, -1), updates)

    def _scatter_add(self, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        """Return a copy of ``x`` with ``updates`` added to its rows ``indices``."""
        return TensorScatterAdd()(x, ExpandDims()(indices, -1), updates)


class ScatterUpdate(_ParameterScatterRows):
    """The Parameter ``input_x`` with ``updates`` as its rows ``indices``."""

    use_locking: bool = True
    functional_op = TensorScatterUpdate


class ScatterAdd(_ParameterScatterRows):
    """The Parameter ``input_x`` with ``updates`` added to its rows ``indices``."""

    how = "add"
    functional_op = TensorScatterAdd


class ScatterSub(_ParameterScatterRows):
    """The Parameter ``input_x`` with ``updates`` subtracted from its rows ``indices``."""

    how = "sub"
    functional_op = TensorScatterSub


class ScatterMul(_ParameterScatterRows):
    """The Parameter ``input_x`` with its rows ``indices`` multiplied by ``updates``."""

    how = "mul"
    functional_op = TensorScatterMul


class ScatterDiv(_ParameterScatterRows):
    """The Parameter ``input_x`` with its rows ``indices`` divided by ``updates``."""

    how = "div"
    functional_op = TensorScatterDiv

    def kernel(
        self, x: np.ndarray, indices: np.ndarray, updates: np.ndarray, *, out: np.ndarray
    ) -> None:
        """Divide the rows; raise ValueError if an update is 0."""
        if not updates.all():
            raise ValueError(
                f"{self.name}: updates must not contain 0, got {np.count_nonzero(updates == 0)} of "
                f"{updates.size}. Use ScatterNdDiv, which gives infinities."
            )
        super().kernel(x, indices, updates, out=out)


class ScatterMax(_ParameterScatterRows):
    """The greater of the rows ``indices`` of the Parameter ``input_x`` and ``updates``."""

    how = "max"
    functional_op = TensorScatterMax


class ScatterMin(_ParameterScatterRows):
    """The lesser of the rows ``indices`` of the Parameter ``input_x`` and ``updates``."""

    how = "min"
    functional_op = TensorScatterMin


class IndexAdd(_Scatter):
    """The Parameter ``x`` with slices of ``y`` added to its slices ``indices`` along ``axis``."""

    axis: int
    use_lock: bool = True
    check_index_bound: bool = True
    how = "add"
    mutates = (0,)
    reuse = ()

    def __call__(self, x: Tensor, indices: Tensor, y: Tensor) -> Tensor:
        return super().__call__(x, indices, cast_to_fit(self.name, x, y, "y", "x"))

    def compute_updates_shape(self, x: Spec, indices: Spec) -> tuple[int, ...]:
        """Return the shape of x with the number of indices as the length of the axis; raise unless
        they are an int32 vector.
        """
        axis = check_axis(self.name, self.axis, x.ndim)
        if check_dtype(self.name, indices, "indices", "int32").ndim != 1:
            raise ValueError(f"{self.name}: indices must be a vector, got {indices}.")
        return (*x.shape[:axis], indices.shape[0], *x.shape[axis + 1 :])

    def find_rows(self, x: np.ndarray, indices: np.ndarray) -> tuple[Any, int]:
        """Return the rows of the slices for each position of the leading axes, and the length of a
        row.
        """
        axis = self.axis % x.ndim
        check_index_range(self.name, indices, 0, x.shape[axis])
        leading_rows = np.arange(prod(x.shape[:axis]))[:, None]
        return leading_rows * x.shape[axis] + indices, prod(x.shape[axis + 1 :])

    def gather_targets(self, x: Tensor, indices: Tensor) -> Tensor:
        """Return the slices ``indices`` of ``x`` along the axis."""
        return Gather()(x, indices, self.axis)


# -- functions ------------------------------------------------------------------------------------


def scatter_update(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Replace the rows ``indices`` of the Parameter ``input_x`` by ``updates``, and return its new
    content.
    """
    return ScatterUpdate()(input_x, indices, updates)


def scatter_nd_update(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Write ``updates`` into the Parameter ``input_x`` at the coordinates ``indices``, and return
    its new content.
    """
    return ScatterNdUpdate(use_locking)(input_x, indices, updates)


def scatter_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Add ``updates`` to the rows ``indices`` of the Parameter ``input_x``, and return its new
    content.
    """
    return ScatterAdd()(input_x, indices, updates)


def scatter_nd_add(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Add ``updates`` to the Parameter ``input_x`` at the coordinates ``indices``, and return its
    new content.
    """
    return ScatterNdAdd(use_locking)(input_x, indices, updates)


def scatter_nd_sub(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Subtract ``updates`` from the Parameter ``input_x`` at the coordinates ``indices``, and
    return its new content.
    """
    return ScatterNdSub(use_locking)(input_x, indices, updates)


def scatter_mul(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Multiply the rows ``indices`` of the Parameter ``input_x`` by ``updates``, and return its new
    content.
    """
    return ScatterMul()(input_x, indices, updates)


def scatter_nd_mul(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Multiply the Parameter ``input_x`` by ``updates`` at the coordinates ``indices``, and return
    its new content.
    """
    return ScatterNdMul(use_locking)(input_x, indices, updates)


def scatter_div(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Divide the rows ``indices`` of the Parameter ``input_x`` by ``updates``, and return its new
    content; raise ValueError if an update is 0.
    """
    return ScatterDiv()(input_x, indices, updates)


def scatter_nd_div(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Divide the Parameter ``input_x`` by ``updates`` at the coordinates ``indices``, and return
    its new content.
    """
    return ScatterNdDiv(use_locking)(input_x, indices, updates)


def scatter_max(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Set the rows ``indices`` of the Parameter ``input_x`` to their maximum with ``updates``, and
    return its new content.
    """
    return ScatterMax()(input_x, indices, updates)


def scatter_nd_max(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Set the Parameter ``input_x`` to its maximum with ``updates`` at the coordinates
    ``indices``, and return its new content.
    """
    return ScatterNdMax(use_locking)(input_x, indices, updates)


def scatter_min(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Set the rows ``indices`` of the Parameter ``input_x`` to their minimum with ``updates``, and
    return its new content.
    """
    return ScatterMin()(input_x, indices, updates)


def scatter_nd_min(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Set the Parameter ``input_x`` to its minimum with ``updates`` at the coordinates
    ``indices``, and return its new content.
    """
    return ScatterNdMin(use_locking)(input_x, indices, updates)


@also_spelled(var="x", updates="y")
def index_add(
    x: Tensor,
    indices: Tensor,
    y: Tensor,
    axis: int,
    use_lock: bool = True,
    check_index_bound: bool = True,
) -> Tensor:
    """Add the slices of ``y`` to the slices ``indices`` of the Parameter ``x`` along ``axis``, and
    return its new content.
    """
    return IndexAdd(axis, use_lock, check_index_bound)(x, indices, y)


__all__ = [
    "IndexAdd",
    "ScatterAdd",
    "ScatterDiv",
    "ScatterMax",
    "ScatterMin",
    "ScatterMul",
    "ScatterNdAdd",
    "ScatterNdDiv",
    "ScatterNdMax",
    "ScatterNdMin",
    "ScatterNdMul",
    "ScatterNdSub",
    "ScatterNdUpdate",
    "ScatterSub",
    "ScatterUpdate",
    "index_add",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd_add",
    "scatter_nd_div",
    "scatter_nd_max",
    "scatter_nd_min",
    "scatter_nd_mul",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_update",
]
