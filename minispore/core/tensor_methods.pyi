# Written by python -m tests.typing.stubs
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Callable
from typing import Any

from minispore.core.tensor import Tensor

class TensorMethods:
    def abs(self) -> Tensor:
        """|input|; the modulus of a complex input stays complex (``ComplexAbs`` is real). The slope at 0
    is 0."""
    def absolute(self) -> Tensor:
        """|input|; the modulus of a complex input stays complex (``ComplexAbs`` is real). The slope at 0
    is 0."""
    def acos(self) -> Tensor:
        """The angle in [0, pi] whose cosine is input."""
    def acosh(self) -> Tensor:
        """The number >= 0 whose hyperbolic cosine is input."""
    def add(self, other: Any, *, alpha: Any = ...) -> Tensor:
        """Compute input + alpha * other."""
    def add_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``add(...)``."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Any = ..., alpha: Any = ...) -> Tensor:
        """beta * input + alpha * the sum of batch1[i] @ batch2[i]."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, value: Any = ...) -> Tensor:
        """input + value * tensor1 / tensor2; of int64 without the fractions."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, value: Any = ...) -> Tensor:
        """input + value * tensor1 * tensor2; of integers, value is a whole number."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: _float = ..., alpha: _float = ...) -> Tensor:
        """beta * input + alpha * (mat1 @ mat2)."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Any = ..., alpha: Any = ...) -> Tensor:
        """beta * input + alpha * mat @ vec."""
    def addr(self, vec1: Tensor, vec2: Tensor, beta: Any = ..., alpha: Any = ...) -> Tensor:
        """beta * x + alpha * the outer product of vec1 and vec2."""
    def adjoint(self) -> Tensor:
        """The conjugate of the last two axes swapped."""
    def all(self, axis: Any = ..., keep_dims: _bool = ...) -> Tensor:
        """Whether all elements along ``axis`` are true."""
    def allclose(self, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...) -> _bool:
        """Whether all elements are close to those of ``other``."""
    def amax(self, axis: Any = ..., keepdims: _bool = ..., *, initial: Any = ..., where: Any = ...) -> Tensor:
        """The greatest element along ``axis`` and ``initial``, among those that ``where`` picks."""
    def amin(self, axis: Any = ..., keepdims: _bool = ..., *, initial: Any = ..., where: Any = ...) -> Tensor:
        """The smallest element along ``axis`` and ``initial``, among those that ``where`` picks."""
    def aminmax(self, *, axis: Any = ..., keepdims: _bool = ...) -> tuple[Tensor, Tensor]:
        """The smallest and the greatest element along ``axis``; the first of equals has the gradient."""
    def angle(self) -> Tensor:
        """The angle of a complex number; 0 or pi for a real one."""
    def any(self, axis: Any = ..., keep_dims: _bool = ...) -> Tensor:
        """Whether any element along ``axis`` is true."""
    def approximate_equal(self, y: Any, tolerance: _float = ...) -> Tensor:
        """|x - y| < tolerance."""
    def arccos(self) -> Tensor:
        """The angle in [0, pi] whose cosine is input."""
    def arccosh(self) -> Tensor:
        """The number >= 0 whose hyperbolic cosine is input."""
    def arcsin(self) -> Tensor:
        """The angle in [-pi/2, pi/2] whose sine is x."""
    def arcsinh(self) -> Tensor:
        """The number whose hyperbolic sine is input."""
    def arctan(self) -> Tensor:
        """The angle in (-pi/2, pi/2) whose tangent is input."""
    def arctan2(self, other: Any) -> Tensor:
        """The angle in (-pi, pi] of the point (other, input): atan(input / other), in the right quadrant."""
    def arctanh(self) -> Tensor:
        """The number whose hyperbolic tangent is input."""
    def argmax(self, dim: _int | None = ..., keepdim: _bool = ...) -> Tensor:
        """The index (int64) of the greatest element along ``dim``, or in the flattened tensor."""
    def argmax_with_value(self, axis: _int | None = ..., keep_dims: _bool = ...) -> tuple[Tensor, Tensor]:
        """The greatest element along ``axis``, and its index; among all, if the axis is None."""
    def argmin(self, axis: _int | None = ..., keepdims: _bool = ...) -> Tensor:
        """The index (int32; of a number int64) of the smallest element along ``axis``, or in the
    flattened tensor."""
    def argmin_with_value(self, axis: _int | None = ..., keep_dims: _bool = ...) -> tuple[Tensor, Tensor]:
        """The smallest element along ``axis``, and its index; among all, if the axis is None."""
    def argsort(self, axis: _int = ..., descending: _bool = ..., stable: _bool = ...) -> Tensor:
        """The indices that sort ``input`` along ``axis``."""
    def argwhere(self) -> Tensor:
        """The coordinates of the elements that are not zero."""
    def asin(self) -> Tensor:
        """The angle in [-pi/2, pi/2] whose sine is input."""
    def asinh(self) -> Tensor:
        """The number whose hyperbolic sine is input."""
    def assign_value(self, value: Any) -> Tensor:
        """Replace the content by ``value`` in place."""
    def astype(self, dtype: Any, copy: _bool = ...) -> Tensor:
        """Cast to ``dtype``: a minispore or NumPy dtype, its name, or a Python type."""
    def atan(self) -> Tensor:
        """The angle in (-pi/2, pi/2) whose tangent is input."""
    def atan2(self, other: Any) -> Tensor:
        """The angle in (-pi, pi] of the point (other, input): atan(input / other), in the right quadrant."""
    def atanh(self) -> Tensor:
        """The number whose hyperbolic tangent is input."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, beta: _float = ..., alpha: _float = ...) -> Tensor:
        """beta * input + alpha * (batch1 @ batch2) for stacks of matrices."""
    def bernoulli(self, *, generator: Any = ...) -> Tensor:
        """1 with the probabilities that the tensor holds, else 0."""
    def bernoulli_(self, p: Any = ..., *, generator: Any = ...) -> Tensor:
        """Set each element to 1 with probability ``p``, else to 0."""
    def bfloat16(self) -> Tensor:
        """As bfloat16."""
    def bincount(self, weights: Tensor | None = ..., minlength: _int = ...) -> Tensor:
        """The number of times each of 0, 1, ... occurs, or the sum of its weights."""
    def bitwise_and(self, other: Any) -> Tensor:
        """input & other."""
    def bitwise_left_shift(self, other: Any) -> Tensor:
        """input << other."""
    def bitwise_not(self) -> Tensor:
        """~input."""
    def bitwise_or(self, other: Any) -> Tensor:
        """input | other."""
    def bitwise_right_shift(self, other: Any) -> Tensor:
        """input >> other."""
    def bitwise_xor(self, other: Any) -> Tensor:
        """input ^ other."""
    def bmm(self, mat2: Tensor) -> Tensor:
        """The product of two stacks of matrices: (B, M, K) @ (B, K, N)."""
    def bool(self) -> Tensor:
        """As bool_."""
    def broadcast_to(self, *args: Any, shape: Any = ...) -> Tensor:
        """Repeat the tensor along axes of length 1 to the given shape."""
    def byte(self) -> Tensor:
        """As uint8."""
    def cauchy(self, median: _float = ..., sigma: _float = ...) -> Tensor:
        """Cauchy numbers in the shape of the tensor."""
    def ceil(self) -> Tensor:
        """The smallest whole number >= input."""
    def cholesky(self, upper: _bool = ...) -> Tensor:
        """The lower triangle L with input_x = L @ L^T, or (``upper``) L^T; input_x is positive definite."""
    def cholesky_inverse(self, upper: _bool = ...) -> Tensor:
        """The inverse of L @ L^T, or (``upper``) of U^T @ U."""
    def cholesky_solve(self, input2: Tensor, upper: _bool = ...) -> Tensor:
        """The x of ``L @ L^T @ x = input``, or (``upper``) of ``U^T @ U @ x = input``."""
    def choose(self, choices: Any, mode: str = ...) -> Tensor:
        """At each position, the element of the one of ``choices`` whose number this tensor holds."""
    def chunk(self, chunks: _int, axis: _int = ...) -> tuple[Tensor, ...]:
        """Split a tensor into at most ``chunks`` parts of one length; the last may be shorter."""
    def clamp(self, min: Any = ..., max: Any = ...) -> Tensor:
        """Clamp ``input`` between ``min`` and ``max``, tensors or numbers; either may be left
    out."""
    def clamp_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``clamp(...)``."""
    def clip(self, min: Any = ..., max: Any = ...) -> Tensor:
        """Clamp ``input`` between ``min`` and ``max``, tensors or numbers; either may be left
    out."""
    def clone(self) -> Tensor:
        """A tensor of the same content; gradients flow through it."""
    def col2im(self, output_size: Any, kernel_size: Any, dilation: Any, padding_value: Any, stride: Any) -> Tensor:
        """Columns (N, C, KH*KW, OH*OW) as an image, overlaps added."""
    def conj(self) -> Tensor:
        """real - imag * 1j; a real input as it is."""
    def contiguous(self) -> Tensor:
        """The tensor itself if its elements lie in row-major order from the start of their memory,
    else a copy that does; gradients flow through it."""
    def copy(self) -> Tensor:
        """A tensor of the same content; gradients flow through it."""
    def copy_(self, src: Any, non_blocking: _bool = ...) -> Tensor:
        """Replace the content by ``src``, broadcast and cast."""
    def copysign(self, other: Any) -> Tensor:
        """|x| with the sign of other."""
    def cos(self) -> Tensor:
        """The cosine of input (radians)."""
    def cosh(self) -> Tensor:
        """The hyperbolic cosine of input."""
    def count_nonzero(self, axis: Any = ..., keep_dims: _bool = ..., dtype: Any = ...) -> Tensor:
        """The number of elements along ``axis`` that are not 0."""
    def cov(self, *, correction: _int = ..., fweights: Any = ..., aweights: Any = ...) -> Tensor:
        """The covariance matrix of the rows of ``input``."""
    def cross(self, other: Tensor, dim: _int | None = ...) -> Tensor:
        """The cross product of vectors of length 3 along ``dim`` (by default the first such axis)."""
    def cummax(self, axis: _int) -> tuple[Tensor, Tensor]:
        """The running maximum along ``axis`` and its index (int64), the last one among equals."""
    def cummin(self, axis: _int) -> tuple[Tensor, Tensor]:
        """The running minimum along ``axis`` and its index (int32), the last one among equals."""
    def cumprod(self, dim: _int, dtype: Any = ...) -> Tensor:
        """The running product of ``input`` along ``dim``; integers are multiplied as int64."""
    def cumsum(self, axis: _int | None = ..., dtype: Any = ...) -> Tensor:
        """The running sums along ``axis``, or over all elements in a row, as ``dtype`` at the end."""
    def data_ptr(self) -> _int:
        """The address of the content in memory."""
    def deg2rad(self) -> Tensor:
        """Convert degrees to radians."""
    def det(self) -> Tensor:
        """The determinant of each matrix."""
    def diag(self) -> Tensor:
        """A tensor of shape (D...) on the diagonal of one of shape (D..., D...)."""
    def diagflat(self, offset: _int = ...) -> Tensor:
        """All elements on the diagonal ``offset`` of a matrix."""
    def diagonal(self, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> Tensor:
        """The diagonal ``offset`` of each matrix of axes (dim1, dim2), as the last axis."""
    def diagonal_scatter(self, src: Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> Tensor:
        """``input`` with ``src`` on the diagonal ``offset`` of each matrix of axes (dim1, dim2)."""
    def diff(self, n: _int = ..., axis: _int = ..., prepend: Tensor | None = ..., append: Tensor | None = ...) -> Tensor:
        """The differences of neighbours along ``axis``, taken ``n`` times."""
    def digamma(self) -> Tensor:
        """The derivative of log Gamma(input)."""
    def div(self, other: Any, *, rounding_mode: str | None = ...) -> Tensor:
        """Divide input by other; with ``rounding_mode`` "floor" or "trunc" round to integers."""
    def div_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``div(...)``."""
    def divide(self, other: Any, *, rounding_mode: str | None = ...) -> Tensor:
        """Divide input by other; with ``rounding_mode`` "floor" or "trunc" round to integers."""
    def dot(self, other: Tensor) -> Tensor:
        """Sum of products over the last axis of ``input`` and the last but one of ``other``."""
    def double(self) -> Tensor:
        """As float64."""
    def dsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """``tensor_split`` along axis 2."""
    def eigvals(self) -> Tensor:
        """The eigenvalues of ``A``, complex."""
    def eq(self, other: Any) -> Tensor:
        """input == other."""
    def equal(self, other: Any) -> Tensor:
        """input == other."""
    def erf(self) -> Tensor:
        """2 / sqrt(pi) * integral of e^(-t^2) from 0 to input."""
    def erfc(self) -> Tensor:
        """1 - erf(input)."""
    def erfinv(self) -> Tensor:
        """The number whose erf is input; infinite at -1 and 1, nan beyond."""
    def erfinv_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``erfinv(...)``."""
    def exp(self) -> Tensor:
        """e^input."""
    def exp2(self) -> Tensor:
        """Compute 2 ^ input; of bfloat16 in float32."""
    def exp_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``exp(...)``."""
    def expand(self, *args: Any, shape: Any = ...) -> Tensor:
        """Repeat the tensor along axes of length 1 to the given shape."""
    def expand_as(self, other: Tensor) -> Tensor:
        """Repeat the tensor along axes of length 1 to the shape of ``other``."""
    def expand_dims(self, axis: _int) -> Tensor:
        """Insert a new axis of length 1 at ``axis``."""
    def expm1(self) -> Tensor:
        """e^input - 1, exact for small input."""
    def exponential_(self, lambd: _float = ..., *, generator: Any = ...) -> Tensor:
        """Fill the tensor with numbers drawn from the exponential distribution of rate
    ``lambd``."""
    def fill(self, value: Any) -> Tensor:
        """A tensor of the same shape and dtype filled with ``value``."""
    def fill_(self, value: Any) -> Tensor:
        """Set every element to ``value``."""
    def fill_diagonal(self, fill_value: Any, wrap: _bool = ...) -> Tensor:
        """``input`` with ``fill_value`` on its main diagonal."""
    def fill_diagonal_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``fill_diagonal(...)``."""
    def fills(self, value: Any) -> Tensor:
        """Return ``value`` in the shape and dtype of ``x``."""
    def flatten(self, order: Any = ..., end_dim: _int = ..., *, start_dim: _int = ...) -> Tensor:
        """Merge the axes from ``start_dim`` to ``end_dim``, by default all, into one."""
    def flip(self, dims: Any) -> Tensor:
        """Reverse the order of elements of ``input`` along ``dims``, a tuple or list of ints."""
    def fliplr(self) -> Tensor:
        """Reverse the columns of ``input``."""
    def flipud(self) -> Tensor:
        """Reverse the rows of ``input``."""
    def float(self) -> Tensor:
        """As float32."""
    def float_power(self, exponent: Any) -> Tensor:
        """Compute input ^ exponent in float64, or in complex128 if one of them is complex."""
    def floor(self) -> Tensor:
        """The greatest whole number <= input."""
    def floor_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``floor(...)``."""
    def floor_divide(self, other: Any) -> Tensor:
        """The floor of input / other."""
    def floor_divide_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``floor_divide(...)``."""
    def fmax(self, other: Any) -> Tensor:
        """The greater of input and other; where one is nan, the other. Where equal, input gets the gradient."""
    def fmin(self, other: Any) -> Tensor:
        """The smaller of input and other; where one is nan, the other. Where equal, input gets the gradient."""
    def fmod(self, other: Any) -> Tensor:
        """The remainder of input / other truncated, with the sign of input (C's ``fmod``)."""
    def fold(self, output_size: Any, kernel_size: Any, dilation: Any = ..., padding: Any = ..., stride: Any = ...) -> Tensor:
        """Columns (N, C*KH*KW, OH*OW) or (N, C, KH*KW, OH*OW) as an image (N, C, *output_size),
    overlaps added."""
    def frac(self) -> Tensor:
        """Return the fractional part of ``x``, with the sign of ``x``."""
    def gather(self, *args: Any, **kwargs: Any) -> Tensor:
        """``gather(dim, index)`` picks along ``dim``;
    ``gather(input_indices, axis, batch_dims=0)`` slices."""
    def gather_elements(self, dim: _int, index: Tensor) -> Tensor:
        """``input`` picked by ``index`` along ``dim``."""
    def gather_nd(self, indices: Tensor) -> Tensor:
        """``input_x`` at the coordinates ``indices``."""
    def gcd(self, other: Any) -> Tensor:
        """The greatest common divisor of input and other."""
    def ge(self, other: Any) -> Tensor:
        """input >= other."""
    def gelu(self, approximate: str = ...) -> Tensor:
        """Compute input * P(Z <= input) for a standard normal variable Z."""
    def geqrf(self) -> tuple[Tensor, Tensor]:
        """QR in LAPACK's form: r above the diagonal, below it the reflections of q, and their factors."""
    def ger(self, vec2: Tensor) -> Tensor:
        """The outer product of two vectors."""
    def get_bytes(self) -> bytes:
        """The elements' bytes in row-major order."""
    def greater(self, other: Any) -> Tensor:
        """input > other."""
    def greater_equal(self, other: Any) -> Tensor:
        """input >= other."""
    def gt(self, other: Any) -> Tensor:
        """input > other."""
    def half(self) -> Tensor:
        """As float16."""
    def hardshrink(self, lambd: _float = ...) -> Tensor:
        """input where |input| > lambd, else 0."""
    def hardsigmoid(self) -> Tensor:
        """min(max(input + 3, 0), 6) / 6."""
    def hardswish(self) -> Tensor:
        """input * min(max(input + 3, 0), 6) / 6."""
    def heaviside(self, values: Any) -> Tensor:
        """0 where input < 0 or NaN, values where input = 0, 1 where input > 0."""
    def histc(self, bins: _int = ..., min: _float = ..., max: _float = ...) -> Tensor:
        """The number of elements in each of ``bins`` equal parts of [min, max]."""
    def hooks(self) -> list[Callable[[Tensor], Any]]:
        """Return the hooks on the gradient of this tensor, in the order of their registration."""
    def hsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """``tensor_split`` along axis 1."""
    def hypot(self, other: Any) -> Tensor:
        """sqrt(input^2 + other^2), without overflow on the way."""
    def i0(self) -> Tensor:
        """I_0(input)."""
    def igamma(self, other: Any) -> Tensor:
        """The regularised lower incomplete gamma function P(a, input)."""
    def igammac(self, other: Any) -> Tensor:
        """The regularised upper incomplete gamma function Q(a, input)."""
    def imag(self) -> Tensor:
        """The imaginary part; 0 for a real input."""
    def index(self, indices: Any) -> Tensor:
        """The elements at the positions that the tensors ``indices`` name."""
    def index_add(self, *args: Any, alpha: Any = ..., **kwargs: Any) -> Tensor:
        """``index_add(dim, index, source, alpha=1)`` or ``index_add(indices, y, axis)``: slices added."""
    def index_add_(self, dim: _int, index: Tensor, source: Tensor, *, alpha: Any = ...) -> Tensor:
        """Replace the content by ``index_add(dim, index, source)``."""
    def index_copy_(self, dim: _int, index: Tensor, tensor: Tensor) -> Tensor:
        """Write the slices of ``tensor`` into the slices ``index`` along ``dim``."""
    def index_fill(self, axis: _int, index: Tensor, value: Any) -> Tensor:
        """``x`` with ``value`` in its slices ``index`` along ``axis``."""
    def index_fill_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``index_fill(...)``."""
    def index_put(self, indices: Any, values: Tensor, accumulate: _bool = ...) -> Tensor:
        """``input`` with ``values`` put (or added) at the positions that ``indices`` name."""
    def index_put_(self, indices: Any, values: Tensor, accumulate: _bool = ...) -> Tensor:
        """Replace the tensor in place by the result of ``index_put``, and return it."""
    def index_select(self, axis: _int, index: Tensor) -> Tensor:
        """The slices ``index`` of ``input`` along ``axis``."""
    def inner(self, other: Tensor) -> Tensor:
        """The sums of products over the last axes of both; a plain product where one is a number."""
    def inplace_update(self, v: Tensor, indices: Any) -> Tensor:
        """``x`` with ``v`` as its rows ``indices``; x itself stays."""
    def int(self) -> Tensor:
        """As int32."""
    def inv(self) -> Tensor:
        """1 / x, truncated for integers."""
    def inverse(self) -> Tensor:
        """The inverse of each matrix, or (``adjoint``) of its conjugate transpose."""
    def invert(self) -> Tensor:
        """~x."""
    def is_complex(self) -> _bool:
        """Whether the dtype is complex."""
    def is_contiguous(self) -> _bool:
        """Whether the elements lie one after the other in row-major order, as those of a transposed
    view, or of some columns, do not; in a graph they always do."""
    def is_floating_point(self) -> _bool:
        """Whether the dtype is a float."""
    def is_pinned(self) -> _bool:
        """False: there is only one kind of memory."""
    def is_shared(self) -> _bool:
        """False: there is only one kind of memory."""
    def is_signed(self) -> _bool:
        """Whether the dtype has negative numbers."""
    def isclose(self, other: Any, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...) -> Tensor:
        """|input - other| <= atol + rtol * |other|."""
    def isfinite(self) -> Tensor:
        """Whether input is neither infinite nor nan."""
    def isinf(self) -> Tensor:
        """Whether input is infinite."""
    def isnan(self) -> Tensor:
        """Whether input is not a number."""
    def isneginf(self) -> Tensor:
        """Whether ``input`` is -inf."""
    def isposinf(self) -> Tensor:
        """Whether ``input`` is +inf."""
    def isreal(self) -> Tensor:
        """Whether the imaginary part is 0."""
    def item(self, *index: Any) -> Any:
        """The single element (or the one at ``index``) as a Python number."""
    def itemset(self, *args: Any) -> Tensor:
        """A copy with one element set: ``itemset(value)`` or ``itemset(index, value)``."""
    def kthvalue(self, k: _int, dim: _int = ..., keepdim: _bool = ...) -> tuple[Tensor, Tensor]:
        """The ``k``-th least element along ``dim``, counted from 1, and where it was."""
    def lcm(self, other: Any) -> Tensor:
        """The least common multiple of input and other."""
    def ldexp(self, other: Tensor) -> Tensor:
        """Compute x * 2^other."""
    def le(self, other: Any) -> Tensor:
        """input <= other."""
    def leaky_relu(self, alpha: _float = ...) -> Tensor:
        """Return input where input > 0, else alpha * input."""
    def lerp(self, end: Tensor, weight: Any) -> Tensor:
        """input + weight * (end - input); the weight may be a number."""
    def less(self, other: Any) -> Tensor:
        """input < other."""
    def less_equal(self, other: Any) -> Tensor:
        """input <= other."""
    def lgamma(self) -> Tensor:
        """log |Gamma(input)|."""
    def log(self) -> Tensor:
        """The natural logarithm of input."""
    def log10(self) -> Tensor:
        """Compute the logarithm to base 10."""
    def log1p(self) -> Tensor:
        """log(1 + input), exact for small input."""
    def log2(self) -> Tensor:
        """Compute the logarithm to base 2."""
    def log_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``log(...)``."""
    def log_matrix_determinant(self) -> tuple[Tensor, Tensor]:
        """The sign of the determinant of each matrix, and the logarithm of its size."""
    def log_normal(self, mean: _float = ..., std: _float = ...) -> Tensor:
        """Log-normal numbers in the shape of the tensor."""
    def log_softmax(self, axis: _int = ...) -> Tensor:
        """log(softmax(logits)) along ``axis``."""
    def logaddexp(self, other: Tensor) -> Tensor:
        """Compute log(e^input + e^other), without overflow."""
    def logaddexp2(self, other: Tensor) -> Tensor:
        """Compute log2(2^input + 2^other), without overflow."""
    def logcumsumexp(self, axis: _int) -> Tensor:
        """log(running sum of e^input) along ``axis``, without overflow."""
    def logdet(self) -> Tensor:
        """The logarithm of the determinant of ``input``, nan where that is negative."""
    def logical_and(self, other: Any) -> Tensor:
        """input and other; numbers count as ``input != 0``."""
    def logical_not(self) -> Tensor:
        """not input; numbers count as ``input != 0``."""
    def logical_or(self, other: Any) -> Tensor:
        """input or other; numbers count as ``input != 0``."""
    def logical_xor(self, other: Any) -> Tensor:
        """Either input or other, not both."""
    def logit(self, eps: _float | None = ...) -> Tensor:
        """log(input / (1 - input)), with input clipped to [eps, 1 - eps] if eps >= 0."""
    def logsumexp(self, dim: Any, keepdim: _bool = ...) -> Tensor:
        """Compute log(sum(e^input)) along ``dim``, without overflow."""
    def long(self) -> Tensor:
        """As int64."""
    def lstsq(self, A: Tensor) -> Tensor:
        """The x with the least |input @ x - A|, the shortest if there are many."""
    def lt(self, other: Any) -> Tensor:
        """input < other."""
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """The b of ``A @ b = rhs``, from the LU factors of A and their pivots."""
    def masked_fill(self, mask: Tensor, value: Any) -> Tensor:
        """``input_x`` with ``value`` where ``mask`` holds."""
    def masked_fill_(self, mask: Tensor, value: Any) -> Tensor:
        """Set the elements where ``mask`` holds to ``value``."""
    def masked_scatter(self, mask: Tensor, tensor: Tensor) -> Tensor:
        """``x`` with the elements of ``tensor``, in order, where ``mask`` holds."""
    def masked_scatter_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``masked_scatter(...)``."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements of ``input`` where ``mask`` holds."""
    def matmul(self, other: Tensor) -> Tensor:
        """numpy.matmul of two tensors of any ranks from 1."""
    def matrix_determinant(self) -> Tensor:
        """The determinant of each matrix."""
    def matrix_power(self, n: _int) -> Tensor:
        """Each matrix multiplied with itself n times; n < 0 takes the inverse."""
    def max(self, dim: Any = ..., keepdim: _bool = ..., *, axis: Any = ..., keepdims: Any = ..., initial: Any = ..., where: Any = ..., return_indices: Any = ...) -> Any:
        """The greatest element, or those along ``axis``; with ``dim`` where they are."""
    def maximum(self, other: Any) -> Tensor:
        """The greater of input and other; where they are equal, each gets half of the gradient."""
    def mean(self, axis: Any = ..., keep_dims: _bool = ..., *, dtype: Any = ...) -> Tensor:
        """The mean along ``axis``, all axes by default."""
    def median(self, axis: _int = ..., keepdims: _bool = ...) -> tuple[Tensor, Tensor]:
        """The median along ``axis`` (the lower of two middle ones) and its index."""
    def min(self, dim: Any = ..., keepdim: _bool = ..., *, axis: Any = ..., keepdims: Any = ..., initial: Any = ..., where: Any = ..., return_indices: Any = ...) -> Any:
        """The smallest element, or those along ``axis``; with ``dim`` where they are."""
    def minimum(self, other: Any) -> Tensor:
        """The smaller of input and other; where they are equal, each gets half of the gradient."""
    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices."""
    def move_to(self, to: str = ..., blocking: _bool = ...) -> Tensor:
        """The tensor itself, whatever the device."""
    def moveaxis(self, source: Any, destination: Any) -> Tensor:
        """Move the axes ``source`` to ``destination``; the others keep their order."""
    def movedim(self, source: Any, destination: Any) -> Tensor:
        """Move the axes ``source`` to ``destination``; the others keep their order."""
    def msort(self) -> Tensor:
        """``input`` sorted along its first axis."""
    def mul(self, other: Any) -> Tensor:
        """input * other."""
    def mul_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``mul(...)``."""
    def multinomial(self, num_samples: _int, replacement: _bool = ..., seed: _int | None = ...) -> Tensor:
        """``num_samples`` category numbers (int32) drawn by the weights in each row of ``input``."""
    def multiply(self, other: Any) -> Tensor:
        """input * other."""
    def mv(self, vec: Tensor) -> Tensor:
        """A matrix times a vector."""
    def mvlgamma(self, p: _int) -> Tensor:
        """The logarithm of the multivariate gamma function of dimension p."""
    def nan_to_num(self, nan: _float | None = ..., posinf: _float | None = ..., neginf: _float | None = ...) -> Tensor:
        """input with nan replaced by 0, and infinities by the largest finite numbers, or by the attributes."""
    def nanmean(self, axis: Any = ..., keepdims: _bool = ..., *, dtype: Any = ...) -> Tensor:
        """The mean along ``axis`` without NaNs."""
    def nanmedian(self, axis: _int = ..., keepdims: _bool = ...) -> tuple[Tensor, Tensor]:
        """The median along ``axis`` without NaNs, and its index."""
    def nanquantile(self, q: Any, axis: _int | None = ..., keepdims: _bool = ...) -> Tensor:
        """The number below which the share q of the elements along ``dim`` lies, interpolated."""
    def nansum(self, axis: Any = ..., keepdims: _bool = ..., *, dtype: Any = ...) -> Tensor:
        """The sum along ``axis`` without NaNs, summed in the dtype of ``input`` (int64 for bool)."""
    def narrow(self, axis: _int, start: Any, length: _int) -> Tensor:
        """The ``length`` slices from ``start`` on along ``axis``: a view."""
    def ndimension(self) -> _int:
        """The number of axes."""
    def ne(self, other: Any) -> Tensor:
        """input != other."""
    def neg(self) -> Tensor:
        """-input."""
    def negative(self) -> Tensor:
        """-input."""
    def nelement(self) -> _int:
        """The number of elements."""
    def new_empty(self, size: Any, *, dtype: Any = ..., device: Any = ...) -> Tensor:
        """A tensor of the shape ``size`` whose content does not matter (here: zeros)."""
    def new_full(self, size: Any, fill_value: Any, *, dtype: Any = ...) -> Tensor:
        """``fill_value`` in the shape ``size``, by default in the tensor's dtype."""
    def new_ones(self, size: Any, dtype: Any = ...) -> Tensor:
        """1 in the shape ``size``, by default in the tensor's dtype."""
    def new_zeros(self, size: Any, dtype: Any = ...) -> Tensor:
        """0 in the shape ``size``, by default in the tensor's dtype."""
    def nextafter(self, other: Tensor) -> Tensor:
        """The next number of the dtype after input in the direction of other."""
    def nonzero(self, *, as_tuple: _bool = ...) -> Any:
        """The coordinates of the elements that are not zero: a row for each, or a vector per axis."""
    def norm(self, ord: Any = ..., dim: Any = ..., keepdim: _bool = ..., *, dtype: Any = ...) -> Tensor:
        """A norm of vectors or matrices."""
    def normal_(self, mean: Any = ..., std: Any = ..., *, generator: Any = ...) -> Tensor:
        """Fill the tensor with numbers drawn from a normal distribution."""
    def not_equal(self, other: Any) -> Tensor:
        """input != other."""
    def orgqr(self, input2: Tensor) -> Tensor:
        """The first columns of q from the result of ``Geqrf``."""
    def ormqr(self, tau: Tensor, other: Tensor, left: _bool = ..., transpose: _bool = ...) -> Tensor:
        """q (or q^T) times ``other``, or other times q; q as ``Geqrf`` gives it."""
    def outer(self, vec2: Tensor) -> Tensor:
        """Each element of ``input`` times ``vec2``: the outer product of two vectors."""
    def permute(self, *dims: Any) -> Tensor:
        """The axes in the order ``dims``; reversed, if there are none."""
    def pin_memory(self) -> Tensor:
        """The tensor itself: there is only one kind of memory."""
    def positive(self) -> Tensor:
        """Return ``input`` itself."""
    def pow(self, exponent: Any) -> Tensor:
        """input^exponent."""
    def prelu(self, weight: Tensor) -> Tensor:
        """input where input > 0, else weight * input, with one weight per channel (axis 1) or a single one."""
    def prod(self, axis: Any = ..., keep_dims: _bool = ..., dtype: Any = ...) -> Tensor:
        """The product along ``axis``, by default all; of integers as int64, but not along a tuple."""
    def ptp(self, axis: Any = ..., keepdims: _bool = ...) -> Tensor:
        """The greatest minus the smallest element along ``axis``."""
    def put_(self, index: Tensor, source: Tensor, accumulate: _bool = ...) -> Tensor:
        """Write (or add) ``source`` at the positions ``index`` of the flattened tensor."""
    def qr(self, some: _bool = ...) -> tuple[Tensor, Tensor]:
        """some = q @ r with orthonormal columns in q and an upper triangle r."""
    def quantile(self, q: Any, axis: _int | None = ..., keepdims: _bool = ...) -> Tensor:
        """The number below which the share q of the elements along ``dim`` lies, interpolated."""
    def rad2deg(self) -> Tensor:
        """Convert radians to degrees."""
    def random_(self, from_: _int = ..., to: _int | None = ..., *, generator: Any = ...) -> Tensor:
        """Fill the tensor with integers drawn from [from_, to); the default ``to`` is the
    largest for the dtype."""
    def random_categorical(self, num_sample: _int, seed: _int = ..., dtype: Any = ...) -> Tensor:
        """Category numbers drawn by softmax(logits), one row of ``num_sample`` for each row."""
    def ravel(self) -> Tensor:
        """Merge all axes into one."""
    def real(self) -> Tensor:
        """The real part; a real input as it is."""
    def reciprocal(self) -> Tensor:
        """1 / input; integers give float32."""
    def register_hook(self, hook: Callable[[Tensor], Any]) -> Any:
        """Register ``hook``, to be called with the gradient of this tensor: an input, a Parameter or an
    intermediate result."""
    def relu(self, inplace: _bool = ...) -> Tensor:
        """max(input, 0). The slope at 0 is 0."""
    def relu6(self) -> Tensor:
        """min(max(x, 0), 6)."""
    def remainder(self, other: Any) -> Tensor:
        """input - other * floor(input / other), with the sign of other."""
    def remainder_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``remainder(...)``."""
    def renorm(self, p: _int, axis: _int, maxnorm: _float) -> Tensor:
        """input with each slice along ``dim`` scaled down to a p-norm of at most ``maxnorm``."""
    def repeat(self, *repeats: Any, axis: Any = ...) -> Tensor:
        """Repeat ``repeats[i]`` times along axis i; with ``axis`` repeat each slice that often, and
    with None each element of the flat tensor."""
    def repeat_interleave(self, repeats: Any, axis: _int | None = ..., output_size: _int | None = ...) -> Tensor:
        """Repeat each slice along ``axis``, or each element without axis, ``repeats`` times."""
    def requires_grad_(self, requires_grad: _bool = ...) -> Tensor:
        """Return the tensor unchanged: ``grad`` decides what is differentiated, not this flag."""
    def reshape(self, *shape: Any) -> Tensor:
        """The elements in ``shape``; one length may be -1."""
    def reshape_as(self, other: Tensor) -> Tensor:
        """The elements in the shape of ``other``."""
    def resize(self, *new_shape: Any) -> Tensor:
        """The first elements in ``new_shape``, followed by zeros where there are not enough."""
    def reverse(self, axis: Any) -> Tensor:
        """Reverse the order of elements of ``x`` along ``axis``."""
    def reverse_sequence(self, seq_lengths: Tensor, seq_dim: _int, batch_dim: _int = ...) -> Tensor:
        """Reverse the first ``seq_lengths[b]`` elements of each sequence b of ``x``."""
    def roll(self, shifts: Any, dims: Any = ...) -> Tensor:
        """Shift ``input`` along ``dims``; elements that leave at one end enter at the other."""
    def rot90(self, k: _int, dims: Any) -> Tensor:
        """Rotate ``input`` ``k`` times by 90 degrees, from the first of ``dims`` towards the
    second."""
    def round(self, decimals: _int = ...) -> Tensor:
        """input rounded to ``decimals`` places, halves to the even one."""
    def rsqrt(self) -> Tensor:
        """1 / sqrt(input)."""
    def scatter(self, *args: Any, reduce: str = ..., **kwargs: Any) -> Tensor:
        """The tensor with ``src`` put in at ``index`` along ``dim``, or added or multiplied."""
    def scatter_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Replace the content by ``scatter(dim, index, src)``; a number may be passed as
    ``value``."""
    def scatter_add(self, *args: Any, **kwargs: Any) -> Tensor:
        """``scatter_add(dim, index, src)`` adds along ``dim``;
    ``scatter_add(indices, updates)`` at coordinates."""
    def scatter_add_(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """Replace the content by ``scatter_add(dim, index, src)``."""
    def scatter_div(self, indices: Tensor, updates: Tensor) -> Tensor:
        """``input_x`` divided by ``updates`` at coordinates."""
    def scatter_max(self, indices: Tensor, updates: Tensor) -> Tensor:
        """The greater of ``input_x`` and ``updates`` at coordinates."""
    def scatter_min(self, indices: Tensor, updates: Tensor) -> Tensor:
        """The lesser of ``input_x`` and ``updates`` at coordinates."""
    def scatter_mul(self, indices: Tensor, updates: Tensor) -> Tensor:
        """``input_x`` multiplied by ``updates`` at coordinates."""
    def scatter_sub(self, indices: Tensor, updates: Tensor) -> Tensor:
        """``input_x`` with ``updates`` subtracted at coordinates."""
    def searchsorted(self, v: Any, side: str = ..., sorter: Any = ...) -> Tensor:
        """The index at which ``v`` would be inserted into this sorted tensor, as int32."""
    def select(self, *args: Any, **kwargs: Any) -> Tensor:
        """``select(dim, index)`` is one slice; ``select(condition, y)`` keeps elements where it holds."""
    def select_scatter(self, src: Tensor, axis: _int, index: _int) -> Tensor:
        """``input`` with ``src`` as its slice ``index`` along ``axis``."""
    def set_dtype(self, dtype: Any) -> Any:
        """Cast the tensor to ``dtype`` in place; returns the dtype."""
    def sgn(self) -> Tensor:
        """Return -1, 0 or 1 as ``input`` is negative, zero or positive; input / |input| if
    complex."""
    def short(self) -> Tensor:
        """As int16."""
    def sigmoid(self) -> Tensor:
        """1 / (1 + e^-input)."""
    def sigmoid_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``sigmoid(...)``."""
    def sign(self) -> Tensor:
        """-1, 0 or 1 for a negative, zero (or NaN) or positive input; input / |input| for a complex input."""
    def sign_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``sign(...)``."""
    def signbit(self) -> Tensor:
        """Whether ``input`` is negative."""
    def silu(self) -> Tensor:
        """input * sigmoid(input)."""
    def sin(self) -> Tensor:
        """The sine of input (radians)."""
    def sinc(self) -> Tensor:
        """sin(pi input) / (pi input), and 1 at 0."""
    def sinh(self) -> Tensor:
        """The hyperbolic sine of input."""
    def slice_scatter(self, src: Tensor, axis: _int = ..., start: Any = ..., end: Any = ..., step: _int = ...) -> Tensor:
        """``input`` with ``src`` as its slices start:end:step along ``axis``."""
    def slogdet(self) -> tuple[Tensor, Tensor]:
        """The sign of the determinant of each matrix, and the logarithm of its size."""
    def soft_shrink(self, lambd: _float = ...) -> Tensor:
        """sign(input) * max(|input| - lambd, 0), for lambd >= 0."""
    def softmax(self, axis: Any = ..., dtype: Any = ...) -> Tensor:
        """e^dtype / sum(e^dtype) along ``axis`` (an int, or a tuple of them)."""
    def sort(self, axis: _int = ..., descending: _bool = ..., stable: _bool = ...) -> tuple[Tensor, Tensor]:
        """``input_x`` sorted along ``axis``, and where its elements were."""
    def split(self, split_size_or_sections: Any, axis: _int = ...) -> tuple[Tensor, ...]:
        """Split a tensor into parts of one length (the last may be shorter), or of given
    lengths."""
    def sqrt(self) -> Tensor:
        """The square root of x."""
    def square(self) -> Tensor:
        """input^2."""
    def squeeze(self, *args: Any, axis: Any = ...) -> Tensor:
        """Remove the axes of length 1: all of them, or those named."""
    def std(self, axis: Any = ..., ddof: _int = ..., keepdims: _bool = ...) -> Tensor:
        """The square root of the variance along ``axis``."""
    def storage_offset(self) -> _int:
        """The number of elements before the first one in the memory that a view shares; in a graph 0."""
    def stride(self, dim: _int | None = ...) -> Any:
        """The elements to step along each axis (or axis ``dim``), in the memory that a view shares; in
    a graph those of a row-major tensor."""
    def sub(self, other: Any, *, alpha: Any = ...) -> Tensor:
        """Compute input - alpha * other; for bools, whether they differ."""
    def sub_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``sub(...)``."""
    def subtract(self, other: Any, *, alpha: Any = ...) -> Tensor:
        """Compute input - alpha * other; for bools, whether they differ."""
    def sum(self, *args: Any, **kwargs: Any) -> Tensor:
        """The sum along an axis, all by default: ``sum(dim, keepdim, *, dtype)``, or in NumPy's order
    ``sum(axis, dtype, keepdims, initial)``."""
    def sum_to_size(self, *size: Any) -> Tensor:
        """Sum over axes to the shape ``size``, which must broadcast to the tensor's; integers
    sum to int64."""
    def svd(self, full_matrices: _bool = ..., compute_uv: _bool = ...) -> Any:
        """input = u @ diag(s) @ v^H: the singular values s, from the greatest, and u and v."""
    def swapaxes(self, axis0: _int, axis1: _int) -> Tensor:
        """Swap two axes of ``input``."""
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """Swap two axes of ``input``."""
    def t(self) -> Tensor:
        """Transpose a matrix; tensors with another number of axes are returned as they are."""
    def take(self, indices: Tensor, axis: _int | None = ..., mode: str = ...) -> Tensor:
        """Elements (or slices along ``axis``) at ``indices``; mode says what is done to those outside."""
    def tan(self) -> Tensor:
        """The tangent of input (radians)."""
    def tanh(self) -> Tensor:
        """The hyperbolic tangent of input."""
    def tanh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Become ``tanh(...)``."""
    def tensor_split(self, indices_or_sections: Any, axis: _int = ...) -> tuple[Tensor, ...]:
        """Split a tensor into parts that differ in length by at most 1, or at the given
    indices."""
    def tile(self, *args: Any, dims: Any = ...) -> Tensor:
        """Repeat the tensor ``dims[i]`` times along axis i."""
    def to(self, *args: Any, dtype: Any = ..., **placement: Any) -> Tensor:
        """Cast to a dtype, or to that of another tensor; a device is accepted and has no effect."""
    def to_coo(self) -> Any:
        """The non-zero elements, with their positions. They are known only when it runs, so this is
    no part of a graph."""
    def to_csr(self) -> Any:
        """The non-zero elements, with columns and row starts, as a CSRTensor; no part of a graph."""
    def to_dlpack(self) -> Any:
        """The tensor as a DLPack capsule, which other frameworks take in once."""
    def top_k(self, k: _int, sorted: _bool = ...) -> tuple[Tensor, Tensor]:
        """The ``k`` greatest elements along the last axis, and where they were."""
    def topk(self, k: _int, dim: _int | None = ..., largest: _bool = ..., sorted: _bool = ...) -> tuple[Tensor, Tensor]:
        """The ``k`` greatest (or least) elements along ``dim`` (the last axis), and where they were."""
    def trace(self, offset: _int = ..., axis1: _int = ..., axis2: _int = ..., dtype: Any = ...) -> Tensor:
        """The sum of the diagonal ``offset`` along two axes: integers are added as int64, and of bools
    it says whether there is a True."""
    def transpose(self, *axes: Any, dim0: Any = ..., dim1: Any = ...) -> Tensor:
        """Two numbers: these axes swapped; a tuple, or more: the axes in this order; none: reversed."""
    def tril(self, diagonal: _int = ...) -> Tensor:
        """The elements on and below ``diagonal``, zeros above."""
    def triu(self, diagonal: _int = ...) -> Tensor:
        """The elements on and above ``diagonal``, zeros below."""
    def true_divide(self, divisor: Any) -> Tensor:
        """dividend / divisor; integers are divided as float32."""
    def trunc(self) -> Tensor:
        """input without its fraction."""
    def type(self, dtype: Any = ...) -> Any:
        """Cast to ``dtype``; without it, return the name of the tensor's dtype."""
    def type_as(self, other: Tensor) -> Tensor:
        """Cast to the dtype of ``other``."""
    def unbind(self, dim: _int = ...) -> tuple[Tensor, ...]:
        """Return the slices of ``input`` along ``dim``, without that axis."""
    def unfold(self, kernel_size: Any, dilation: Any = ..., padding: Any = ..., stride: Any = ...) -> Tensor:
        """Sliding blocks of an image as columns: (N, C, H, W) -> (N, C*KH*KW, OH*OW)."""
    def uniform(self, from_: Any = ..., to: Any = ..., generator: Any = ...) -> Tensor:
        """A tensor of the same shape of numbers drawn evenly from [from_, to)."""
    def uniform_(self, from_: Any = ..., to: Any = ..., *, generator: Any = ...) -> Tensor:
        """Fill the tensor with numbers drawn uniformly from [from_, to)."""
    def unique(self, sorted: _bool = ..., return_inverse: _bool = ..., return_counts: _bool = ..., dim: _int | None = ...) -> Any:
        """The distinct elements (slices along ``dim``) in order, and what is asked for."""
    def unique_consecutive(self, return_inverse: _bool = ..., return_counts: _bool = ..., dim: Any = ...) -> Any:
        """The elements (slices along ``dim``) that differ from the one before."""
    def unique_with_pad(self, pad_num: Any) -> tuple[Tensor, Tensor]:
        """The distinct elements filled up with ``pad_num``, and which each element is."""
    def unsorted_segment_max(self, segment_ids: Tensor, num_segments: Any) -> Tensor:
        """The maxima of the slices with each id."""
    def unsorted_segment_min(self, segment_ids: Tensor, num_segments: Any) -> Tensor:
        """The minima of the slices with each id."""
    def unsorted_segment_prod(self, segment_ids: Tensor, num_segments: Any) -> Tensor:
        """The products of the slices with each id."""
    def unsqueeze(self, dim: _int) -> Tensor:
        """Insert a new axis of length 1 at ``dim``."""
    def value(self) -> Tensor:
        """The tensor itself; a Parameter returns its present content."""
    def var(self, axis: Any = ..., ddof: _int = ..., keepdims: _bool = ...) -> Tensor:
        """The variance along ``axis``: the sum of squared deviations divided by n - ddof."""
    def view(self, *shape: Any, dtype: Any = ...) -> Tensor:
        """The elements in ``shape``, one length of which may be -1; or the bytes as those of another
    dtype."""
    def view_as(self, other: Tensor) -> Tensor:
        """The elements in the shape of ``other``."""
    def vsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """``tensor_split`` along axis 0."""
    def where(self, condition: Tensor, y: Any) -> Tensor:
        """The tensor's elements where ``condition`` holds, else those of ``y``."""
    def xdivy(self, y: Any) -> Tensor:
        """x / y, and 0 where x is 0."""
    def xlogy(self, other: Any) -> Tensor:
        """input * log(other), and 0 where input is 0 and other a number."""
    def zero_(self) -> Tensor:
        """Set every element to 0."""
