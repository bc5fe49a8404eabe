"""Matrix products."""

from __future__ import annotations

import math
from functools import partial
from string import ascii_letters
from typing import Any

import numpy as np

from minispore.core.primitive import Calls, Cotangents, Primitive, Promotion
from minispore.core.tensor import Tensor, method
from minispore.errors import ShapeError
from minispore.execution.layout import LIKE_INPUT, ROW_MAJOR
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.arithmetic import Mul
from minispore.ops.elementwise.bases import ReduceToShape
from minispore.ops.shape.views import BroadcastTo, Reshape
from minispore.ops.support.arguments import FLOAT_KINDS, check_arithmetic_operands

__all__ = [
    "BatchMatMul",
    "Einsum",
    "MatMul",
    "MatMulExt",
    "addmm",
    "baddbmm",
    "bmm",
    "einsum",
    "matmul",
    "mm",
    "outer",
]


Shape = tuple[int, ...]


def matmul_into(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Write ``a @ b`` into ``out``; float16 is computed in float32, since no BLAS supports it.

    A stack of matrices times a single matrix is one GEMM of all rows; NumPy would call one GEMM for
    each matrix of the stack.
    """
    if out.dtype.itemsize == 2 and out.dtype.kind in FLOAT_KINDS:
        np.copyto(out, np.matmul(a.astype(np.float32), b.astype(np.float32)), casting="same_kind")
    elif a.ndim > 2 and b.ndim == 2 and out.flags.c_contiguous:
        rows = math.prod(a.shape[:-1])
        np.matmul(a.reshape(rows, a.shape[-1]), b, out=out.reshape(rows, b.shape[1]))
    else:
        np.matmul(a, b, out=out)


def _check_same_dtype(op: str, a: Spec, b: Spec) -> np.dtype:
    """Check that both inputs have the same numeric dtype and return it."""
    if a.dtype != b.dtype:
        raise TypeError(
            f"{op}: both inputs must have the same dtype, got {a.dtype.name} and {b.dtype.name}. "
            "Cast one of them."
        )
    if a.dtype.kind == "b":
        raise TypeError(f"{op}: inputs must be numbers, got {a}. Cast them.")
    return a.dtype


class MatMul(Primitive):
    """input @ mat2 of two matrices, each optionally transposed first.

    Inputs: input (M, K) or, transposed, (K, M); mat2 (K, N) or, transposed, (N, K). Output: (M, N).

    Raises:
        ValueError: an input is not a matrix, or the inner lengths differ.
        TypeError: the dtypes differ.

    Source: the behaviour of mindspore.ops.MatMul.
    """

    transpose_a: bool = False
    transpose_b: bool = False
    rank = 2

    def check(self) -> None:
        """Check the flags, and set the memory order of a product of two matrices: that of the left
        factor, or row-major with ``transpose_a``.
        """
        for flag in ("transpose_a", "transpose_b"):
            if not isinstance(getattr(self, flag), bool):
                raise TypeError(f"{self.name}: {flag} must be a bool, got {getattr(self, flag)!r}.")
        if self.rank == 2:
            # The product has the memory order of its left factor, so an innermost batch stays
            # innermost; the gradient of a weight, dy.T @ x, is row-major like the weight.
            self.normalise(layout=ROW_MAJOR if self.transpose_a else LIKE_INPUT)

    def infer(self, a: Spec, b: Spec) -> Spec:
        if len(a.shape) != 2 or len(b.shape) != 2:
            raise ValueError(
                f"{self.name}: both inputs must be matrices, got {a} and {b}. "
                "Use BatchMatMul or ops.matmul for more axes."
            )
        return self.infer_product(a, b)

    def infer_product(self, a: Spec, b: Spec) -> Spec:
        """Check lengths and dtypes, and return the spec of the product over the last two axes."""
        m, k = a.shape[-2:][:: -1 if self.transpose_a else 1]
        k2, n = b.shape[-2:][:: -1 if self.transpose_b else 1]
        if k != k2:
            raise ValueError(
                f"{self.name}: the inner lengths must agree, got {k} and {k2} from {a}"
                f"{' transposed' if self.transpose_a else ''} and {b}"
                f"{' transposed' if self.transpose_b else ''}."
            )
        return Spec((m, n), _check_same_dtype(self.name, a, b))

    def calls(self, a: np.ndarray, b: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the call for one product; float16 is computed in float32, and a stack times a
        single matrix becomes one large product.
        """
        a = a.swapaxes(-1, -2) if self.transpose_a else a
        b = b.swapaxes(-1, -2) if self.transpose_b else b
        if out.dtype.itemsize == 2:
            return [partial(matmul_into, a, b, out)]
        if a.ndim > 2 and b.ndim == 2 and a.flags.c_contiguous and out.flags.c_contiguous:
            a, out = a.reshape(-1, a.shape[-1]), out.reshape(-1, b.shape[1])  # see matmul_into
        return [partial(np.matmul, a, b, out=out)]

    def flops(self, a: Spec, b: Spec) -> int:
        return 2 * self.infer(a, b).size * a.shape[-2 if self.transpose_a else -1]

    def vjp(self, a: Tensor, b: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        ta, tb, op = self.transpose_a, self.transpose_b, type(self)
        return (
            lambda: op(tb, True)(b, dout) if ta else op(False, not tb)(dout, b),
            lambda: op(True, ta)(dout, a) if tb else op(not ta, False)(a, dout),
        )


class BatchMatMul(MatMul):
    """x @ y over the last two axes, each optionally transposed first; the leading axes broadcast.

    Inputs: x (*, M, K), y (*, K, N), or transposed. Output: (*, M, N).

    Source: the behaviour of mindspore.ops.BatchMatMul.
    """

    rank = 3  # or more

    def infer(self, a: Spec, b: Spec) -> Spec:
        """Return the spec of the product; raise ValueError for fewer than 2 axes or if leading axes
        do not broadcast.
        """
        if len(a.shape) < 2 or len(b.shape) < 2:
            raise ValueError(
                f"{self.name}: both inputs must have at least 2 axes, got {a} and {b}."
            )
        try:
            batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        except ValueError:
            raise ValueError(
                f"{self.name}: the leading axes must broadcast, got {a} and {b}."
            ) from None
        inner = self.infer_product(a, b)
        return Spec((*batch, *inner.shape), inner.dtype)

    def vjp(self, a: Tensor, b: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        if len(b.shape) == 2 and len(a.shape) > 2 and not self.transpose_a:
            return _make_stacked_matmul_grads(a, b, dout, self.transpose_b)
        da, db = super().vjp(a, b, out=out, dout=dout)
        return lambda: _reduce_to_shape(da(), a), lambda: _reduce_to_shape(db(), b)


def _make_stacked_matmul_grads(
    a: Tensor, b: Tensor, dout: Tensor, transpose_b: bool = False
) -> Any:
    """Return the gradient functions of a stack of matrices times a single matrix.

    All rows of the stack form one matrix, so no gradient is summed over the stack.
    """

    def flatten_rows(x: Tensor) -> Tensor:
        """Reshape a stack of matrices to one matrix of all rows."""
        return Reshape()(x, (math.prod(x.shape[:-1]), x.shape[-1]))

    def compute_da() -> Tensor:
        return Reshape()(MatMul(transpose_b=not transpose_b)(flatten_rows(dout), b), a.shape)

    def compute_db() -> Tensor:
        left, right = (dout, a) if transpose_b else (a, dout)
        return MatMul(transpose_a=True)(flatten_rows(left), flatten_rows(right))

    return compute_da, compute_db


def _reduce_to_shape(grad: Tensor, x: Tensor) -> Tensor:
    """Sum a gradient over the broadcast axes of ``x``."""
    return grad if grad.shape == x.shape else ReduceToShape(x.shape)(grad)


class MatMulExt(Primitive):
    """numpy.matmul: vectors are rows (left) or columns (right), leading axes broadcast.

    Inputs of any ranks from 1. Output: as numpy.matmul.

    Source: the behaviour of mindspore.ops.matmul.
    """

    promotion = Promotion((0, 1))

    def infer(self, a: Spec, b: Spec) -> Spec:
        """Return the spec of numpy.matmul; raise ShapeError if lengths do not match, but ValueError
        for two vectors or a 0-d input.
        """
        if not a.shape or not b.shape:
            raise ValueError(f"matmul: both inputs must have at least 1 axis, got {a} and {b}.")
        left, right = self._get_matrix_shapes(a.shape, b.shape)
        if left[-1] != right[-2]:
            raise (ValueError if len(a.shape) == len(b.shape) == 1 else ShapeError)(
                f"matmul: the inner lengths must agree, got {left[-1]} and {right[-2]} from {a} "
                f"and {b}."
            )
        try:
            batch = np.broadcast_shapes(left[:-2], right[:-2])
        except ValueError:
            raise ShapeError(f"matmul: the leading axes must broadcast, got {a} and {b}.") from None
        shape = batch + left[-2:-1] * (len(a.shape) > 1) + right[-1:] * (len(b.shape) > 1)
        return Spec(shape, _check_same_dtype("matmul", a, b))

    @staticmethod
    def _get_matrix_shapes(a: Shape, b: Shape) -> tuple[Shape, Shape]:
        """Return both matrix shapes, with vectors as a row (left) or a column (right)."""
        return (1, *a) if len(a) == 1 else a, (*b, 1) if len(b) == 1 else b

    def kernel(self, a: np.ndarray, b: np.ndarray, *, out: np.ndarray) -> None:
        matmul_into(a, b, out)

    def flops(self, a: Spec, b: Spec) -> int:
        return 2 * self.infer(a, b).size * a.shape[-1]

    def vjp(self, a: Tensor, b: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient functions, which treat vectors as matrices, and sum over broadcast
        axes.
        """
        if len(b.shape) == 2 and len(a.shape) > 2:
            return _make_stacked_matmul_grads(a, b, dout)
        left, right = self._get_matrix_shapes(a.shape, b.shape)
        batch = np.broadcast_shapes(left[:-2], right[:-2])
        dout_matrix = Reshape()(dout, (*batch, left[-2], right[-1]))

        def reduce_grad(grad: Tensor, shape: tuple[int, ...], operand: Tensor) -> Tensor:
            """Sum a gradient to the matrices of ``shape``, and reshape it to the shape of
            ``operand``.
            """
            return Reshape()(_reduce_to_shape(grad, _ShapeHolder(shape)), operand.shape)  # type: ignore[arg-type]

        def compute_da() -> Tensor:
            grad = BatchMatMul(transpose_b=True)(dout_matrix, Reshape()(b, right))
            return reduce_grad(grad, left, a)

        def compute_db() -> Tensor:
            grad = BatchMatMul(transpose_a=True)(Reshape()(a, left), dout_matrix)
            return reduce_grad(grad, right, b)

        return compute_da, compute_db


class _ShapeHolder:
    """A placeholder for a tensor of which only the shape is read."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


class Einsum(Primitive):
    """Sum of products by Einstein's convention.

    Inputs: a tensor for each term of ``equation``. Output: the term after its arrow.

    >>> print(Einsum("ij,jk->ik")((Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]]))))
    [[11.]]
    """

    equation: str
    variadic = True
    promotion = Promotion()

    def check(self) -> None:
        """Normalise the equation: without blanks, and with its output, by default the letters that
        occur once.
        """
        if not isinstance(self.equation, str):
            raise TypeError(f"Einsum: equation must be a str, got {self.equation!r}.")
        equation = self.equation.replace(" ", "")
        if "->" not in equation:
            names = [c for c in equation if c.isalpha()]
            output_letters = "".join(sorted(c for c in set(names) if names.count(c) == 1))
            equation += "->" + ("..." if "..." in equation else "") + output_letters
        self.normalise(equation=equation)

    def _expand_terms(self, *xs: Any) -> tuple[list[str], str]:
        """Return the letters of each input and of the result, with ellipses expanded."""
        left, result = self.equation.split("->")
        terms = left.split(",")
        axis_counts = [len(x.shape) - len(t) + 3 for t, x in zip(terms, xs) if "..." in t]
        unused_letters = [c for c in ascii_letters if c not in self.equation]
        letters = unused_letters[: max(axis_counts, default=0)]  # for the axes of an ellipsis
        for i, x in enumerate(xs[: len(terms)]):
            count = max(len(x.shape) - len(terms[i]) + 3, 0)
            terms[i] = terms[i].replace("...", "".join(letters[len(letters) - count :]))
        return terms, result.replace("...", "".join(letters))

    def _format_equation(self, *xs: Any) -> str:
        """Return the equation with the ellipses expanded for these inputs."""
        terms, result = self._expand_terms(*xs)
        return f"{','.join(terms)}->{result}"

    def infer(self, *xs: Spec) -> Spec:
        """Return the spec of the output, by evaluating the equation on zeros that occupy a single
        byte.
        """
        zeros = [np.broadcast_to(np.int8(0), x.shape) for x in xs]
        try:
            sample = np.einsum(self._format_equation(*xs), *zeros)
        except ValueError as exc:
            actual = f"{self.equation!r} for {', '.join(map(str, xs))} ({exc})"
            raise ValueError(
                checks.format_error("Einsum", "equation", "fit its inputs", actual)
            ) from None
        return Spec(sample.shape, xs[0].dtype)

    def kernel(self, *xs: np.ndarray, out: np.ndarray) -> None:
        np.einsum(self._format_equation(*xs), *xs, out=out, optimize=True)

    def vjp(self, *xs: Tensor, out: Tensor, dout: Tensor) -> Cotangents:
        """Return a gradient function for each input: the product of dout and the other inputs."""
        terms, result = self._expand_terms(*xs)

        def compute_grad(i: int) -> Tensor:
            """Compute the gradient of input i.

            It is on the diagonal of axes with a repeated letter, and broadcast along axes whose
            letter occurs nowhere else.
            """
            x, x_letters = xs[i], ""
            factors = [(result, dout), *((terms[j], xs[j]) for j in range(len(xs)) if j != i)]
            unused = (c for c in ascii_letters if c not in "".join(terms))
            # A repeated letter is renamed, and an identity matrix connects both names.
            for letter, n in zip(terms[i], x.shape, strict=True):
                axis_letter = next(unused) if letter in x_letters else letter
                if axis_letter != letter:
                    factors.append((letter + axis_letter, Tensor(np.eye(n), x.dtype)))
                x_letters += axis_letter
            letters, tensors = zip(*factors)
            reduced_letters = "".join(c for c in x_letters if c in "".join(letters))
            grad = Einsum(f"{','.join(letters)}->{reduced_letters}")(tensors)
            sizes = dict(zip(reduced_letters, grad.shape, strict=True))
            grad = Reshape()(grad, tuple(sizes.get(c, 1) for c in x_letters))
            reduced_shape = tuple(n if sizes.get(c) == n else 1 for c, n in zip(x_letters, x.shape))
            return BroadcastTo(x.shape)(ReduceToShape(reduced_shape)(grad))

        return tuple((lambda i=i: compute_grad(i)) for i in range(len(xs)))


# -- functions -------------------------------------------------------------------------------------


@method("matmul")
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return numpy.matmul of two tensors with at least one axis each.

    >>> print(matmul(Tensor([[1.0, 2.0]]), Tensor([3.0, 4.0])))
    [11.]
    """
    return MatMulExt()(input, other)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of two matrices."""
    return MatMul()(input, mat2)


@method("bmm")
def bmm(input_x: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of two stacks of matrices: (B, M, K) @ (B, K, N)."""
    return BatchMatMul()(input_x, mat2)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Return the outer product of two vectors: each element of ``input`` times ``vec2``."""
    return Mul()(Reshape()(input, (-1, 1)), vec2)


def einsum(equation: str, *operands: Any) -> Tensor:
    """Sum products by Einstein's convention; see :class:`Einsum`."""
    is_sequence = len(operands) == 1 and isinstance(operands[0], tuple | list)
    return Einsum(equation)(tuple(operands[0]) if is_sequence else operands)


def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """Return beta * input + alpha * (mat1 @ mat2)."""
    check_arithmetic_operands("addmm", input=input)
    return input * beta + MatMul()(mat1, mat2) * alpha


def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, beta: float = 1, alpha: float = 1
) -> Tensor:
    """Return beta * input + alpha * (batch1 @ batch2) for stacks of matrices."""
    check_arithmetic_operands("baddbmm", input=input)
    return input * beta + BatchMatMul()(batch1, batch2) * alpha
