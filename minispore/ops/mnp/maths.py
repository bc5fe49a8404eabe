"""Element-wise functions with NumPy's names; ``dtype`` is the dtype of the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor, call
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import Mod
from minispore.ops.elementwise.bases import _Binary
from minispore.ops.mnp.creation import (
    to_single_or_less,
    to_tensor,
    to_tensor_int64,
    widen_half_floats,
)
from minispore.ops.support.spelling import also_spelled

Function = Callable[..., Any]


def cast_if_needed(x: Any, dtype: Any) -> Any:
    """Cast x to ``dtype``; return x unchanged if it has this dtype or ``dtype`` is None."""
    return x if dtype is None or x.dtype is dtype else x.astype(dtype)


def _make_unary(api_name: str, function: Callable[[Tensor], Tensor], meaning: str) -> Function:
    """Return a NumPy-style function named ``api_name`` of one argument that applies ``function``.

    ``meaning`` becomes its docstring.
    """

    def apply(x: Any, dtype: Any = None) -> Tensor:
        """Convert ``x`` to a tensor, apply the function, and cast to ``dtype`` unless it is
        None.
        """
        output = function(to_tensor(x))
        return output if dtype is None else ops.cast(output, dtype)

    apply.__name__ = api_name
    apply.__doc__ = f"{meaning}."
    return apply


def _make_binary(
    api_name: str, function: Callable[[Any, Any], Tensor], meaning: str, weak: bool = False
) -> Function:
    """Return a NumPy-style function named ``api_name`` of two arguments that applies ``function``.

    ``meaning`` becomes its docstring. Python scalars become int32 or float32 tensors. With
    ``weak``, a scalar takes the dtype of the other operand if that has axes.
    """

    def apply(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
        """Apply the function; if ``weak``, a scalar takes the dtype of the tensor operand."""
        a, b = to_tensor(x1), to_tensor(x2)
        if weak and a.ndim and isinstance(x2, bool | int | float):
            b = ops.cast(b, a.dtype)
        elif weak and b.ndim and isinstance(x1, bool | int | float):
            a = ops.cast(a, b.dtype)
        output = function(a, b)
        return output if dtype is None else ops.cast(output, dtype)

    apply.__name__ = api_name
    apply.__doc__ = f"{meaning}."
    return apply


class RealGcd(_Binary):
    """The greatest number of which x and y are multiples, by Euclid's algorithm in floats; NaN for
    NaN.

    >>> print(RealGcd()(Tensor([2.5, 12.0]), Tensor([7.5, -18.0])))
    [2.5 6. ]
    """

    kinds = "f"

    def kernel(self, x: np.ndarray, y: np.ndarray, *, out: np.ndarray) -> None:
        """Write the divisor; NaN where x is NaN, the magnitude of x where y is 0."""
        a, b = np.broadcast_arrays(np.abs(x), np.abs(y))
        while (is_nonzero := b > 0).any():
            remainder = a - b * np.floor(np.divide(a, b, out=np.zeros_like(a), where=is_nonzero))
            a, b = np.where(is_nonzero, b, a), np.where(is_nonzero, np.abs(remainder), b)
        out[...] = np.where(np.isnan(x), x, a)


def _compute_gcd(x: Tensor, y: Tensor) -> Tensor:
    """Return the greatest common divisor of integers or floats; for bools, ``x or y``."""
    if x.dtype is y.dtype is mstype.bool_:
        return ops.logical_or(x, y)
    return call("RealGcd" if "f" in x.dtype.kind + y.dtype.kind else "Gcd", x, y)


def _compute_lcm(x: Tensor, y: Tensor) -> Tensor:
    """Return the least common multiple of integers or floats, 0 for two zeros; for bools, ``x and
    y``.
    """
    if x.dtype is y.dtype is mstype.bool_:
        return ops.logical_and(x, y)
    if "f" not in x.dtype.kind + y.dtype.kind:
        return ops.lcm(x, y)
    divisor = _compute_gcd(x, y)
    is_zero = ops.equal(divisor, 0)  # gcd(0, 0) is 0, and so is lcm(0, 0)
    return ops.abs(x) / ops.select(is_zero, ops.ones_like(divisor), divisor) * ops.abs(y)


def _divide(x: Tensor, y: Tensor) -> Tensor:
    """Divide as floats: float16 with float32 computes in float32, and so do two other real dtypes,
    float64 included. Where one is float16 or float32, the usual promotion applies.
    """
    kinds, float_dtypes = {x.dtype, y.dtype}, {mstype.float16, mstype.float32}
    if kinds == float_dtypes:
        x, y = widen_half_floats(x), widen_half_floats(y)
    elif not kinds & float_dtypes:
        x, y = to_single_or_less(x), to_single_or_less(y)
    return ops.true_divide(x, y)


def _compute_remainder(x: Tensor, y: Tensor) -> Tensor:
    """Return the remainder with the sign of ``x``."""
    return Mod()(x, y)


def _cast_ints_to_float(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return ``function`` wrapped to cast integer and bool tensors: one-byte dtypes to float16,
    others to float32.
    """

    def apply(*args: Any) -> Tensor:
        """Call the function with integer and bool tensors cast to floats."""
        return function(*map(_to_half_or_single, args))

    return apply


def _to_half_or_single(x: Any) -> Any:
    """Cast an integer or bool tensor to float16 (one-byte dtypes) or float32; return others
    unchanged.
    """
    if not isinstance(x, Tensor) or x.dtype.kind not in "biu":
        return x
    return ops.cast(x, mstype.float16 if x.itemsize == 1 else mstype.float32)


def _compute_reciprocal(x: Tensor) -> Tensor:
    """Return 1 / x, truncated for integers, with the largest integer for x = 0."""
    if x.dtype.kind not in "biu":
        return ops.reciprocal(x)
    int_dtype = mstype.int64 if x.dtype.kind == "b" else x.dtype
    largest = Tensor(np.iinfo(mstype.to_numpy(int_dtype)).max, int_dtype)  # result of 1 / 0
    x = ops.cast(x, int_dtype)
    truncated = ops.cast(ops.reciprocal(ops.cast(x, mstype.float64)), int_dtype)
    return ops.select(ops.equal(x, 0), largest, truncated)


abs = _make_unary("abs", ops.abs, "The absolute value")
absolute = _make_unary("absolute", ops.abs, "The absolute value")
arccos = also_spelled(input="x")(
    _make_unary("arccos", _cast_ints_to_float(ops.acos), "The angle whose cosine is x")
)
arccosh = _make_unary("arccosh", _cast_ints_to_float(ops.acosh), "The inverse of cosh")
arcsin = _make_unary("arcsin", _cast_ints_to_float(ops.asin), "The angle whose sine is x")
arcsinh = _make_unary("arcsinh", _cast_ints_to_float(ops.asinh), "The inverse of sinh")
arctan = _make_unary("arctan", _cast_ints_to_float(ops.atan), "The angle whose tangent is x")
arctanh = _make_unary("arctanh", _cast_ints_to_float(ops.atanh), "The inverse of tanh")
bitwise_not = _make_unary("bitwise_not", ops.invert, "The bitwise complement")
cbrt = _make_unary("cbrt", lambda x: _compute_cube_root(x), "The cube root, as floats")
ceil = _make_unary(
    "ceil", lambda x: ops.ceil(ops.cast(x, mstype.float32)), "The least whole number not below x"
)
cos = _make_unary("cos", _cast_ints_to_float(ops.cos), "The cosine")
cosh = _make_unary("cosh", _cast_ints_to_float(ops.cosh), "The hyperbolic cosine")
deg2rad = _make_unary("deg2rad", ops.deg2rad, "Degrees as radians")
exp = _make_unary("exp", ops.exp, "e to the power of x")
exp2 = _make_unary("exp2", lambda x: ops.pow(2, x), "2 to the power of x, in the dtype of x")
expm1 = _make_unary("expm1", ops.expm1, "exp(x) - 1")
fabs = _make_unary("fabs", ops.abs, "The absolute value")
fix = _make_unary("fix", lambda x: ops.trunc(to_single_or_less(x)), "x rounded towards 0")
floor = _make_unary("floor", ops.floor, "The greatest whole number not above x")
invert = _make_unary("invert", ops.invert, "The bitwise complement")
isfinite = _make_unary("isfinite", ops.isfinite, "Whether x is finite")
isinf = _make_unary("isinf", ops.isinf, "Whether x is infinite")
isnan = _make_unary("isnan", ops.isnan, "Whether x is NaN")
log = _make_unary("log", ops.log, "The natural logarithm")
log10 = _make_unary("log10", ops.log10, "The logarithm to base 10")
log1p = _make_unary("log1p", ops.log1p, "log(1 + x)")
log2 = _make_unary("log2", ops.log2, "The logarithm to base 2")
logical_not = also_spelled(a="x")(_make_unary("logical_not", ops.logical_not, "Whether x is false"))
negative = also_spelled(a="x")(_make_unary("negative", ops.neg, "-x"))
positive = also_spelled(a="x")(_make_unary("positive", ops.identity, "x"))
rad2deg = _make_unary("rad2deg", ops.rad2deg, "Radians as degrees")
radians = _make_unary("radians", ops.deg2rad, "Degrees as radians")
reciprocal = _make_unary("reciprocal", _compute_reciprocal, "1 / x; of integers, rounded towards 0")
rint = _make_unary("rint", ops.rint, "The nearest whole number, halves to even")
sign = _make_unary("sign", lambda x: ops.sign(_to_float(x)), "-1, 0 or 1, as a float")
sin = _make_unary("sin", _cast_ints_to_float(ops.sin), "The sine")
sinh = _make_unary("sinh", _cast_ints_to_float(ops.sinh), "The hyperbolic sine")
sqrt = _make_unary("sqrt", ops.sqrt, "The square root")
square = _make_unary("square", ops.square, "x * x")
tan = _make_unary("tan", _cast_ints_to_float(ops.tan), "The tangent")
tanh = _make_unary("tanh", _cast_ints_to_float(ops.tanh), "The hyperbolic tangent")
trunc = _make_unary("trunc", lambda x: ops.trunc(to_single_or_less(x)), "x rounded towards 0")

add = _make_binary("add", ops.add, "x1 + x2")
arctan2 = _make_binary("arctan2", _cast_ints_to_float(ops.atan2), "The angle of the point (x2, x1)")
bitwise_and = _make_binary("bitwise_and", ops.bitwise_and, "The bitwise and")
bitwise_or = _make_binary("bitwise_or", ops.bitwise_or, "The bitwise or")
bitwise_xor = _make_binary("bitwise_xor", ops.bitwise_xor, "The bitwise exclusive or")
copysign = _make_binary(
    "copysign", lambda x, y: ops.cast(ops.copysign(x, y), x.dtype), "x1 with the sign of x2"
)
divide = _make_binary(
    "divide",
    lambda x, y: _divide(x, y),
    "x1 / x2, in float32 unless one is float16 or float32",
)
equal = _make_binary("equal", ops.equal, "Whether x1 = x2")
floor_divide = _make_binary("floor_divide", ops.floor_divide, "x1 / x2, rounded down")
float_power = _make_binary(
    "float_power",
    lambda a, b: ops.pow(_to_single(a), _to_single(b)),
    "x1 to the power of x2, in float32",
)
fmod = _make_binary("fmod", _compute_remainder, "The remainder of x1 / x2, with the sign of x1")
gcd = _make_binary("gcd", _compute_gcd, "The greatest common divisor")
greater = _make_binary("greater", ops.greater, "Whether x1 > x2")
greater_equal = _make_binary("greater_equal", ops.greater_equal, "Whether x1 >= x2")
heaviside = _make_binary("heaviside", ops.heaviside, "0 below 0, 1 above, x2 at 0")
hypot = _make_binary("hypot", ops.hypot, "sqrt(x1^2 + x2^2)")
lcm = _make_binary("lcm", _compute_lcm, "The least common multiple")
less = _make_binary("less", ops.less, "Whether x1 < x2")
less_equal = _make_binary("less_equal", ops.less_equal, "Whether x1 <= x2")
logaddexp = _make_binary("logaddexp", ops.logaddexp, "log(exp(x1) + exp(x2))")
logaddexp2 = _make_binary("logaddexp2", ops.logaddexp2, "log2(2^x1 + 2^x2)")
logical_and = _make_binary("logical_and", ops.logical_and, "Whether both are true")
logical_or = _make_binary("logical_or", ops.logical_or, "Whether one is true")
logical_xor = _make_binary("logical_xor", ops.logical_xor, "Whether just one is true")
maximum = _make_binary("maximum", ops.maximum, "The greater", weak=True)
minimum = _make_binary("minimum", ops.minimum, "The lesser", weak=True)
mod = _make_binary("mod", ops.floor_mod, "The remainder of x1 / x2, with the sign of x2")
multiply = _make_binary("multiply", ops.mul, "x1 * x2")
not_equal = _make_binary("not_equal", ops.not_equal, "Whether x1 and x2 differ")
power = _make_binary("power", ops.pow, "x1 to the power of x2")
remainder = _make_binary(
    "remainder", ops.floor_mod, "The remainder of x1 / x2, with the sign of x2"
)
subtract = _make_binary("subtract", ops.sub, "x1 - x2")
true_divide = _make_binary(
    "true_divide", divide, "x1 / x2, in float32 unless one is float16 or float32"
)


def round(a: Any, decimals: int = 0) -> Tensor:
    """Return ``a`` rounded to ``decimals`` digits, with halves rounded to even; Python ints become
    int64.
    """
    return ops.round(to_tensor_int64(a), decimals=decimals)


around = round


def clip(x: Any, xmin: Any, xmax: Any, dtype: Any = None) -> Tensor:
    """Clamp ``x`` to [``xmin``, ``xmax``]; one of the bounds may be None, both raise ValueError.

    A scalar bound is cast to the dtype of an ``x`` with axes. Where ``x`` equals a bound, both
    share the gradient.
    """
    clipped = to_tensor(x)
    if xmin is None and xmax is None:
        raise ValueError("clip: xmin and xmax must not both be None. Give one of them.")
    for bound, bounding_op in ((xmin, ops.maximum), (xmax, ops.minimum)):
        if clipped.ndim and isinstance(bound, bool | int | float):
            clipped = bounding_op(clipped, ops.cast(to_tensor(bound), clipped.dtype))
        elif bound is not None:
            clipped = bounding_op(clipped, to_tensor(bound))
    return cast_if_needed(clipped, dtype)


def isclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether each element of ``a`` and of ``b`` differ by no more than atol + rtol |b|.

    NaNs are close only if ``equal_nan``.
    """
    return ops.isclose(to_tensor(a), to_tensor(b), rtol, atol, equal_nan)


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Tensor:
    """Whether both have the same shape and elements, as a 0-d bool tensor; with ``equal_nan``, NaN
    equals NaN.
    """
    a, b = to_tensor(a1), to_tensor(a2)
    if a.shape != b.shape:
        return Tensor(False)
    is_equal = ops.equal(a, b)
    if equal_nan and a.dtype.kind == "f" and b.dtype.kind == "f":
        is_equal = ops.logical_or(is_equal, ops.logical_and(ops.isnan(a), ops.isnan(b)))
    return ops.all(is_equal)


def widen_to_single(x: Tensor) -> Tensor:
    """Cast integers, bools, float16 and bfloat16 to float32; return other tensors unchanged."""
    return ops.cast(x, mstype.float32) if x.dtype.kind in "biu" or x.itemsize == 2 else x


def _to_single(x: Tensor) -> Tensor:
    """Cast ``x`` to float32."""
    return ops.cast(x, mstype.float32)


def _to_float(x: Any) -> Any:
    """Cast integer and bool tensors to float32; return anything else unchanged."""
    is_float = not isinstance(x, Tensor) or x.dtype.kind in "fc"
    return x if is_float else ops.cast(x, mstype.float32)


def _compute_cube_root(x: Tensor) -> Tensor:
    """Return the real cube root, negative for negative ``x``."""
    x = widen_half_floats(_to_float(x))
    return ops.sign(x) * ops.pow(ops.abs(x), 1 / 3)


def divmod(x1: Any, x2: Any, dtype: Any = None) -> tuple[Tensor, Tensor]:
    """Return ``x1 / x2`` rounded down, and the remainder with the sign of ``x2``, both cast to
    ``dtype``.

    For a tensor and a scalar, the quotient has the dtype of the tensor.
    """
    operands = [x if isinstance(x, int | float) else to_tensor(x) for x in (x1, x2)]
    if any(isinstance(x, Tensor) for x in operands):
        return cast_if_needed(ops.floor_divide(*operands), dtype), mod(x1, x2, dtype)
    return floor_divide(x1, x2, dtype), mod(x1, x2, dtype)


__all__ = [
    "abs",
    "absolute",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "around",
    "array_equal",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "clip",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "divide",
    "divmod",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fix",
    "float_power",
    "floor",
    "floor_divide",
    "fmod",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "invert",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "lcm",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "negative",
    "not_equal",
    "positive",
    "power",
    "rad2deg",
    "radians",
    "reciprocal",
    "remainder",
    "rint",
    "round",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
]
