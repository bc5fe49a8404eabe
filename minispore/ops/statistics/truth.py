"""Whether all or any elements are true."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core.tensor import Tensor, method
from minispore.ops.elementwise.bases import BOOL
from minispore.ops.statistics.reduce import Axes, _Reduce
from minispore.ops.support.arguments import to_static
from minispore.ops.support.spelling import also_spelled


class ReduceAll(_Reduce):
    """Whether all elements along ``axis`` are not 0, as a bool tensor.

    >>> print(ReduceAll()(Tensor([[True, False], [True, True]]), 1))
    [False  True]
    """

    ufunc: ClassVar[np.ufunc] = np.logical_and

    def __call__(self, input: Any, axis: Any = None) -> Tensor:
        return super().__call__(input, axis)

    def choose_output_dtype(self, dtype: np.dtype) -> np.dtype:
        """Return bool."""
        return BOOL

    def kernel(self, x: np.ndarray, axis: Axes = (), *, out: np.ndarray) -> None:
        self.reduce_with(self.ufunc, x, axis, None, out)


class ReduceAny(ReduceAll):
    """Whether any element along ``axis`` is not 0, as a bool; for uint8, as a uint8 0 or 1.

    >>> print(ReduceAny()(Tensor([[False, False], [True, False]]), 1))
    [False  True]
    """

    ufunc = np.logical_or

    def __call__(self, x: Any, axis: Any = None) -> Tensor:
        return super().__call__(x, axis)

    def choose_output_dtype(self, dtype: np.dtype) -> np.dtype:
        """Return uint8 for uint8, else bool."""
        return dtype if dtype == np.uint8 else BOOL


@method("all")
@also_spelled(dim="axis", keepdim="keep_dims", keepdims="keep_dims")
def all(input: Tensor, axis: Any = None, keep_dims: bool = False) -> Tensor:
    """Whether all elements along ``axis`` (by default all axes) are not 0, as a bool tensor."""
    return ReduceAll(keep_dims)(input, axis)


@method("any")
@also_spelled(dim="axis", keepdim="keep_dims", keepdims="keep_dims")
def any(input: Tensor, axis: Any = None, keep_dims: bool = False) -> Tensor:
    """Whether any element along ``axis`` (by default all axes) is not 0, as a bool tensor; for
    uint8, as a uint8 0 or 1.
    """
    return ReduceAny(keep_dims)(input, axis)


def reduce_all(x: Tensor, axis: Any = ()) -> Tensor:
    """Return whether all elements of ``x`` along ``axis`` (by default all axes) are not 0."""
    return ReduceAll()(x, to_static(axis))


def reduce_any(x: Tensor, axis: Any = ()) -> Tensor:
    """Return whether any element of ``x`` along ``axis`` (by default all axes) is not 0; uint8 for
    uint8.
    """
    return ReduceAny()(x, to_static(axis))


__all__ = [
    "ReduceAll",
    "ReduceAny",
    "all",
    "any",
    "reduce_all",
    "reduce_any",
]
