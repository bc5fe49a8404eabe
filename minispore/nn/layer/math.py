"""Arithmetic as Cells: products, moments, ranges."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell


class MatMul(Cell):
    """x1 @ x2, each optionally transposed in its last two axes; the leading axes are broadcast."""

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False) -> None:
        super().__init__()
        self.transpose_x1 = checks.boolean("MatMul", "transpose_x1", transpose_x1)
        self.transpose_x2 = checks.boolean("MatMul", "transpose_x2", transpose_x2)

    def construct(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Return the product; vectors are not transposed."""
        if self.transpose_x1 and x1.ndim > 1:
            x1 = ops.swapaxes(x1, -1, -2)
        if self.transpose_x2 and x2.ndim > 1:
            x2 = ops.swapaxes(x2, -1, -2)
        return ops.matmul(x1, x2)


class Moments(Cell):
    """(mean, variance) of x over ``axis``, computed in float32.

    >>> mean, variance = Moments(axis=0)(Tensor([1.0, 3.0]))
    >>> print(mean, variance)
    2.0 1.0
    """

    def __init__(self, axis: Any = None, keep_dims: bool | None = None) -> None:
        super().__init__()
        axis = () if axis is None else axis
        for number in axis if isinstance(axis, tuple) else (axis,):
            checks.integer("Moments", "axis", number)
        self.axis = axis
        self.keep_dims = checks.boolean(
            "Moments", "keep_dims", bool(keep_dims) if keep_dims is None else keep_dims
        )

    def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance over ``axis``, computed in float32, in the dtype of x."""
        x32 = ops.cast(x, mstype.float32)
        mean = ops.ReduceMean(keep_dims=True)(x32, self.axis)
        squares = ops.square(x32 - ops.stop_gradient(mean))
        variance = ops.ReduceMean(keep_dims=self.keep_dims)(squares, self.axis)
        if not self.keep_dims:
            mean = ops.reshape(mean, variance.shape)
        return ops.cast(mean, x.dtype), ops.cast(variance, x.dtype)


class ReduceLogSumExp(Cell):
    """log(sum(exp(x))) over ``axis``."""

    def __init__(self, axis: Any, keep_dims: bool = False) -> None:
        super().__init__()
        if not isinstance(axis, int | list | tuple) or isinstance(axis, bool):
            raise TypeError(
                "ReduceLogSumExp: axis must be an int or a tuple of ints, got "
                f"{checks.format_value(axis)}."
            )
        self.axis = axis
        self.keep_dims = checks.boolean("ReduceLogSumExp", "keep_dims", keep_dims)

    def construct(self, x: Tensor) -> Tensor:
        """Reduce relative to the maximum, so that exp does not overflow."""
        maximum = ops.stop_gradient(ops.ReduceMax(keep_dims=True)(x, self.axis))
        total = ops.log(ops.ReduceSum(keep_dims=True)(ops.exp(x - maximum), self.axis)) + maximum
        if self.keep_dims:
            return total
        return ops.ReduceSum()(total, self.axis)  # drop the reduced axes, which have length 1


class Range(Cell):
    """The numbers from ``start`` to ``limit`` in steps of ``delta``, as int32 or float32.

    The result is float32 if one of the arguments is a float.

    >>> print(Range(1, 8, 2)())
    [1 3 5 7]
    """

    def __init__(self, start: float, limit: float | None = None, delta: float = 1) -> None:
        super().__init__()
        if delta == 0:
            raise ValueError(f"Range: delta must not be 0, got {delta}.")
        numbers = np.arange(0, start, delta) if limit is None else np.arange(start, limit, delta)
        self.result_tensor = Tensor(
            numbers, mstype.float32 if numbers.dtype.kind == "f" else mstype.int32
        )

    def construct(self) -> Tensor:
        return self.result_tensor


class CosineSimilarity(Cell):
    """sum(x1 * x2) / max(|x1| * |x2|, eps) along ``dim``."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def construct(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Divide by the root of the product of squared norms, at least ``eps``."""
        for name, x in (("x1", x1), ("x2", x2)):
            check.check_tensor("CosineSimilarity", name, x)
        total = ops.ReduceSum()
        squares = total(x1 * x1, self.dim) * total(x2 * x2, self.dim)
        return total(x1 * x2, self.dim) / ops.sqrt(ops.maximum(squares, self.eps**2))


class MatInverse(Cell):
    """The inverse of each matrix of x (..., N, N)."""

    def construct(self, a: Tensor) -> Tensor:
        return ops.inverse(a)


class MatDet(Cell):
    """The determinant of each matrix of x (..., N, N)."""

    def construct(self, a: Tensor) -> Tensor:
        return ops.det(a)


class LGamma(Cell):
    """log |gamma(x)|."""

    def construct(self, x: Tensor) -> Tensor:
        return ops.lgamma(x)


class DiGamma(Cell):
    """The derivative of log gamma(x)."""

    def construct(self, x: Tensor) -> Tensor:
        return ops.digamma(x)


class IGamma(Cell):
    """The integral of t**(a - 1) exp(-t) from 0 to x, divided by gamma(a)."""

    def construct(self, a: Tensor, x: Tensor) -> Tensor:
        return ops.igamma(a, x)


class LBeta(Cell):
    """log |gamma(x) gamma(y) / gamma(x + y)|."""

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        return ops.lgamma(x) + ops.lgamma(y) - ops.lgamma(x + y)


__all__ = [
    "CosineSimilarity",
    "DiGamma",
    "IGamma",
    "LBeta",
    "LGamma",
    "MatDet",
    "MatInverse",
    "MatMul",
    "Moments",
    "Range",
    "ReduceLogSumExp",
]
