# Written by python -m tests.typing.stubs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from minispore.core.tensor import Tensor
from minispore.mint import arrangement as arrangement
from minispore.mint import creation as creation
from minispore.mint import distributed as distributed
from minispore.mint import elementwise as elementwise
from minispore.mint import linalg as linalg
from minispore.mint import matrices as matrices
from minispore.mint import nn as nn
from minispore.mint import optim as optim
from minispore.mint import reduction as reduction
from minispore.mint import special as special
from minispore.mint.nn import functional as functional

def abs(input: Tensor) -> Tensor:
    """|input|; the modulus of a complex input stays complex (``ComplexAbs`` is real). The slope at 0
    is 0.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def acos(input: Tensor) -> Tensor:
    """The angle in [0, pi] whose cosine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def acosh(input: Tensor) -> Tensor:
    """The number >= 0 whose hyperbolic cosine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def add(input: Any, other: Any, *, alpha: Any = ...) -> Tensor:
    """input + alpha * other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = ..., alpha: Any = ...) -> Tensor:
    """beta * input + alpha * the sum of batch1[i] @ batch2[i].

    Args:
        input (Tensor): floats, integers and complex64.
        batch1 (Tensor): a stack of matrices (B, M, N).
        batch2 (Tensor): a stack of matrices (B, M, N).
        beta (number): the factor of the first operand. Default: 1.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``input``; int64 for int32 and uint8."""
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = ...) -> Tensor:
    """input + value * tensor1 / tensor2.

    Args:
        input (Tensor): floats and int64.
        tensor1 (Tensor): one of the two whose product or quotient is added.
        tensor2 (Tensor): one of the two whose product or quotient is added.
        value (Tensor or number): what is written or filled in. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = ...) -> Tensor:
    """input + value * tensor1 * tensor2.

    Args:
        input (Tensor): floats and integers.
        tensor1 (Tensor): one of the two whose product or quotient is added.
        tensor2 (Tensor): one of the two whose product or quotient is added.
        value (Tensor or number): what is written or filled in. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = ..., alpha: float = ...) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2).

    Args:
        input (Tensor): floats, integers and complex64.
        mat1 (Tensor): a matrix (M, N), or several.
        mat2 (Tensor): a matrix (M, N), or several.
        beta (number): the factor of the first operand. Default: 1.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = ..., alpha: Any = ...) -> Tensor:
    """beta * input + alpha * mat @ vec.

    Args:
        input (Tensor): floats, integers and complex64.
        mat (Tensor): a matrix (M, N), or several.
        vec (Tensor): a vector.
        beta (number): the factor of the first operand. Default: 1.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, beta: Any = ..., alpha: Any = ...) -> Tensor:
    """Set ``input`` to beta * input + alpha * outer(vec1, vec2), in place.

    Args:
        input (Tensor): any dtype.
        vec1 (Tensor): a vector.
        vec2 (Tensor): a vector.
        beta (number): the factor of the first operand. Default: 1.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def all(input: Tensor, dim: Any = ..., keepdim: bool = ...) -> Tensor:
    """Whether all elements along ``dim`` are true.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor, bool."""
def allclose(input: Tensor, other: Tensor, rtol: float = ..., atol: float = ..., equal_nan: bool = ...) -> bool:
    """Whether all elements are close within the tolerances of ``isclose``.

    Args:
        input (Tensor): what is computed on.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
        rtol (float): how much they may differ, as a part of the second. Default: 1e-05.
        atol (float): how much they may differ beside that. Default: 1e-08.
        equal_nan (bool): whether nan equals nan. Default: False.

    Returns:
        bool."""
def amax(input: Tensor, dim: Any = ..., keepdim: bool = ...) -> Tensor:
    """The greatest element along ``dim``; equal ones share the gradient.

    Args:
        input (Tensor): floats and integers.
        dim (int): the axis along which it works; negative ones count from the last. Default: ().
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def amin(input: Tensor, dim: Any = ..., keepdim: bool = ...) -> Tensor:
    """The smallest element along ``dim``; equal ones share the gradient.

    Args:
        input (Tensor): floats and integers.
        dim (int): the axis along which it works; negative ones count from the last. Default: ().
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def any(input: Tensor, dim: Any = ..., keepdim: bool = ...) -> Tensor:
    """Whether any element along ``dim`` is true.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``; bool for floats, int32, int64 and complex64."""
def arange(start: Any = ..., end: Any = ..., step: Any = ..., *, dtype: Any = ...) -> Tensor:
    """Return start, start + step, ... below ``end``; with one argument, from 0 below it.

    Args:
        start (number): the first. Default: 0.
        end (number): where it ends. Default: None.
        step (number): from one to the next. Default: 1.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, int64."""
def arccos(input: Tensor) -> Tensor:
    """The angle in [0, pi] whose cosine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def arccosh(input: Tensor) -> Tensor:
    """The number >= 0 whose hyperbolic cosine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def arcsin(x: Tensor) -> Tensor:
    """The angle in [-pi/2, pi/2] whose sine is x.

    Args:
        x (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def arcsinh(input: Tensor) -> Tensor:
    """The number whose hyperbolic sine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def arctan(input: Tensor) -> Tensor:
    """The angle in (-pi/2, pi/2) whose tangent is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def arctan2(input: Any, other: Any) -> Tensor:
    """The angle in (-pi, pi] of the point (other, input): atan(input / other), in the right quadrant.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def arctanh(input: Tensor) -> Tensor:
    """The number whose hyperbolic tangent is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def argmax(input: Tensor, dim: int | None = ..., keepdim: bool = ...) -> Tensor:
    """The index (int64) of the greatest element along ``dim``, or in the flattened tensor.

    Args:
        input (Tensor): floats, integers and bool.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor, int64."""
def argmin(input: Tensor, dim: int | None = ..., keepdim: bool = ...) -> Tensor:
    """The index (int64) of the smallest element along ``dim``, or in the flattened tensor.

    Args:
        input (Tensor): floats, integers and bool.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor, int64."""
def argsort(input: Tensor, dim: int = ..., descending: bool = ..., stable: bool = ...) -> Tensor:
    """The indices (int64) that sort ``input`` along ``dim``.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last. Default: -1.
        descending (bool): whether the greatest comes first. Default: False.
        stable (bool): whether equal elements keep their order. Default: False.

    Returns:
        Tensor, int64."""
def asin(input: Tensor) -> Tensor:
    """The angle in [-pi/2, pi/2] whose sine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def asinh(input: Tensor) -> Tensor:
    """The number whose hyperbolic sine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def atan(input: Tensor) -> Tensor:
    """The angle in (-pi/2, pi/2) whose tangent is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def atan2(input: Any, other: Any) -> Tensor:
    """The angle in (-pi, pi] of the point (other, input): atan(input / other), in the right quadrant.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def atanh(input: Tensor) -> Tensor:
    """The number whose hyperbolic tangent is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = ..., alpha: Any = ...) -> Tensor:
    """beta * input + alpha * batch1 @ batch2.

    Args:
        input (Tensor): floats, integers and complex64.
        batch1 (Tensor): a stack of matrices (B, M, N).
        batch2 (Tensor): a stack of matrices (B, M, N).
        beta (number): the factor of the first operand. Default: 1.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def bernoulli(input: Tensor, *, generator: Any = ...) -> Tensor:
    """1 with the probability that each element states, else 0.

    Args:
        input (Tensor): floats.
        generator: the stream of random numbers; None draws from the global one. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def bincount(input: Tensor, weights: Tensor | None = ..., minlength: int = ...) -> Tensor:
    """The number of occurrences of each of 0, 1, ... (int64), or the sum of their weights.

    Args:
        input (Tensor): integers.
        weights (Tensor): how much each element counts. Default: None.
        minlength (int): the least length of the result. Default: 0.

    Returns:
        Tensor, int64."""
def bitwise_and(input: Any, other: Any) -> Tensor:
    """input & other.

    Args:
        input (Tensor): integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def bitwise_not(input: Tensor) -> Tensor:
    """~input.

    Args:
        input (Tensor): integers and bool.

    Returns:
        Tensor of the dtype of ``input``."""
def bitwise_or(input: Any, other: Any) -> Tensor:
    """input | other.

    Args:
        input (Tensor): integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def bitwise_xor(input: Any, other: Any) -> Tensor:
    """input ^ other.

    Args:
        input (Tensor): integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The matrix products of two batches of matrices (B, M, K) and (B, K, N).

    Args:
        input (Tensor): floats, integers and complex64.
        mat2 (Tensor): a matrix (M, N), or several.

    Returns:
        Tensor of the dtype of ``input``."""
def broadcast_to(input: Tensor, shape: Any) -> Tensor:
    """Repeat ``input`` along axes of length 1 to ``shape``.

    Args:
        input (Tensor): any dtype.
        shape (tuple of int): of the result; -1 keeps an axis as it is.

    Returns:
        Tensor of the dtype of ``input``."""
def cat(tensors: Any, dim: int = ...) -> Tensor:
    """Tensors one after the other along ``dim``.

    Args:
        tensors (tuple or list of Tensor): the tensors.
        dim (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        Tensor, int64."""
def cdist(x1: Tensor, x2: Tensor, p: float = ..., compute_mode: str = ...) -> Tensor:
    """The p-norm distance of each row of ``x1`` from each row of ``x2``.

    Args:
        x1 (Tensor): points (..., P, M) and (..., R, M); floats.
        x2 (Tensor): points (..., P, M) and (..., R, M).
        p (float): the power of the distance. Default: 2.0.
        compute_mode (str): kept for PyTorch's sake. Default: 'use_mm_for_euclid_dist_if_necessary'.

    Returns:
        Tensor of the dtype of ``x1``."""
def ceil(input: Tensor) -> Tensor:
    """The smallest whole number >= input.

    Args:
        input (Tensor): floats and integers.

    Returns:
        Tensor of the dtype of ``input``."""
def chunk(input: Tensor, chunks: int, dim: int = ...) -> tuple[Tensor, ...]:
    """At most ``chunks`` parts along ``dim``.

    Args:
        input (Tensor): what is computed on.
        chunks (int): how many parts.
        dim (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        tuple of 1 Tensors, each float32."""
def clamp(input: Tensor, min: Any = ..., max: Any = ...) -> Tensor:
    """Clamp ``input`` between ``min`` and ``max``, tensors or numbers; either may be left
    out.

    Args:
        input (Tensor): floats and integers.
        min (Tensor or number): the least. Default: None.
        max (Tensor or number): the greatest. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def clip(input: Tensor, min: Any = ..., max: Any = ...) -> Tensor:
    """Clamp ``input`` between ``min`` and ``max``, tensors or numbers; either may be left
    out.

    Args:
        input (Tensor): floats and integers.
        min (Tensor or number): the least. Default: None.
        max (Tensor or number): the greatest. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def clone(input: Tensor) -> Tensor:
    """A copy of ``input`` that gradients pass through.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def concat(tensors: Any, dim: int = ...) -> Tensor:
    """Tensors one after the other along ``dim``.

    Args:
        tensors (tuple or list of Tensor): the tensors.
        dim (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        Tensor, int64."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: Any = ..., padding: Any = ..., dilation: Any = ..., groups: int = ...) -> Tensor:
    """Convolve (N, C, H, W) with (F, C/groups, KH, KW).

    Args:
        input (Tensor): floats and complex64.
        weight (Tensor): the weights.
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        groups (int): into how many groups the channels are split. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = ...) -> Tensor:
    """Convolve (L, N, C) with (K, C, F) along the first axis.

    Args:
        input (Tensor): floats and complex64.
        weight (Tensor): the weights.
        bias (Tensor): what is added to each output channel; None adds nothing.
        pad (int or tuple of int): how much is added at each side, where the mode is "pad". Default:
            0.

    Returns:
        Tensor of the dtype of ``input``."""
def cos(input: Tensor) -> Tensor:
    """The cosine of input (radians).

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def cosh(input: Tensor) -> Tensor:
    """The hyperbolic cosine of input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def count_nonzero(input: Tensor, dim: Any = ...) -> Tensor:
    """The number of non-zero elements along ``dim`` (int64).

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.

    Returns:
        Tensor, int64."""
def cross(input: Tensor, other: Tensor, dim: int | None = ...) -> Tensor:
    """The cross product of vectors of length 3 along ``dim`` (by default the first such axis).

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def cummax(input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """The greatest element up to each one along ``dim``, and its index.

    Args:
        input (Tensor): what is computed on.
        dim (int): the axis along which it works; negative ones count from the last.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def cummin(input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """The smallest element up to each one along ``dim``, and its index.

    Args:
        input (Tensor): what is computed on.
        dim (int): the axis along which it works; negative ones count from the last.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def cumprod(input: Tensor, dim: int, dtype: Any = ...) -> Tensor:
    """The product of all elements up to each one along ``dim``; integers as int64.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``; int64 for int32, uint8 and bool."""
def cumsum(input: Tensor, dim: int, dtype: Any = ...) -> Tensor:
    """The sum of all elements up to each one along ``dim``; integers are summed as int64.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``; int64 for int32, uint8 and bool."""
def diag(input: Tensor, diagonal: int = ...) -> Tensor:
    """A vector on diagonal ``diagonal`` of a matrix, or that diagonal of a matrix.

    Args:
        input (Tensor): any dtype.
        diagonal (int): which diagonal. Default: 0.

    Returns:
        Tensor of the dtype of ``input``."""
def diff(input: Tensor, n: int = ..., dim: int = ..., prepend: Any = ..., append: Any = ...) -> Tensor:
    """The difference of each element and the one before it along ``dim``, taken ``n`` times.

    Args:
        input (Tensor): any dtype.
        n (int): how many. Default: 1.
        dim (int): the axis along which it works; negative ones count from the last. Default: -1.
        prepend (Tensor): what is put before, or after, the input along the axis first. Default:
            None.
        append (Tensor): what is put before, or after, the input along the axis first. Default:
            None.

    Returns:
        Tensor of the dtype of ``input``."""
def div(input: Any, other: Any, *, rounding_mode: str | None = ...) -> Tensor:
    """Divide input by other; with ``rounding_mode`` "floor" or "trunc" round to integers.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
        rounding_mode (str): None, "floor" or "trunc". Default: None.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def divide(input: Any, other: Any, *, rounding_mode: str | None = ...) -> Tensor:
    """Divide input by other; with ``rounding_mode`` "floor" or "trunc" round to integers.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
        rounding_mode (str): None, "floor" or "trunc". Default: None.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def dot(input: Tensor, other: Tensor) -> Tensor:
    """Sum of products over the last axis of ``input`` and the last but one of ``other``.

    Args:
        input (Tensor): floats, integers and complex64.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def dstack(tensors: Any) -> Tensor:
    """Join tensors along axis 2.

    Args:
        tensors (tuple or list of Tensor): the tensors.

    Returns:
        Tensor, int64."""
def einsum(equation: str, *operands: Any) -> Tensor:
    """Sum of products by Einstein's convention, see ``Einsum``.

    Args:
        equation (str): letters for the axes of each tensor, as "ij,jk->ik".
        *operands (Tensor): a tensor for each group of letters; any dtype.

    Returns:
        Tensor of the dtype of ``operands``."""
def empty(*size: Any, dtype: Any = ..., device: str | None = ..., pin_memory: bool = ...) -> Tensor:
    """A tensor whose content is unspecified; it holds zeros.

    Args:
        *size (int): the lengths of the result, one argument each or as one tuple.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.
        device (str | None): kept for MindSpore's sake: there is one memory. Default: None.
        pin_memory (bool): kept for MindSpore's sake: there is one memory. Default: False.

    Returns:
        Tensor, float32."""
def empty_like(input: Tensor, *, dtype: Any = ..., device: str | None = ..., pin_memory: bool = ...) -> Tensor:
    """``empty`` in the shape and dtype of ``input``.

    Args:
        input (Tensor): any dtype.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.
        device (str | None): kept for MindSpore's sake: there is one memory. Default: None.
        pin_memory (bool): kept for MindSpore's sake: there is one memory. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def eq(input: Any, other: Any) -> Tensor:
    """input == other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements.

    Args:
        input (Tensor): what is computed on.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        bool."""
def erf(input: Tensor) -> Tensor:
    """2 / sqrt(pi) * integral of e^(-t^2) from 0 to input.

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def erfc(input: Tensor) -> Tensor:
    """1 - erf(input).

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def erfinv(input: Tensor) -> Tensor:
    """The number whose erf is input; infinite at -1 and 1, nan beyond.

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def exp(input: Tensor) -> Tensor:
    """e^input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def exp2(input: Tensor) -> Tensor:
    """2 ^ input, in the dtype of floats.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def expm1(input: Tensor) -> Tensor:
    """e^input - 1, exact for small input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def eye(n: int, m: int | None = ..., dtype: Any = ...) -> Tensor:
    """Return an (n, m) matrix with 1 on the diagonal, 0 elsewhere; float32 by default.

    Args:
        n (int): how many rows.
        m (int): how many columns; None takes as many as rows. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, int32."""
def fix(input: Tensor) -> Tensor:
    """input without its fraction.

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``."""
def flatten(input: Tensor, start_dim: int = ..., end_dim: int = ...) -> Tensor:
    """``input`` with the axes from ``start_dim`` to ``end_dim`` as one.

    Args:
        input (Tensor): any dtype.
        start_dim (int): the first and the last of the axes that become one. Default: 0.
        end_dim (int): the first and the last of the axes that become one. Default: -1.

    Returns:
        Tensor of the dtype of ``input``."""
def flip(input: Tensor, dims: Any) -> Tensor:
    """Reverse the order of elements of ``input`` along ``dims``, a tuple or list of ints.

    Args:
        input (Tensor): any dtype.
        dims (tuple of int): the axes along which it works; negative ones count from the last.

    Returns:
        Tensor of the dtype of ``input``."""
def float_power(input: Any, exponent: Any) -> Tensor:
    """Compute input ^ exponent in float64, or in complex128 if one of them is complex.

    Args:
        input (Tensor): any dtype.
        exponent (Tensor or number): the power.

    Returns:
        Tensor of the dtype of ``input``; float64 for integers, float16, float32 and bool,
        complex128 for complex64."""
def floor(input: Tensor) -> Tensor:
    """The greatest whole number <= input.

    Args:
        input (Tensor): floats and integers.

    Returns:
        Tensor of the dtype of ``input``."""
def floor_divide(input: Any, other: Any) -> Tensor:
    """The floor of input / other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def fmod(input: Any, other: Any) -> Tensor:
    """The remainder of input / other truncated, with the sign of input (C's ``fmod``).

    ``Mod`` of ``input`` and ``other``. With a 0-d tensor, a number is an int64 or float32.
    A 0-d ``other`` is cast to the dtype of ``input`` if both are integers or neither is.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def frac(input: Tensor) -> Tensor:
    """The fractional part of ``input``.

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def full(size: Any, fill_value: Any, *, dtype: Any = ...) -> Tensor:
    """``fill_value`` in the shape ``size``, in its own dtype or ``dtype``.

    Args:
        size (tuple of int): of the result.
        fill_value (number): what all elements are.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, float32."""
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = ...) -> Tensor:
    """Return ``fill_value`` in the shape of ``input``, in its dtype or ``dtype``.

    Args:
        input (Tensor): any dtype.
        fill_value (number): what all elements are.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The elements at ``index`` along ``dim``.

    Args:
        input (Tensor): integers.
        dim (int): the axis that the indices count along.
        index (Tensor): whole numbers that say where.

    Returns:
        Tensor of the dtype of ``input``."""
def gcd(input: Any, other: Any) -> Tensor:
    """The greatest common divisor of input and other.

    Args:
        input (Tensor): integers.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def ge(input: Any, other: Any) -> Tensor:
    """input >= other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def greater(input: Any, other: Any) -> Tensor:
    """input > other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def greater_equal(input: Any, other: Any) -> Tensor:
    """input >= other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def gt(input: Any, other: Any) -> Tensor:
    """input > other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def histc(input: Tensor, bins: int = ..., min: float = ..., max: float = ...) -> Tensor:
    """The number of elements in each of ``bins`` equal parts of [min, max], or of their range.

    Args:
        input (Tensor): any dtype.
        bins (int or Tensor): how many intervals, or their bounds. Default: 100.
        min (Tensor or number): the least. Default: 0.
        max (Tensor or number): the greatest. Default: 0.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def hstack(tensors: Any) -> Tensor:
    """Join tensors side by side: along axis 1, vectors along axis 0.

    Args:
        tensors (tuple or list of Tensor): the tensors.

    Returns:
        Tensor, int64."""
def imag(input: Tensor) -> Tensor:
    """The imaginary part; 0 for a real input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for complex64."""
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = ...) -> Tensor:
    """``input`` with alpha times the slices of ``source`` added to the slices ``index``.

    Args:
        input (Tensor): floats, integers and complex64.
        dim (int): the axis along which it works; negative ones count from the last.
        index (Tensor): whole numbers that say where.
        source (Tensor): where the elements come from.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices ``index`` along ``dim``.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis that the indices count along.
        index (Tensor): whole numbers that say where.

    Returns:
        Tensor of the dtype of ``input``."""
def inverse(input: Tensor) -> Tensor:
    """The inverse of each matrix, or (``adjoint``) of its conjugate transpose.

    Args:
        input (Tensor): floats and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def isclose(input: Tensor, other: Any, rtol: float = ..., atol: float = ..., equal_nan: bool = ...) -> Tensor:
    """|input - other| <= atol + rtol * |other|.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
        rtol (float): how much they may differ, as a part of the second. Default: 1e-05.
        atol (float): how much they may differ beside that. Default: 1e-08.
        equal_nan (bool): whether nan equals nan. Default: False.

    Returns:
        Tensor, bool."""
def isfinite(input: Tensor) -> Tensor:
    """Whether input is neither infinite nor nan.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor, bool."""
def isinf(input: Tensor) -> Tensor:
    """Whether input is infinite.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor, bool."""
def isnan(tensor: Tensor) -> Tensor:
    """Whether ``tensor`` is not a number.

    Args:
        tensor (Tensor): any dtype.

    Returns:
        Tensor, bool."""
def isneginf(input: Tensor) -> Tensor:
    """Whether ``input`` is -inf.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor, bool."""
def item(input: Tensor) -> Any:
    """The only element of ``input`` as a Python number.

    Args:
        input (Tensor): what is computed on.

    Returns:
        float."""
def kthvalue(input: Tensor, k: int, dim: int = ..., keepdim: bool = ...) -> tuple[Tensor, Tensor]:
    """The ``k``-th smallest element along ``dim``, and its index.

    Args:
        input (Tensor): what is computed on.
        k (int): which diagonal: 0 the main one, above it positive, below negative.
        dim (int): the axis along which it works; negative ones count from the last. Default: -1.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def le(input: Any, other: Any) -> Tensor:
    """input <= other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """input + weight * (end - input); the weight may be a number.

    ``Lerp``: input + weight * (end - input), of the dtype of ``input``.

    Args:
        input (Tensor): where the weight is 0; floats, integers and bool.
        end (Tensor): where the weight is 1.
        weight (Tensor or float): how far from the start to the end.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def less(input: Any, other: Any) -> Tensor:
    """input < other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def less_equal(input: Any, other: Any) -> Tensor:
    """input <= other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def linspace(start: Any, end: Any, steps: int, *, dtype: Any = ...) -> Tensor:
    """``steps`` numbers evenly spaced from ``start`` to ``end``; float32 by default.

    Args:
        start (number): the first.
        end (number): where it ends.
        steps (int): how many.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, float32."""
def log(input: Tensor) -> Tensor:
    """The natural logarithm of input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def log10(input: Tensor) -> Tensor:
    """Compute the logarithm to base 10.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def log1p(input: Tensor) -> Tensor:
    """log(1 + input), exact for small input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def log2(input: Tensor) -> Tensor:
    """Compute the logarithm to base 2.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """Compute log(e^input + e^other), without overflow.

    Args:
        input (Tensor): floats and integers.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers."""
def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """Compute log2(2^input + 2^other), without overflow.

    Args:
        input (Tensor): floats and integers.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers."""
def logical_and(input: Any, other: Any) -> Tensor:
    """input and other; numbers count as ``input != 0``.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def logical_not(input: Tensor) -> Tensor:
    """not input; numbers count as ``input != 0``.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor, bool."""
def logical_or(input: Any, other: Any) -> Tensor:
    """input or other; numbers count as ``input != 0``.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def logical_xor(input: Any, other: Any) -> Tensor:
    """Either input or other, not both.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def logsumexp(input: Tensor, dim: Any, keepdim: bool = ...) -> Tensor:
    """log(sum(exp(input))) along ``dim``.

    Args:
        input (Tensor): floats and integers.
        dim (int): the axis along which it works; negative ones count from the last.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers."""
def lt(input: Any, other: Any) -> Tensor:
    """input < other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements of ``input`` where ``mask`` holds.

    Args:
        input (Tensor): bool.
        mask (Tensor): bool; where it works.

    Returns:
        Tensor, bool."""
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """numpy.matmul of two tensors of any ranks from 1.

    Args:
        input (Tensor): floats, integers and complex64.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def max(input: Tensor, dim: Any = ..., keepdim: bool = ..., *, other: Any = ...) -> Any:
    """The greatest element; with an int ``dim``, along it, with its index; with a tensor, float or
    bool, the greater of both for each element.

    Args:
        input (Tensor): floats and integers.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
            Default: None.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def maximum(input: Any, other: Any) -> Tensor:
    """The greater of input and other; where they are equal, each gets half of the gradient.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def mean(input: Tensor, dim: Any = ..., keepdim: bool = ..., *, dtype: Any = ...) -> Tensor:
    """The mean along ``dim``.

    Args:
        input (Tensor): floats, integers and complex64.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def median(input: Tensor, dim: int | None = ..., keepdim: bool = ...) -> Any:
    """The median (the lower of two middle ones); with ``dim``, along it, with its index.

    Args:
        input (Tensor): floats and integers.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def meshgrid(*tensors: Any, indexing: str | None = ...) -> tuple[Tensor, ...]:
    """The coordinates of a grid spanned by vectors, indexed "ij" (the default) or "xy".

    Args:
        *tensors (Tensor): the tensors, one argument each.
        indexing (str): "xy" as in pictures, or "ij" as in matrices. Default: None.

    Returns:
        tuple of 2 Tensors, each int64."""
def min(input: Tensor, dim: Any = ..., keepdim: bool = ..., *, other: Any = ...) -> Any:
    """The smallest element; with an int ``dim``, along it, with its index; with a tensor, float or
    bool, the smaller of both for each element.

    Args:
        input (Tensor): floats and integers.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
            Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def minimum(input: Any, other: Any) -> Tensor:
    """The smaller of input and other; where they are equal, each gets half of the gradient.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices.

    Args:
        input (Tensor): floats, integers and complex64.
        mat2 (Tensor): a matrix (M, N), or several.

    Returns:
        Tensor of the dtype of ``input``."""
def mul(input: Any, other: Any) -> Tensor:
    """input * other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def multinomial(input: Tensor, num_samples: int, replacement: bool = ..., *, generator: Any = ...) -> Tensor:
    """``num_samples`` category numbers (int64) drawn by the weights in each row of ``input``.

    Args:
        input (Tensor): how often each is drawn, not necessarily with sum 1; floats and bool.
        num_samples (int): how many are drawn.
        replacement (bool): whether an element can be drawn twice. Default: False.
        generator: the stream of random numbers; None draws from the global one. Default: None.

    Returns:
        Tensor, int64."""
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector.

    Args:
        input (Tensor): floats, integers and complex64.
        vec (Tensor): a vector.

    Returns:
        Tensor of the dtype of ``input``."""
def nan_to_num(input: Tensor, nan: float | None = ..., posinf: float | None = ..., neginf: float | None = ...) -> Tensor:
    """input with nan replaced by 0, and infinities by the largest finite numbers, or by the attributes.

    Args:
        input (Tensor): floats.
        nan (float): what stands for nan; None is 0. Default: None.
        posinf (float): what stands for the infinity; None is the greatest or the least number of
            the dtype. Default: None.
        neginf (float): what stands for the infinity; None is the greatest or the least number of
            the dtype. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def nansum(input: Tensor, dim: Any = ..., keepdim: bool = ..., *, dtype: Any = ...) -> Tensor:
    """The sum along ``dim``, with NaN counted as 0.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """``length`` slices along ``dim`` from ``start``.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last.
        start (int): where it starts.
        length (int): how long.

    Returns:
        Tensor of the dtype of ``input``."""
def ne(input: Any, other: Any) -> Tensor:
    """input != other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def neg(input: Tensor) -> Tensor:
    """-input.

    Args:
        input (Tensor): floats, integers and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def negative(input: Tensor) -> Tensor:
    """-input.

    Args:
        input (Tensor): floats, integers and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def nonzero(input: Tensor, *, as_tuple: bool = ...) -> Any:
    """The coordinates of the elements that are not zero: a row for each, or a vector per axis.

    Args:
        input (Tensor): any dtype.
        as_tuple (bool): whether each axis comes as a tensor of its own. Default: False.

    Returns:
        Tensor, int64."""
def norm(input: Tensor, p: Any = ..., dim: Any = ..., keepdim: bool = ..., *, dtype: Any = ...) -> Tensor:
    """The p-norm of the elements along ``dim`` (all of them); "fro" is the 2-norm, "nuc" nuclear.

    Args:
        input (Tensor): any dtype.
        p (float): the power of the norm. Default: 'fro'.
        dim: the axes; by default all of them, as one vector (as a matrix, if A is one and ord says
            a matrix norm).
        keepdim (bool): keep the axes with length 1. Default: False.
        dtype: what to convert A to before. Default: None.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def normal(mean: Any = ..., std: Any = ..., size: Any = ..., generator: Any = ...) -> Tensor:
    """Normal numbers around ``mean`` with deviation ``std``, in ``size`` or in their shape.

    Args:
        mean (Tensor or float): the mean; any dtype. Default: 0.0.
        std (Tensor or float): the standard deviation. Default: 1.0.
        size (tuple of int): of the result. Default: None.
        generator: the stream of random numbers; None draws from the global one. Default: None.

    Returns:
        Tensor of the dtype of ``mean``; float32 for integers, float16 and bool."""
def not_equal(input: Any, other: Any) -> Tensor:
    """input != other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def ones(size: Any, *, dtype: Any = ...) -> Tensor:
    """1 in the shape ``size``; float32 by default.

    Args:
        size (tuple of int): of the result; floats, integers and complex64.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, float32."""
def ones_like(input: Tensor, *, dtype: Any = ...) -> Tensor:
    """Return ones in the shape of ``input``, in its dtype or ``dtype``.

    Args:
        input (Tensor): any dtype.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Each element of ``input`` times ``vec2``: the outer product of two vectors.

    Args:
        input (Tensor): any dtype.
        vec2 (Tensor): a vector.

    Returns:
        Tensor of the dtype of ``input``."""
def permute(input: Tensor, dims: Any) -> Tensor:
    """``input`` with its axes in the order ``dims``.

    Args:
        input (Tensor): any dtype.
        dims (tuple of int): the axes along which it works; negative ones count from the last.

    Returns:
        Tensor of the dtype of ``input``."""
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """abs * (cos(angle) + sin(angle) * 1j).

    Args:
        abs (Tensor): of the complex numbers; integers, float32, float64 and bool.
        angle (Tensor): of the complex numbers.

    Returns:
        Tensor, complex64 for integers, float32 and bool, complex128 for float64."""
def pow(input: Any, exponent: Any) -> Tensor:
    """input^exponent.

    Args:
        input (Tensor): any dtype.
        exponent (Tensor or number): the power.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def prod(input: Tensor, dim: Any = ..., keepdim: bool = ..., *, dtype: Any = ...) -> Tensor:
    """The product along ``dim``; integers are multiplied as int64.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``; int64 for int32, uint8 and bool."""
def rand(*size: Any, generator: Any = ..., dtype: Any = ..., device: str | None = ...) -> Tensor:
    """Uniform numbers in [0, 1).

    Args:
        *size (int): the lengths of the result, one argument each or as one tuple.
        generator: the stream of random numbers; None draws from the global one. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.
        device (str | None): kept for MindSpore's sake: there is one memory. Default: None.

    Returns:
        Tensor, float32."""
def rand_like(input: Tensor, *, dtype: Any = ..., device: str | None = ...) -> Tensor:
    """Uniform numbers in [0, 1) in the shape of ``input``.

    Args:
        input (Tensor): floats.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.
        device (str | None): kept for MindSpore's sake: there is one memory. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def randint(*args: Any, generator: Any = ..., dtype: Any = ..., device: str | None = ...) -> Tensor:
    """Integers in [low, high): ``randint(high, size)`` or ``randint(low, high, size)``; int64 or
    another ``dtype``, also of floats.

    Args:
        *args (Tensor): the tensors, one argument each.
        generator: the stream of random numbers; None draws from the global one. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.
        device (str | None): kept for MindSpore's sake: there is one memory. Default: None.

    Returns:
        Tensor, int64."""
def randint_like(*args: Any, dtype: Any = ..., device: str | None = ...) -> Tensor:
    """Integers in [low, high) in the shape of ``input``: ``randint_like(input, [low,] high)``.

    Args:
        *args (Tensor): the tensors, one argument each; any dtype.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.
        device (str | None): kept for MindSpore's sake: there is one memory. Default: None.

    Returns:
        Tensor of the dtype of ``args``."""
def randn(*size: Any, generator: Any = ..., dtype: Any = ..., device: str | None = ...) -> Tensor:
    """Numbers of the standard normal distribution.

    Args:
        *size (int): the lengths of the result, one argument each or as one tuple.
        generator: the stream of random numbers; None draws from the global one. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.
        device (str | None): kept for MindSpore's sake: there is one memory. Default: None.

    Returns:
        Tensor, float32."""
def randn_like(input: Tensor, *, dtype: Any = ..., device: str | None = ...) -> Tensor:
    """Numbers of the standard normal distribution in the shape of ``input``.

    Args:
        input (Tensor): floats.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.
        device (str | None): kept for MindSpore's sake: there is one memory. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def randperm(n: int, *, generator: Any = ..., dtype: Any = ...) -> Tensor:
    """The numbers 0 to n - 1 in random order.

    Args:
        n (int): how many numbers there are.
        generator: the stream of random numbers; None draws from the global one. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: mindspore.int64.

    Returns:
        Tensor, int64."""
def ravel(input: Tensor) -> Tensor:
    """Merge all axes into one.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def real(input: Tensor) -> Tensor:
    """The real part; a real input as it is.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for complex64."""
def reciprocal(input: Tensor) -> Tensor:
    """1 / input; integers give float32.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def remainder(input: Any, other: Any) -> Tensor:
    """input - other * floor(input / other), with the sign of other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = ..., *, output_size: int | None = ...) -> Tensor:
    """Each slice along ``dim`` repeated; without ``dim``, each element of the flattened tensor.

    Args:
        input (Tensor): the tensor; integers.
        repeats: how often.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        output_size (int | None): how many slices that makes, if known. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The same elements in ``shape``.

    Args:
        input (Tensor): any dtype.
        *shape (int): the lengths of the result, one argument each or as one tuple.

    Returns:
        Tensor of the dtype of ``input``."""
def roll(input: Tensor, shifts: Any, dims: Any = ...) -> Tensor:
    """Shift ``input`` along ``dims``; elements that leave at one end enter at the other.

    Args:
        input (Tensor): any dtype.
        shifts (int or tuple of int): how far each axis moves.
        dims (int or tuple of int): which axes. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def round(input: Tensor, *, decimals: int = ...) -> Tensor:
    """``input`` rounded to ``decimals`` digits, halves to even.

    Args:
        input (Tensor): floats and integers.
        decimals (int): how many places behind the point stay. Default: 0.

    Returns:
        Tensor of the dtype of ``input``."""
def rsqrt(input: Tensor) -> Tensor:
    """1 / sqrt(input).

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def scatter(input: Tensor, dim: int, index: Tensor, src: Any) -> Tensor:
    """``input`` with ``src`` (a tensor or number) at ``index`` along ``dim``.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last.
        index (Tensor): whole numbers that say where.
        src (Tensor): where the elements come from.

    Returns:
        Tensor of the dtype of ``input``."""
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """``input`` with ``src`` added at ``index`` along ``dim``.

    Args:
        input (Tensor): int32 and int64.
        dim (int): the axis along which it works; negative ones count from the last.
        index (Tensor): whole numbers that say where.
        src (Tensor): where the elements come from.

    Returns:
        Tensor of the dtype of ``input``."""
def searchsorted(sorted_sequence: Tensor, values: Any, *, out_int32: bool = ..., right: bool = ..., side: str | None = ..., sorter: Any = ...) -> Tensor:
    """The index at which each value would be inserted into the sorted last axis of
    ``sorted_sequence``.

    Args:
        sorted_sequence (Tensor): in order; any dtype.
        values (Tensor): what is looked for.
        out_int32 (bool): whether indices are int32, not int64. Default: False.
        right (bool): whether an interval holds its right end, not its left. Default: False.
        side (str): "left" or "right": where among equal elements. Default: None.
        sorter (Tensor): the indices that put the sequence in order. Default: None.

    Returns:
        Tensor, int64."""
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice ``index`` along ``dim``, without that axis.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last.
        index (Tensor): whole numbers that say where.

    Returns:
        Tensor of the dtype of ``input``."""
def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input)); integers as float32.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1 for a negative, zero (or NaN) or positive input; input / |input| for a complex input.

    Args:
        input (Tensor): floats, integers and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def sin(input: Tensor) -> Tensor:
    """The sine of input (radians).

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def sinc(input: Tensor) -> Tensor:
    """sin(pi input) / (pi input), and 1 at 0.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def sinh(input: Tensor) -> Tensor:
    """The hyperbolic sine of input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def softmax(input: Tensor, dim: int | None, *, dtype: Any = ...) -> Tensor:
    """exp(input) / sum(exp(input)) along ``dim``; None: along the axis of the classes.

    Args:
        input (Tensor): floats.
        dim (int): the axis along which it works; negative ones count from the last.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def sort(input: Tensor, *, dim: int = ..., descending: bool = ..., stable: bool = ...) -> tuple[Tensor, Tensor]:
    """The sorted elements along ``dim``, and their indices (int64); always stable.

    Args:
        input (Tensor): what is computed on.
        dim (int): the axis along which it works; negative ones count from the last. Default: -1.
        descending (bool): whether the greatest comes first. Default: False.
        stable (bool): whether equal elements keep their order. Default: False.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = ...) -> tuple[Tensor, ...]:
    """Parts along ``dim`` of one length (the last may be shorter), or of the lengths in a list.

    Args:
        tensor (Tensor): what is computed on.
        split_size_or_sections (int or tuple of int): how long each part is.
        dim (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        tuple of 2 Tensors, each int64."""
def sqrt(input: Tensor) -> Tensor:
    """The square root of ``input``.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def square(input: Tensor) -> Tensor:
    """input^2.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def squeeze(input: Tensor, dim: Any = ...) -> Tensor:
    """``input`` without the axes ``dim`` of length 1; axes of other lengths stay.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def stack(tensors: Any, dim: int = ...) -> Tensor:
    """Tensors of one shape along a new axis ``dim``.

    Args:
        tensors (tuple or list of Tensor): the tensors.
        dim (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        Tensor, float32."""
def std(input: Tensor, dim: Any = ..., *, correction: int = ..., keepdim: bool = ...) -> Tensor:
    """The square root of ``var``.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        correction (int): what is taken from the number of elements before dividing. Default: 1.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def std_mean(input: Tensor, dim: Any = ..., *, correction: int = ..., keepdim: bool = ...) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean along ``dim``.

    Args:
        input (Tensor): what is computed on.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        correction (int): what is taken from the number of elements before dividing. Default: 1.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        tuple of 2 Tensors, each float32."""
def sub(input: Any, other: Any, *, alpha: Any = ...) -> Tensor:
    """input - alpha * other; for bools, whether they differ.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def sum(input: Tensor, dim: Any = ..., keepdim: bool = ..., *, dtype: Any = ...) -> Tensor:
    """The sum along ``dim``; integers are summed as int64.

    Args:
        input (Tensor): the tensor; any dtype.
        dim: an axis or a tuple of them. Default: None.
        keepdim (bool): keep the reduced axes with length 1. Default: False.
        dtype: what to convert ``input`` to before. Default: None.

    Returns:
        Tensor of the dtype of ``input``; int64 for int32, uint8 and bool."""
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Swap two axes of ``input``.

    Args:
        input (Tensor): any dtype.
        axis0 (int): one of the two axes.
        axis1 (int): one of the two axes.

    Returns:
        Tensor of the dtype of ``input``."""
def t(input: Tensor) -> Tensor:
    """``input`` with its first two axes swapped; vectors and scalars stay.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements at ``index`` of the flattened tensor.

    Args:
        input (Tensor): integers.
        index (Tensor): whole numbers that say where.

    Returns:
        Tensor of the dtype of ``input``."""
def tan(input: Tensor) -> Tensor:
    """The tangent of input (radians).

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent of ``input``; integers as float32.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def tile(input: Tensor, dims: Any) -> Tensor:
    """Repeat ``input`` ``dims[i]`` times end to end along axis i.

    Args:
        input (Tensor): any dtype.
        dims (tuple of int): how often, axis by axis.

    Returns:
        Tensor of the dtype of ``input``."""
def topk(input: Tensor, k: int, dim: int = ..., largest: bool = ..., sorted: bool = ...) -> tuple[Tensor, Tensor]:
    """The ``k`` greatest (or smallest) elements along ``dim``, and their indices (int64).

    Args:
        input (Tensor): what is computed on.
        k (int): how many.
        dim (int): the axis along which it works; negative ones count from the last. Default: -1.
        largest (bool): whether the greatest are taken, not the smallest. Default: True.
        sorted (bool): whether the result is in order. Default: True.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """``input`` with two axes swapped.

    Args:
        input (Tensor): any dtype.
        dim0 (int): one of the two axes.
        dim1 (int): one of the two axes.

    Returns:
        Tensor of the dtype of ``input``."""
def triangular_solve(b: Tensor, A: Tensor, upper: bool = ..., transpose: bool = ..., unitriangular: bool = ...) -> tuple[Tensor, Tensor]:
    """The solution X of A @ X = b for a triangular A, and A itself.

    Args:
        b (Tensor): right-hand sides (..., N, K).
        A (Tensor): matrices (..., N, N), of which one triangle is read.
        upper (bool): whether that is the upper one. Default: True.
        transpose (bool): solve with A transposed. Default: False.
        unitriangular (bool): take the diagonal of A as ones. Default: False.

    Returns:
        tuple of 2 Tensors, each float32."""
def tril(input: Tensor, diagonal: int = ...) -> Tensor:
    """The elements on and below ``diagonal``, zeros above.

    Args:
        input (Tensor): any dtype.
        diagonal (int): which diagonal is the border. Default: 0.

    Returns:
        Tensor of the dtype of ``input``."""
def triu(input: Tensor, diagonal: int = ...) -> Tensor:
    """The elements on and above ``diagonal``, zeros below.

    Args:
        input (Tensor): any dtype.
        diagonal (int): which diagonal is the border. Default: 0.

    Returns:
        Tensor of the dtype of ``input``."""
def trunc(input: Tensor) -> Tensor:
    """input without its fraction.

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``."""
def unbind(input: Tensor, dim: int = ...) -> tuple[Tensor, ...]:
    """Return the slices of ``input`` along ``dim``, without that axis.

    Args:
        input (Tensor): what is computed on.
        dim (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        tuple of 3 Tensors, each float32."""
def unique(input: Tensor, sorted: bool = ..., return_inverse: bool = ..., return_counts: bool = ..., dim: int | None = ...) -> Any:
    """The sorted distinct elements; optionally also each element's index in them, and the counts.

    Args:
        input (Tensor): any dtype.
        sorted (bool): whether the result is in order. Default: True.
        return_inverse (bool): whether the indices that rebuild the input come, too. Default: False.
        return_counts (bool): whether the number of each comes, too. Default: False.
        dim (int): the axis whose slices are compared; None compares elements. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def unique_consecutive(input: Tensor, return_inverse: bool = ..., return_counts: bool = ..., dim: Any = ...) -> Any:
    """The elements (slices along ``dim``) that differ from the one before.

    Args:
        input (Tensor): any dtype.
        return_inverse (bool): whether the indices that rebuild the input come, too. Default: False.
        return_counts (bool): whether the number of each comes, too. Default: False.
        dim (int): the axis whose slices are compared; None compares elements. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Insert a new axis of length 1 at ``dim``.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last.

    Returns:
        Tensor of the dtype of ``input``."""
def var(input: Tensor, dim: Any = ..., *, correction: int = ..., keepdim: bool = ...) -> Tensor:
    """The variance along ``dim``: squares are divided by n - correction.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        correction (int): what is taken from the number of elements before dividing. Default: 1.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def var_mean(input: Tensor, dim: Any = ..., *, correction: int = ..., keepdim: bool = ...) -> tuple[Tensor, Tensor]:
    """Variance and mean along ``dim``.

    Args:
        input (Tensor): what is computed on.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        correction (int): what is taken from the number of elements before dividing. Default: 1.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        tuple of 2 Tensors, each float32."""
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The product of two vectors, the first one conjugated.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def where(condition: Tensor, input: Any = ..., other: Any = ...) -> Any:
    """``input`` where ``condition`` is true, else ``other``; without both, the indices of True.

    Args:
        condition (Tensor): bool; what to choose by.
        input (Tensor): any dtype. Default: None.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
            Default: None.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def xlogy(input: Any, other: Any) -> Tensor:
    """input * log(other), and 0 where input is 0 and other a number.

    ``Xlogy`` of ``input`` and ``other``; a number is a float32.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def zeros(size: Any, *, dtype: Any = ...) -> Tensor:
    """0 in the shape ``size``; float32 by default.

    Args:
        size (tuple of int): of the result; floats, integers and complex64.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, float32."""
def zeros_like(input: Tensor, *, dtype: Any = ...) -> Tensor:
    """Return zeros in the shape of ``input``, in its dtype or ``dtype``.

    Args:
        input (Tensor): any dtype.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addr_",
    "all",
    "allclose",
    "amax",
    "amin",
    "any",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "baddbmm",
    "bernoulli",
    "bincount",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "bmm",
    "broadcast_to",
    "cat",
    "cdist",
    "ceil",
    "chunk",
    "clamp",
    "clip",
    "clone",
    "concat",
    "conv2d",
    "conv_tbc",
    "cos",
    "cosh",
    "count_nonzero",
    "cross",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "diag",
    "diff",
    "distributed",
    "div",
    "divide",
    "dot",
    "dstack",
    "einsum",
    "empty",
    "empty_like",
    "eq",
    "equal",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "eye",
    "fix",
    "flatten",
    "flip",
    "float_power",
    "floor",
    "floor_divide",
    "fmod",
    "frac",
    "full",
    "full_like",
    "gather",
    "gcd",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "histc",
    "hstack",
    "imag",
    "index_add",
    "index_select",
    "inverse",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "item",
    "kthvalue",
    "le",
    "lerp",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "lt",
    "masked_select",
    "matmul",
    "max",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "min",
    "minimum",
    "mm",
    "mul",
    "multinomial",
    "mv",
    "nan_to_num",
    "nansum",
    "narrow",
    "ne",
    "neg",
    "negative",
    "nn",
    "nonzero",
    "norm",
    "normal",
    "not_equal",
    "ones",
    "ones_like",
    "optim",
    "outer",
    "permute",
    "polar",
    "pow",
    "prod",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "ravel",
    "real",
    "reciprocal",
    "remainder",
    "repeat_interleave",
    "reshape",
    "roll",
    "round",
    "rsqrt",
    "scatter",
    "scatter_add",
    "searchsorted",
    "select",
    "sigmoid",
    "sign",
    "sin",
    "sinc",
    "sinh",
    "softmax",
    "sort",
    "special",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "std_mean",
    "sub",
    "sum",
    "swapaxes",
    "t",
    "take",
    "tan",
    "tanh",
    "tile",
    "topk",
    "trace",
    "transpose",
    "triangular_solve",
    "tril",
    "triu",
    "trunc",
    "unbind",
    "unique",
    "unique_consecutive",
    "unsqueeze",
    "var",
    "var_mean",
    "vdot",
    "where",
    "xlogy",
    "zeros",
    "zeros_like",
]
