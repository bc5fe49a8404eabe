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
        self.find_rows(x, indices)  # checks all indices before it changes anything
        super().kernel(x, indices, updates, out=out)

    def vjp(
        self, x: Tensor, indices: Tensor, updates: Tensor, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
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
        """Add ``updates`` to the rows ``indices`` of ``x``."""
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
    """Return the Parameter ``input_x`` with ``updates`` as its rows ``indices``."""
    return ScatterUpdate()(input_x, indices, updates)


def scatter_nd_update(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Return the Parameter ``input_x`` with ``updates`` written at coordinates."""
    return ScatterNdUpdate(use_locking)(input_x, indices, updates)


def scatter_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return the Parameter ``input_x`` with ``updates`` added to its rows ``indices``."""
    return ScatterAdd()(input_x, indices, updates)


def scatter_nd_add(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Return the Parameter ``input_x`` with ``updates`` added at coordinates."""
    return ScatterNdAdd(use_locking)(input_x, indices, updates)


def scatter_nd_sub(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Return the Parameter ``input_x`` with ``updates`` subtracted at coordinates."""
    return ScatterNdSub(use_locking)(input_x, indices, updates)


def scatter_mul(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return the Parameter ``input_x`` with its rows ``indices`` multiplied by ``updates``."""
    return ScatterMul()(input_x, indices, updates)


def scatter_nd_mul(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Return the Parameter ``input_x`` at coordinates multiplied by ``updates``."""
    return ScatterNdMul(use_locking)(input_x, indices, updates)


def scatter_div(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return the Parameter ``input_x`` with its rows ``indices`` divided by ``updates``."""
    return ScatterDiv()(input_x, indices, updates)


def scatter_nd_div(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Return the Parameter ``input_x`` at coordinates divided by ``updates``."""
    return ScatterNdDiv(use_locking)(input_x, indices, updates)


def scatter_max(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return the Parameter ``input_x`` with its rows ``indices`` set to the maximum with
    ``updates``.
    """
    return ScatterMax()(input_x, indices, updates)


def scatter_nd_max(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Return the Parameter ``input_x`` set to its maximum with ``updates`` at coordinates."""
    return ScatterNdMax(use_locking)(input_x, indices, updates)


def scatter_min(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return the Parameter ``input_x`` with its rows ``indices`` set to the minimum with
    ``updates``.
    """
    return ScatterMin()(input_x, indices, updates)


def scatter_nd_min(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """Return the Parameter ``input_x`` set to its minimum with ``updates`` at coordinates."""
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
    """Return the Parameter ``x`` with slices of ``y`` added to its slices ``indices`` along
    ``axis``.
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
