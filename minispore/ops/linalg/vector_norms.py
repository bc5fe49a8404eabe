"""Norms of vectors and matrices, and distances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.registry import registry
from minispore.ir.value import Spec
from minispore.ops.elementwise.arithmetic import Sub
from minispore.ops.elementwise.bases import check_dtype_kind, choose_sum_dtype
from minispore.ops.elementwise.compare import Equal, Greater
from minispore.ops.elementwise.complex_numbers import ComplexAbs
from minispore.ops.elementwise.powers import Pow
from minispore.ops.elementwise.rounding import Abs, Sign, Square
from minispore.ops.index.gather import Gather
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import ExpandDims, Reshape, Squeeze, Transpose
from minispore.ops.statistics.argmax import ArgMaxWithValue, ArgMinWithValue
from minispore.ops.statistics.reduce import (
    ReduceMax,
    ReduceMin,
    ReduceSum,
    normalize_reduction_axes,
)
from minispore.ops.support.arguments import (
    ANY_NDIM,
    FLOAT_KINDS,
    check_axes,
    check_axis,
    check_tensors,
    to_static,
)
from minispore.ops.support.derive import _Composite


class PNorm(Primitive):
    """(sum |x|^p)^(1/p) along ``axes``; the gradient is 0 where all elements of x are 0.

    >>> print(PNorm(2.0, (1,))(Tensor([[3.0, 4.0], [0.0, 0.0]])))
    [5. 0.]
    """

    p: float
    axes: tuple[int, ...]
    keep_dims: bool = False

    def infer(self, x: Spec) -> Spec:
        check_dtype_kind(self.name, x, FLOAT_KINDS, "x")
        keepdims_shape = tuple(1 if i in self.axes else n for i, n in enumerate(x.shape))
        reduced_shape = tuple(n for i, n in enumerate(x.shape) if i not in self.axes)
        return Spec(keepdims_shape if self.keep_dims else reduced_shape, x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Compute the norm in the accumulation dtype, with simpler formulas for p = 0, 1, 2 and
        inf.
        """
        widened = x.astype(choose_sum_dtype(x.dtype), copy=False)
        if self.p == math.inf:
            norms = np.max(np.abs(widened), self.axes, initial=0)
        elif self.p == 0:
            norms = np.add.reduce(widened != 0, self.axes, widened.dtype)
        elif self.p == 1:
            norms = np.add.reduce(np.abs(widened), self.axes)
        elif self.p == 2:
            norms = np.sqrt(np.add.reduce(np.square(widened), self.axes))
        else:
            total = np.add.reduce(np.abs(widened) ** self.p, self.axes)
            norms = total ** np.asarray(1 / self.p, widened.dtype)
        np.copyto(out, norms.reshape(out.shape), casting="same_kind")

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function; for p = inf, every element of largest magnitude gets all of
        ``dout``.
        """
        if self.p == 0:
            return (None,)
        keepdims_shape = tuple(1 if i in self.axes else n for i, n in enumerate(x.shape))
        dout, norm = Reshape()(dout, keepdims_shape), Reshape()(out, keepdims_shape)
        if self.p == 1:
            return (lambda: dout * Sign()(x),)
        if self.p == math.inf:  # every element of largest magnitude gets the full gradient
            return (lambda: Select()(Equal()(Abs()(x), norm), dout, 0) * Sign()(x),)
        divisor = Select()(Equal()(norm, 0), 1.0, norm)
        if self.p == 2:
            return (lambda: dout * (x / divisor),)
        magnitude = Select()(Equal()(x, 0), 1.0, Abs()(x))
        return (lambda: dout * Sign()(x) * Pow()(magnitude / divisor, self.p - 1),)


def _compute_p_norm(x: Tensor, p: float, axes: tuple[int, ...], keep_dims: bool) -> Tensor:
    """Return (sum |x|^p)^(1/p) along ``axes``; for p = +-inf, the first extremum gets the
    gradient.

    Integers give int64 for p = 0 and 1, their own dtype for +-inf, else float32. The norm of a
    complex x is cast to its dtype.
    """
    if x.dtype.kind == "c":
        return Cast()(_compute_p_norm(ComplexAbs()(x), p, axes, keep_dims), x.dtype)
    magnitude = Abs()(x) if x.dtype.kind in "biu" or abs(p) == math.inf else x
    if abs(p) == math.inf:
        other_axes = tuple(i for i in range(x.ndim) if i not in axes)
        lengths = tuple(x.shape[i] for i in other_axes)
        rows = Reshape()(Transpose()(magnitude, (*other_axes, *axes)), (*lengths, -1))
        extremum = (ArgMaxWithValue if p > 0 else ArgMinWithValue)(-1)(rows)[1]
        keepdims_shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
        return Reshape()(extremum, keepdims_shape) if keep_dims else extremum
    if magnitude.dtype.kind in "biu":
        if p in (0, 1):  # a count or a sum, which are integers
            magnitude = Cast()(magnitude, mstype.bool_) if p == 0 else magnitude
            return ReduceSum(keep_dims)(Cast()(magnitude, mstype.int64), axes)
        magnitude = Cast()(magnitude, mstype.float32)
    return PNorm(float(p), axes, keep_dims)(magnitude)


def _cast_to_float(x: Tensor, dtype: Any) -> Tensor:
    """Cast x to ``dtype``; if ``dtype`` is None, cast integers and bools to float32."""
    if dtype is None and x.dtype.kind in "biu":
        dtype = mstype.float32
    return x if dtype is None else Cast()(x, dtype)


class LpNorm(_Composite):
    """(sum |x|^p)^(1/p) along ``axis``.

    Args:
        axis: an axis or a tuple of axes.
        p: the exponent.
        keep_dims: keep the reduced axes with length 1.
        epsilon: accepted as in MindSpore, but has no effect.

    >>> print(LpNorm(0)(Tensor([3.0, 4.0])))
    5.0
    """

    axis: Any
    p: int = 2
    keep_dims: bool = False
    epsilon: float = 1e-12

    def check(self) -> None:
        check_axes(self.name, self.axis, ANY_NDIM)
        checks.boolean(self.name, "keep_dims", self.keep_dims)

    def __call__(self, x: Tensor) -> Tensor:
        return _compute_p_norm(x, self.p, check_axes(self.name, self.axis, x.ndim), self.keep_dims)


class EuclideanNorm(_Composite):
    """sqrt(sum x^2) along ``axes``, a tensor or a tuple.

    >>> print(EuclideanNorm()(Tensor([3.0, 4.0]), Tensor([0])))
    5.0
    """

    keep_dims: bool = False

    def check(self) -> None:
        checks.boolean(self.name, "keep_dims", self.keep_dims)

    def __call__(self, x: Tensor, axes: Any) -> Tensor:
        reduced_axes = normalize_reduction_axes(self.name, to_static(axes), x.ndim)
        return _compute_p_norm(x, 2, reduced_axes, self.keep_dims)


class SquareSumAll(_Composite):
    """sum(x^2) and sum(y^2) of float tensors of one dtype and shape.

    >>> print(*SquareSumAll()(Tensor([3.0, 4.0]), Tensor([1.0, 1.0])))
    25.0 2.0
    """

    def __call__(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return both sums as 0-d tensors.

        Raises:
            TypeError: x and y are not float tensors of one dtype.
            ValueError: their shapes differ.
        """
        check_tensors(self.name, x=x, y=y)
        if x.dtype is not y.dtype or x.dtype.kind != "f":
            actual = f"{x.dtype} and {y.dtype}"
            raise TypeError(
                checks.format_error(self.name, "x and y", "be floats of one dtype", actual)
            )
        if x.shape != y.shape:
            actual = f"{x.shape} and {y.shape}"
            raise ValueError(checks.format_error(self.name, "x and y", "have one shape", actual))
        return ReduceSum()(Square()(x)), ReduceSum()(Square()(y))


class Renorm(_Composite):
    """x with each slice along ``dim`` scaled down to a p-norm of at most ``maxnorm``.

    >>> print(Renorm(2, 0, 1.0)(Tensor([[3.0, 4.0], [0.3, 0.4]])))
    [[0.6 0.8]
     [0.3 0.4]]
    """

    p: int
    dim: int
    maxnorm: float

    def check(self) -> None:
        checks.integer(self.name, "p", self.p, 1)
        checks.number(self.name, "maxnorm", self.maxnorm, 0)

    def __call__(self, x: Tensor) -> Tensor:
        dim = check_axis(self.name, self.dim, x.ndim, "dim")
        axes = tuple(i for i in range(x.ndim) if i != dim)
        norms = _compute_p_norm(ComplexAbs()(x) if x.dtype.kind == "c" else x, self.p, axes, True)
        exceeds = Greater()(norms, self.maxnorm)
        return x * Select()(exceeds, self.maxnorm / (norms + 1e-7), 1.0)


# -- functions -------------------------------------------------------------------------------------


def vector_norm(
    x: Tensor, ord: float = 2, axis: Any = None, keepdims: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return (sum |x|^ord)^(1/ord) along ``axis``; ord may be 0 (the number of nonzeros), inf or
    -inf.

    >>> print(vector_norm(Tensor([[3.0, 4.0], [6.0, 8.0]]), axis=1))
    [ 5. 10.]
    """
    check_tensors("vector_norm", x=x)
    if isinstance(ord, bool) or not isinstance(ord, int | float):
        raise ValueError(f"vector_norm: ord must be a number, got {ord!r}.")
    x = _cast_to_float(x, dtype)
    axes = normalize_reduction_axes("vector_norm", to_static(axis), x.ndim)
    return _compute_p_norm(x, ord, axes, keepdims)


def matrix_norm(
    A: Tensor, ord: Any = "fro", axis: Any = (-2, -1), keepdims: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return a norm of the matrices in the two axes ``axis``.

    Args:
        A: the matrices.
        ord: "fro" (square root of the sum of squares), "nuc" (sum of the singular values), 2 and -2
            (the largest and smallest singular value), 1 and -1 (the largest and smallest column
            sum of absolute values), inf and -inf (the largest and smallest row sum of these).
        axis: the axes of rows and columns.
        keepdims: keep the axes with length 1.
        dtype: the dtype to convert A to first.

    >>> print(matrix_norm(Tensor([[3.0, 0.0], [4.0, 0.0]])))
    5.0
    """
    check_tensors("matrix_norm", A=A)
    A = _cast_to_float(A, dtype)
    axes = check_axes("matrix_norm", to_static(axis), A.ndim)
    if len(axes) != 2:
        raise ValueError(f"matrix_norm: axis must be two axes, got {axis}.")
    if ord == "fro":
        return _compute_p_norm(A, 2, axes, keepdims)
    if ord in ("nuc", 2, -2):
        order = (*[i for i in range(A.ndim) if i not in axes], *axes)
        if A.dtype == mstype.float16:
            A = Cast()(A, mstype.float32)
        values = registry["Svd"](False, False)(Transpose()(A, order))
        values = values[0] if isinstance(values, tuple) else values
        reduction = {"nuc": ReduceSum, 2: ReduceMax, -2: ReduceMin}[ord]
        norms = reduction()(values, -1)
        keepdims_shape = tuple(1 if i in axes else n for i, n in enumerate(A.shape))
        return Reshape()(norms, keepdims_shape) if keepdims else norms
    if ord not in (1, -1, math.inf, -math.inf):
        raise ValueError(
            f"matrix_norm: ord must be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got {ord!r}."
        )
    rows, columns = axes if abs(ord) == 1 else axes[::-1]
    sums = ReduceSum(keep_dims=True)(Abs()(A), rows)
    norms = _compute_p_norm(sums, math.copysign(math.inf, ord), (columns,), True)
    return norms if keepdims else Squeeze(axes)(norms)


@method("norm")
def norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return a norm of vectors or matrices.

    Args:
        A: the tensor.
        ord: None for the square root of the sum of squares; else see :func:`vector_norm` for one
            axis, and :func:`matrix_norm` for two.
        dim: the axes; by default all axes, as one vector (or as a matrix, if A is a matrix and
            ``ord`` a matrix norm).
        keepdim: keep the axes with length 1.
        dtype: the dtype to convert A to first.

    >>> print(norm(Tensor([3.0, 4.0])), norm(Tensor([[1.0, -2.0], [3.0, 4.0]]), 1))
    5.0 6.0
    """
    check_tensors("norm", A=A)
    axes = to_static(dim)
    if ord is None:
        return vector_norm(A, 2, axes, keepdim, dtype=dtype)
    if axes is None:
        if A.ndim not in (1, 2):
            raise ValueError(
                f"norm: dim must be given for a tensor of {A.ndim} axes when ord is {ord!r}."
            )
        axes = tuple(range(A.ndim))
    axes = axes if isinstance(axes, tuple) else (axes,)
    if len(axes) == 1:
        return vector_norm(A, ord, axes, keepdim, dtype=dtype)
    return matrix_norm(A, ord, axes, keepdim, dtype=dtype)


@method("renorm")
def renorm(input: Tensor, p: int, axis: int, maxnorm: float) -> Tensor:
    """Return ``input`` with each slice along ``axis`` scaled down to a p-norm of at most
    ``maxnorm``.
    """
    return Renorm(p, axis, maxnorm)(input)


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """Return the p-norm of input - other.

    >>> print(dist(Tensor([3.0, 4.0]), Tensor([0.0, 0.0])))
    5.0
    """
    return vector_norm(Sub()(input, other), p)


class Cdist(_Composite):
    """The p-norm distance between each row of x1 and each row of x2.

    Shape: x1: (..., P, M); x2: (..., R, M); output: (..., P, R).

    >>> print(Cdist()(Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0], [0.0, 1.0]])))
    [[5. 1.]]
    """

    p: float = 2.0

    def check(self) -> None:
        if not self.p >= 0:
            raise ValueError(f"{self.name}: p must be >= 0, got {self.p}.")

    def __call__(self, x1: Tensor, x2: Tensor) -> Tensor:
        if x1.ndim < 2 or x2.ndim < 2 or x1.shape[-1] != x2.shape[-1]:
            raise ValueError(
                f"{self.name}: x1 and x2 must be matrices with rows of one length, got shapes "
                f"{x1.shape} and {x2.shape}."
            )
        differences = ExpandDims()(x1, -2) - ExpandDims()(x2, -3)
        return PNorm(float(self.p), (differences.ndim - 1,))(differences)


class Pdist(_Composite):
    """The p-norm distance between each pair of rows of x: (..., N, M) -> (..., N * (N - 1) / 2).

    >>> print(Pdist()(Tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 4.0]])))
    [5. 4. 3.]
    """

    p: float = 2.0

    def check(self) -> None:
        if not self.p >= 0:
            raise ValueError(f"{self.name}: p must be >= 0, got {self.p}.")

    def __call__(self, x: Tensor) -> Tensor:
        """Gather both rows of each pair i < j, and take the norm of their difference."""
        if x.ndim < 2:
            raise ValueError(f"{self.name}: x must have at least 2 axes, got shape {x.shape}.")
        n = x.shape[-2]
        left, right = (Gather()(x, Tensor(i), x.ndim - 2) for i in np.triu_indices(n, 1))
        differences = left - right
        return PNorm(float(self.p), (x.ndim - 1,))(differences)


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0) -> Tensor:
    """Return the p-norm distance between each row of ``x1`` and each row of ``x2``."""
    return Cdist(p)(x1, x2)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Return the p-norm distance between each pair of rows of ``input``: (..., N, M) -> (..., N *
    (N - 1) / 2).
    """
    return Pdist(p)(input)


__all__ = [
    "Cdist",
    "EuclideanNorm",
    "LpNorm",
    "PNorm",
    "Pdist",
    "Renorm",
    "SquareSumAll",
    "cdist",
    "dist",
    "matrix_norm",
    "norm",
    "pdist",
    "renorm",
    "vector_norm",
]
