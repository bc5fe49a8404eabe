"""Products of vectors, sums of matrix products, and products with weights that are often 0."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls, Cotangents
from minispore.core.tensor import Tensor, method
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.arithmetic import Add, Mul
from minispore.ops.elementwise.bases import broadcast_to, check_dtype_kind
from minispore.ops.elementwise.complex_numbers import Conj
from minispore.ops.index.gather import Gather
from minispore.ops.linalg.products import MatMulExt, matmul_into
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import ExpandDims, Reshape, Transpose
from minispore.ops.statistics.reduce import ReduceSum, widen_for_sum
from minispore.ops.support.arguments import (
    FLOAT_KINDS,
    check_arithmetic_operands,
    check_arrays,
    check_axis,
    check_tensors,
)
from minispore.ops.support.derive import _Composite

_NO_DIM = -65530  # MindSpore's value for a missing axis


class Cross(_Composite):
    """The cross product of vectors of length 3 along ``dim`` (by default the first such axis).

    >>> print(Cross()(Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0])))
    [0. 0. 1.]
    """

    dim: int = _NO_DIM

    def __call__(self, input: Tensor, other: Tensor) -> Tensor:
        """Broadcast both inputs, choose the axis and subtract the permuted products."""
        try:
            shape = np.broadcast_shapes(input.shape, other.shape)
        except ValueError:
            raise ValueError(
                f"{self.name}: input and other must have shapes that broadcast, got {input.shape} "
                f"and {other.shape}."
            ) from None
        input, other = broadcast_to(input, shape), broadcast_to(other, shape)
        if self.dim == _NO_DIM:
            if 3 not in input.shape:
                raise ValueError(f"{self.name}: an axis must have the length 3, got {input.shape}.")
            axis = input.shape.index(3)
        else:
            axis = check_axis(self.name, self.dim, input.ndim, "dim")
            if input.shape[axis] != 3:
                raise ValueError(
                    f"{self.name}: axis {axis} must have the length 3, got {input.shape}."
                )

        def permute(t: Tensor, *order: int) -> Tensor:
            """Reorder the three elements of ``t`` along the axis."""
            return Gather()(t, Tensor(list(order)), axis)

        minuend = permute(input, 1, 2, 0) * permute(other, 2, 0, 1)
        return minuend - permute(input, 2, 0, 1) * permute(other, 1, 2, 0)


class Ger(_Composite):
    """The outer product of two vectors.

    >>> print(Ger()(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    [[3. 4.]
     [6. 8.]]
    """

    def __call__(self, x1: Tensor, x2: Tensor) -> Tensor:
        if x1.ndim != 1 or x2.ndim != 1:
            raise ValueError(
                f"{self.name}: inputs must be vectors, got shapes {x1.shape} and {x2.shape}."
            )
        return Mul()(ExpandDims()(x1, 1), x2)


class Dense(_Composite):
    """input @ weight^T + bias.

    Shape: input: (..., I); weight: (O, I) or (I,); bias: (O,), () or None.

    >>> print(Dense()(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]]), Tensor([1.0])))
    [[12.]]
    """

    def __call__(self, input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
        if weight.ndim not in (1, 2) or input.shape[-1:] != weight.shape[-1:]:
            raise ValueError(
                f"{self.name}: weight must have {input.shape[-1:]} columns like input, got shapes "
                f"{weight.shape} and {input.shape}."
            )
        transposed = Transpose()(weight, (1, 0)) if weight.ndim == 2 else weight
        product = MatMulExt()(input, transposed)
        return product if bias is None else Add()(product, bias)


class WeightedSums(MatMulExt):
    """numpy.matmul with a matrix of weights, where a weight of 0 times infinity or NaN is 0.

    The weights have no gradient.

    >>> x, weights = Tensor([[1.0, float("inf")]]), Tensor([[1.0, 0.5], [0.0, 0.5]])
    >>> print(WeightedSums(1)(x, weights))
    [[ 1. inf]]
    """

    which: int  # the position of the weight matrix: 0 or 1
    transposed: bool = False  # whether the weights are transposed first

    def infer(self, a: Spec, b: Spec) -> Spec:
        factors = [check_dtype_kind(self.name, x, FLOAT_KINDS) for x in (a, b)]
        if self.transposed:
            weights = factors[self.which]
            factors[self.which] = Spec(weights.shape[::-1], weights.dtype)
        return super().infer(*factors)

    def calls(self, a: np.ndarray, b: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the calls for the product, and for correcting sums where 0 is multiplied by
        infinity or NaN.
        """
        if self.which == 0:
            weights = a.T if self.transposed else a
            multiply = partial(np.matmul, weights, b, out=out)
            return [multiply, partial(_fix_non_finite, self.which, b, weights, out)]
        weights = b.T if self.transposed else b
        return [
            partial(matmul_into, a, weights, out),
            partial(_fix_non_finite, self.which, a, weights, out),
        ]

    def flops(self, a: Spec, b: Spec) -> int:
        return 2 * self.infer(a, b).size * (a.shape[-1] if self.which else b.shape[-2])

    def vjp(self, a: Tensor, b: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        adjoint_op = WeightedSums(self.which, not self.transposed)
        if self.which == 0:
            return None, lambda: adjoint_op(a, dout)
        return lambda: adjoint_op(dout, b), None


def compute_weighted_sums(which: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return ``a @ b``, where factor ``which`` (0 or 1) holds weights.

    A weight of 0 times infinity or NaN is 0.
    """
    out = np.matmul(a, b)
    _fix_non_finite(which, *((a, b) if which else (b, a)), out)
    return out


def _fix_non_finite(which: int, x: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
    """Correct the product in ``out`` where x has infinities or NaNs: a weight of 0 times these is
    0. Factor ``which`` (0 or 1) of the product is ``weights``.

    Returns at once if the sum of squares of ``out`` is finite.
    """
    flat = out.reshape(-1)
    if math.isfinite(np.dot(flat, flat)):
        return
    is_finite = np.isfinite(x)
    if is_finite.all():
        return

    def multiply(values: np.ndarray, factors: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Write the product of ``values`` and ``factors``, in the original order, to ``target`` and
        return it.
        """
        values, factors = values.astype(out.dtype), factors.astype(out.dtype)
        matmul_into(*((values, factors) if which else (factors, values)), target)
        return target

    def find_sums_with(mask: np.ndarray, weight_mask: np.ndarray) -> np.ndarray:
        """Return a mask of the sums with a term that is True in ``mask`` and ``weight_mask``."""
        return multiply(mask, weight_mask, np.empty_like(out)) > 0

    # A sum is infinite or NaN if one of its terms is; products of masks find these sums.
    multiply(np.where(is_finite, x, 0), weights, out)
    plus, minus, positive, negative = x == math.inf, x == -math.inf, weights > 0, weights < 0
    is_inf = find_sums_with(plus, positive) | find_sums_with(minus, negative)
    is_minus_inf = find_sums_with(plus, negative) | find_sums_with(minus, positive)
    is_nan = find_sums_with(np.isnan(x), weights != 0) | (is_inf & is_minus_inf)
    for value, mask in ((math.inf, is_inf), (-math.inf, is_minus_inf), (math.nan, is_nan)):
        np.copyto(out, value, where=mask)


# -- functions -------------------------------------------------------------------------------------


@method("cross")
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """Apply :class:`Cross` to ``input`` and ``other``."""
    return Cross(_NO_DIM if dim is None else dim)(input, other)


@method("ger")
def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """Return the outer product of two vectors."""
    return Ger()(input, vec2)


def dense(input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """Return input @ weight^T + bias, without the bias if it is None."""
    return Dense()(input, weight, bias)


def bidense(input1: Tensor, input2: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """Return input1 @ weight[k] @ input2 + bias[k] for each k.

    Shape: input1: (..., A); input2: (..., B); weight: (O, A, B); bias: (O,); output: (..., O).

    >>> one = Tensor([[1.0, 2.0]])
    >>> print(bidense(one, one, Tensor([[[1.0, 0.0], [0.0, 1.0]]])))
    [[5.]]
    """
    check_tensors("bidense", input1=input1, input2=input2, weight=weight)
    if weight.ndim != 3 or (input1.shape[-1], input2.shape[-1]) != weight.shape[1:]:
        raise ValueError(
            f"bidense: weight must have the axes (O, A, B) that fit the inputs, got shapes "
            f"{weight.shape}, {input1.shape} and {input2.shape}."
        )
    rows = ExpandDims()(ExpandDims()(input1, -2), -3)  # (..., 1, 1, A)
    left = MatMulExt()(rows, weight)  # (..., O, 1, B)
    columns = ExpandDims()(ExpandDims()(input2, -2), -1)  # (..., 1, B, 1)
    product = MatMulExt()(left, columns)  # (..., O, 1, 1)
    product = Reshape()(product, product.shape[:-2])
    return product if bias is None else product + bias


@method("inner")
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Return the sums of products over the last axes of both; the product if either is 0-d.

    >>> print(inner(Tensor([1.0, 2.0]), Tensor([[3.0, 4.0], [5.0, 6.0]])))
    [11. 17.]
    """
    check_arrays("inner", input=input, other=other)
    if not input.ndim or not other.ndim:
        return Mul()(input, other)
    if input.shape[-1] != other.shape[-1]:
        raise ValueError(
            f"inner: the last lengths must be equal, got shapes {input.shape} and {other.shape}."
        )
    n = input.shape[-1]
    rows, columns = [
        Reshape()(x, (-1 if n else math.prod(x.shape[:-1]), n)) for x in (input, other)
    ]
    product = MatMulExt()(rows, Transpose()(columns, (1, 0)))
    return Reshape()(product, (*input.shape[:-1], *other.shape[:-1]))


def vecdot(x: Tensor, y: Tensor, *, axis: int = -1) -> Tensor:
    """Return the sum of products along ``axis``; signed integers, uint8 and bools are summed in
    int64.

    >>> print(vecdot(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]])))
    [11.]
    """
    check_tensors("vecdot", x=x)
    check_arithmetic_operands("vecdot", y=y)
    product = Mul()(Conj()(x) if x.dtype.kind == "c" else x, y)
    if product.dtype.kind in "bi" or product.dtype == mstype.uint8:
        product = Cast()(product, mstype.int64)
    return ReduceSum()(product, check_axis("vecdot", axis, product.ndim))


def kron(input: Tensor, other: Tensor) -> Tensor:
    """Return the Kronecker product: a block ``element * other`` for each element of ``input``.

    >>> print(kron(Tensor([1, 10]), Tensor([1, 2])))
    [ 1  2 10 20]
    """
    check_tensors("kron", input=input, other=other)
    n = max(input.ndim, other.ndim)
    a = (1,) * (n - input.ndim) + input.shape
    b = (1,) * (n - other.ndim) + other.shape
    left = Reshape()(input, tuple(x for d in a for x in (d, 1)))
    right = Reshape()(other, tuple(x for d in b for x in (1, d)))
    return Reshape()(left * right, tuple(p * q for p, q in zip(a, b, strict=True)))


def _scale(x: Any, factor: Any) -> Any:
    """Return x * factor, or x itself for a factor of 1."""
    return x if isinstance(factor, int | float) and factor == 1 else x * factor


@method("addbmm")
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """Return beta * input + alpha * the sum of batch1[i] @ batch2[i].

    >>> one = Tensor([[[1.0, 2.0]], [[3.0, 4.0]]])
    >>> print(addbmm(Tensor([[1.0]]), one, one.swapaxes(1, 2)))
    [[31.]]
    """
    check_arithmetic_operands("addbmm", input=input)
    check_tensors("addbmm", batch1=batch1, batch2=batch2)
    for name, x in (("batch1", batch1), ("batch2", batch2)):
        if x.ndim < 2:
            raise ValueError(f"addbmm: {name} must hold matrices, got the shape {x.shape}.")
    total = ReduceSum()(widen_for_sum(MatMulExt()(batch1, batch2), None), 0)
    return _scale(input, beta) + _scale(total, alpha)


def check_matrix(op: str, name: str, x: Tensor) -> None:
    """Raise a ValueError if ``x`` is not a matrix."""
    if x.ndim != 2:
        raise ValueError(f"{op}: {name} must be a matrix, got the shape {x.shape}.")


def mv(mat: Tensor, vec: Tensor) -> Tensor:
    """Return a matrix times a vector.

    >>> print(mv(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 1.0])))
    [3. 7.]
    """
    check_tensors("mv", mat=mat, vec=vec)
    check_matrix("mv", "mat", mat)
    return MatMulExt()(mat, vec)


@method("addmv")
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Return beta * input + alpha * mat @ vec.

    >>> print(addmv(Tensor([10.0]), Tensor([[1.0, 2.0]]), Tensor([3.0, 4.0])))
    [21.]
    """
    check_arithmetic_operands("addmv", input=input)
    check_tensors("addmv", mat=mat, vec=vec)
    check_matrix("addmv", "mat", mat)
    return _scale(input, beta) + _scale(MatMulExt()(mat, vec), alpha)


@method("addr")
def addr(x: Tensor, vec1: Tensor, vec2: Tensor, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Return beta * x + alpha * the outer product of vec1 and vec2."""
    check_arithmetic_operands("addr", x=x)
    return _scale(x, beta) + _scale(Ger()(vec1, vec2), alpha)


@method("adjoint")
def adjoint(x: Tensor) -> Tensor:
    """Return the complex conjugate of ``x`` with the last two axes swapped."""
    check_tensors("adjoint", x=x)
    if x.ndim < 2:
        raise ValueError(f"adjoint: x must have at least 2 axes, got shape {x.shape}.")
    transposed = Transpose()(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))
    return Conj()(transposed) if x.dtype.kind == "c" else transposed


__all__ = [
    "Cross",
    "Dense",
    "Ger",
    "addbmm",
    "addmv",
    "addr",
    "adjoint",
    "bidense",
    "cross",
    "dense",
    "ger",
    "inner",
    "kron",
    "mv",
    "vecdot",
]
