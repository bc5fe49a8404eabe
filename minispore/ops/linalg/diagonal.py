"""Diagonals and triangles of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents, Primitive
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast, Zeros, ZerosLike
from minispore.ops.shape.create import Eye
from minispore.ops.shape.views import Reshape
from minispore.ops.statistics.reduce import ReduceSum, widen_for_sum
from minispore.ops.statistics.truth import ReduceAny
from minispore.ops.support.arguments import (
    check_axis,
    check_number,
    check_tensor_spec,
    check_tensors,
    to_static,
)
from minispore.ops.support.spelling import also_spelled


class _Triangle(Primitive):
    """Base of ops that zero the elements outside a triangle of each matrix (..., M, N).

    These ops are linear projections, so the gradient is the same op.
    """

    def make_retained_mask(self, m: int, n: int) -> np.ndarray:
        """Return a mask (m, n) that is True where elements are retained; subclasses override it."""
        raise TypeError(f"{self.name}: keeps nothing.")

    def infer(self, x: Spec) -> Spec:
        if check_tensor_spec(self.name, x).ndim < 2:
            raise ValueError(f"{self.name}: input must have at least 2 axes, got {x}.")
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, x)
        np.copyto(out, 0, where=~self.make_retained_mask(*x.shape[-2:]), casting="unsafe")

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: self(dout),)


class Tril(_Triangle):
    """The elements on and below ``diagonal``, zeros above.

    >>> print(Tril()(Tensor([[1, 2], [3, 4]])))
    [[1 0]
     [3 4]]
    """

    diagonal: int = 0
    reuse = (0,)

    def check(self) -> None:
        checks.integer(self.name, "diagonal", self.diagonal)

    def make_retained_mask(self, m: int, n: int) -> np.ndarray:
        """Return a mask that is True on and below ``diagonal``."""
        return np.tri(m, n, self.diagonal, dtype=np.bool_)


class Triu(Tril):
    """The elements on and above ``diagonal``, zeros below.

    >>> print(Triu()(Tensor([[1, 2], [3, 4]])))
    [[1 2]
     [0 4]]
    """

    def make_retained_mask(self, m: int, n: int) -> np.ndarray:
        """Return a mask that is True on and above ``diagonal``."""
        return ~np.tri(m, n, self.diagonal - 1, dtype=np.bool_)


class MatrixBandPart(Primitive):
    """The band from ``lower`` diagonals below the main one to ``upper`` above it (negative: all).

    >>> print(MatrixBandPart()(Tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), 1, 0))
    [[1 0 0]
     [4 5 0]
     [0 8 9]]
    """

    def __call__(self, x: Tensor, lower: Any, upper: Any) -> Tensor:
        return super().__call__(x, to_static(lower), to_static(upper))

    def infer(self, x: Spec, lower: Any, upper: Any) -> Spec:
        if check_tensor_spec(self.name, x).ndim < 2:
            raise ValueError(f"{self.name}: x must have at least 2 axes, got {x}.")
        checks.integer(self.name, "lower", lower)
        checks.integer(self.name, "upper", upper)
        return x

    def kernel(self, x: np.ndarray, lower: int, upper: int, *, out: np.ndarray) -> None:
        """Copy x and zero the elements outside the band; a negative number means no limit."""
        m, n = x.shape[-2:]
        gap = np.arange(m)[:, None] - np.arange(n)  # the distance below the main diagonal
        np.copyto(out, x)
        if lower >= 0:
            np.copyto(out, 0, where=gap > lower, casting="unsafe")
        if upper >= 0:
            np.copyto(out, 0, where=-gap > upper, casting="unsafe")

    def vjp(self, x: Tensor, lower: int, upper: int, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: MatrixBandPart()(dout, lower, upper),)


class Diagonal(Primitive):
    """The diagonal ``offset`` of each matrix of axes (dim1, dim2), as the last axis.

    >>> print(Diagonal()(Tensor([[1, 2], [3, 4]])))
    [1 4]
    """

    arithmetic = Arithmetic.NONE
    offset: int = 0
    dim1: int = 0
    dim2: int = 1

    def check(self) -> None:
        for name in self.fields:
            checks.integer(self.name, name, getattr(self, name))

    def infer(self, x: Spec) -> Spec:
        ndim = check_tensor_spec(self.name, x).ndim
        a, b = normalize_matrix_axes(self.name, self.dim1, self.dim2, ndim)
        batch_shape = tuple(d for i, d in enumerate(x.shape) if i not in (a, b))
        return Spec(
            (*batch_shape, compute_diagonal_length(x.shape[a], x.shape[b], self.offset)), x.dtype
        )

    def scatter_view(self, x: Tensor, *, content: Tensor) -> Tensor:
        """Return ``x`` with ``content`` on the diagonal: the effect of a write to the view on its
        base.
        """
        return DiagonalScatter(self.offset, self.dim1, self.dim2)(x, content)

    def view(self, x: np.ndarray) -> np.ndarray:
        return x.diagonal(self.offset, self.dim1, self.dim2)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, x.diagonal(self.offset, self.dim1, self.dim2))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        attributes = (self.offset, self.dim1, self.dim2)
        return (lambda: DiagonalScatter(*attributes)(ZerosLike()(x), dout),)


class DiagonalScatter(Primitive):
    """``x`` with ``src`` on the diagonal ``offset`` of each matrix of axes (dim1, dim2).

    >>> print(DiagonalScatter()(Tensor([[1, 2], [3, 4]]), Tensor([8, 9])))
    [[8 2]
     [3 9]]
    """

    offset: int = 0
    dim1: int = 0
    dim2: int = 1
    reuse = (0,)

    def infer(self, x: Spec, src: Spec) -> Spec:
        expected = Diagonal(self.offset, self.dim1, self.dim2).infer(x)
        if check_tensor_spec(self.name, src, "src").shape != expected.shape:
            raise ValueError(f"{self.name}: src must have shape {expected.shape}, got {src}.")
        return x

    def kernel(self, x: np.ndarray, src: np.ndarray, *, out: np.ndarray) -> None:
        """Copy x, and write ``src`` through a writable view of the diagonal."""
        np.copyto(out, x)
        diagonal = out.diagonal(self.offset, self.dim1, self.dim2)
        diagonal.setflags(write=True)  # NumPy returns a read-only view for historical reasons
        np.copyto(diagonal, src, casting="unsafe")

    def vjp(self, x: Tensor, src: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        attributes = (self.offset, self.dim1, self.dim2)
        return (
            lambda: DiagonalScatter(*attributes)(dout, ZerosLike()(src)),
            lambda: Cast()(Diagonal(*attributes)(dout), src.dtype),
        )


class Diag(Primitive):
    """Zeros of shape (D..., D...) with a tensor of shape (D...) on the diagonal.

    >>> print(Diag()(Tensor([1, 2])))
    [[1 0]
     [0 2]]
    """

    def infer(self, x: Spec) -> Spec:
        if check_tensor_spec(self.name, x).ndim < 1:
            raise ValueError(f"{self.name}: input must have at least 1 axis, got {x}.")
        return Spec(x.shape * 2, x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out.fill(0)
        indices = np.ogrid[tuple(slice(d) for d in x.shape)]
        out[(*indices, *indices)] = x

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: DiagPart()(dout),)


class DiagPart(Primitive):
    """The diagonal (D...) of a tensor of shape (D..., D...).

    >>> print(DiagPart()(Tensor([[1, 2], [3, 4]])))
    [1 4]
    """

    def infer(self, x: Spec) -> Spec:
        """Return the spec of the first half of the axes; raise ValueError unless the second half is
        equal.
        """
        half = check_tensor_spec(self.name, x).ndim // 2
        if x.ndim % 2 or not half or x.shape[:half] != x.shape[half:]:
            raise ValueError(
                f"{self.name}: the second half of the shape must repeat the first, got {x}."
            )
        return Spec(x.shape[:half], x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        indices = np.ogrid[tuple(slice(d) for d in out.shape)]
        out[...] = x[(*indices, *indices)]

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: Diag()(dout),)


class FillDiagonal(Primitive):
    """``x`` with ``fill_value`` on its main diagonal.

    With ``wrap``, the diagonal of a tall matrix starts again below its end.

    >>> print(FillDiagonal(9.0)(Tensor([[1, 2], [3, 4]])))
    [[9 2]
     [3 9]]
    """

    fill_value: float
    wrap: bool = False
    reuse = (0,)

    def check(self) -> None:
        if not isinstance(self.fill_value, float):
            raise TypeError(
                f"{self.name}: fill_value must be a float, got "
                f"{checks.format_value(self.fill_value)}. Write 9.0 for 9."
            )
        checks.boolean(self.name, "wrap", self.wrap)

    def infer(self, x: Spec) -> Spec:
        """Return the spec of x; raise ValueError for fewer than 2 axes, or for more than 2 of
        unequal length.
        """
        if check_tensor_spec(self.name, x).ndim < 2:
            raise ValueError(f"{self.name}: input must have at least 2 axes, got {x}.")
        if x.ndim > 2 and len(set(x.shape)) != 1:
            raise ValueError(
                f"{self.name}: with more than 2 axes, all must be of one length, got {x}."
            )
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, x)
        np.fill_diagonal(out, self.fill_value, self.wrap)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: FillDiagonal(0.0, self.wrap)(dout),)


class Trace(Primitive):
    """The sum of a matrix's diagonal.

    >>> print(Trace()(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    5.0
    """

    def infer(self, x: Spec) -> Spec:
        if check_tensor_spec(self.name, x).ndim != 2:
            raise ValueError(f"{self.name}: input must be a matrix, got {x}.")
        return Spec((), x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = x.diagonal().sum(dtype=np.float32 if x.dtype == np.float16 else x.dtype)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_dx() -> Tensor:
            return Select()(Eye()(*x.shape, mstype.bool_), dout, 0)

        return (compute_dx,)


def normalize_matrix_axes(op: str, dim1: Any, dim2: Any, ndim: int) -> tuple[int, int]:
    """Check that two axes differ and return them as non-negative ints."""
    a, b = check_axis(op, dim1, ndim, "dim1"), check_axis(op, dim2, ndim, "dim2")
    if a == b:
        raise ValueError(f"{op}: dim1 and dim2 must differ, got {dim1} and {dim2}.")
    return a, b


def compute_diagonal_length(m: int, n: int, offset: int) -> int:
    """Return the number of elements on diagonal ``offset`` of an (m, n) matrix."""
    return max(0, min(m, n - offset) if offset >= 0 else min(m + offset, n))


# -- functions ------------------------------------------------------------------------------------


@method("tril")
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the elements on and below ``diagonal``, zeros above."""
    return Tril(diagonal)(input)


@method("triu")
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the elements on and above ``diagonal``, zeros below."""
    return Triu(diagonal)(input)


@method("diag")
def diag(input: Tensor) -> Tensor:
    """Return zeros of shape (D..., D...) with a tensor of shape (D...) on the diagonal."""
    return Diag()(input)


@method("diagonal")
@also_spelled(axis1="dim1", axis2="dim2")
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return the diagonal ``offset`` of each matrix of axes (dim1, dim2), as the last axis."""
    return Diagonal(offset, dim1, dim2)(input)


@method("diagonal_scatter")
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """Return ``input`` with ``src`` on the diagonal ``offset`` of each matrix of axes (dim1,
    dim2).
    """
    return DiagonalScatter(offset, dim1, dim2)(input, src)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return zeros with the last axis of ``input`` on the diagonal ``offset`` of new axes (dim1,
    dim2).

    >>> print(diag_embed(Tensor([[1, 2]])))
    [[[1 0]
      [0 2]]]
    """
    check_tensors("diag_embed", input=input)
    a, b = normalize_matrix_axes("diag_embed", dim1, dim2, input.ndim + 1)
    length = input.shape[-1] + abs(check_number("diag_embed", offset, "offset"))
    shape = list(input.shape[:-1])
    for axis in sorted((a, b)):
        shape.insert(axis, length)
    return DiagonalScatter(offset, a, b)(Zeros()(tuple(shape), input.dtype), input)


@method("diagflat")
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """Return a matrix with all elements of ``input`` on the diagonal ``offset``.

    >>> print(diagflat(Tensor([1, 2]), 1))
    [[0 1 0]
     [0 0 2]
     [0 0 0]]
    """
    return diag_embed(Reshape()(input, (-1,)), offset, 0, 1)


@method("fill_diagonal")
def fill_diagonal(input: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Return ``input`` with ``fill_value`` on its main diagonal."""
    return FillDiagonal(fill_value, wrap)(input)


def trace(input: Tensor) -> Tensor:
    """Return the sum of a matrix's diagonal."""
    return Trace()(input)


@method("trace")
def _trace_method(
    self: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None
) -> Tensor:
    """Return the sum of the diagonal ``offset`` of two axes.

    Without ``dtype``, integers are summed in int64. For bools, or a ``dtype`` of bool, the result
    is whether any element is not 0.
    """
    result_dtype = self.dtype if dtype is None else dtype
    if result_dtype == mstype.bool_:
        return ReduceAny()(diagonal(self, offset, axis1, axis2) != 0, -1)
    x = widen_for_sum(self, dtype)
    if x.ndim == 2 and (offset, axis1, axis2) == (0, 0, 1):
        return Trace()(x)
    return ReduceSum()(diagonal(x, offset, axis1, axis2), -1)


def matrix_band_part(x: Tensor, lower: Any, upper: Any) -> Tensor:
    """Return the band from ``lower`` diagonals below the main one to ``upper`` above it (-1:
    all).
    """
    return MatrixBandPart()(x, lower, upper)


__all__ = [
    "Diag",
    "DiagPart",
    "FillDiagonal",
    "MatrixBandPart",
    "Trace",
    "Tril",
    "Triu",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "fill_diagonal",
    "matrix_band_part",
    "trace",
    "tril",
    "triu",
]
