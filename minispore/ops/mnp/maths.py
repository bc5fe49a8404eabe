"""Functions of each element, with NumPy's names; ``dtype`` is that of the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor, call
from minispore.ops.elementwise.arithmetic import Mod
from minispore.ops.elementwise.bases import _Binary
from minispore.ops.mnp.creation import (
    at_least_single,
    at_most_single,
    counted_tensor,
    to_tensor,
)
from minispore.ops.support.spelling import also_spelled

Function = Callable[..., Any]


def _cast(made: Any, dtype: Any) -> Any:
    return made if dtype is None or made.dtype is dtype else made.astype(dtype)


def _of_one(name: str, function: Callable[[Tensor], Tensor], meaning: str) -> Function:
    def run(x: Any, dtype: Any = None) -> Tensor:
        made = function(to_tensor(x))
        return made if dtype is None else ops.cast(made, dtype)

    run.__name__, run.__doc__ = name, f"{meaning}."
    return run


def _of_two(
    name: str, function: Callable[[Any, Any], Tensor], meaning: str, weak: bool = False
) -> Function:
    """A number is a tensor of int32 or float32; beside a tensor of axes a ``weak`` one has the
    dtype of that.
    """

    def run(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
        a, b = to_tensor(x1), to_tensor(x2)
        if weak and a.ndim and isinstance(x2, bool | int | float):
            b = ops.cast(b, a.dtype)
        elif weak and b.ndim and isinstance(x1, bool | int | float):
            a = ops.cast(a, b.dtype)
        made = function(a, b)
        return made if dtype is None else ops.cast(made, dtype)

    run.__name__, run.__doc__ = name, f"{meaning}."
    return run


class RealGcd(_Binary):
    """The greatest number of which x and y are multiples, by Euclid's steps in floats.

    >>> print(RealGcd()(Tensor([2.5, 12.0]), Tensor([7.5, -18.0])))
    [2.5 6. ]
    """

    internal = True
    kinds = "f"

    def kernel(self, x: np.ndarray, y: np.ndarray, *, out: np.ndarray) -> None:
        a, b = np.broadcast_arrays(np.abs(x), np.abs(y))
        while (left := b > 0).any():
            rest = a - b * np.floor(np.divide(a, b, out=np.zeros_like(a), where=left))
            a, b = np.where(left, b, a), np.where(left, np.abs(rest), b)
        out[...] = np.where(np.isnan(x), x, a)


def _divisor(x: Tensor, y: Tensor) -> Tensor:
    if x.dtype is y.dtype is mstype.bool_:
        return ops.logical_or(x, y)
    return call("RealGcd" if "f" in x.dtype.kind + y.dtype.kind else "Gcd", x, y)


def _multiple(x: Tensor, y: Tensor) -> Tensor:
    if x.dtype is y.dtype is mstype.bool_:
        return ops.logical_and(x, y)
    if "f" not in x.dtype.kind + y.dtype.kind:
        return ops.lcm(x, y)
    divisor = _divisor(x, y)
    none = ops.equal(divisor, 0)  # of 0 and 0, whose multiple is 0
    return ops.abs(x) / ops.select(none, ops.ones_like(divisor), divisor) * ops.abs(y)


def _quotient(x: Tensor, y: Tensor) -> Tensor:
    kinds, small = {x.dtype, y.dtype}, {mstype.float16, mstype.float32}
    if kinds == small:
        x, y = at_least_single(x), at_least_single(y)
    elif not kinds & small:
        x, y = at_most_single(x), at_most_single(y)
    return ops.true_divide(x, y)


def _remainder(x: Tensor, y: Tensor) -> Tensor:
    return Mod()(x, y)


def _circular(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """``function`` of floats: small integers come as float16, others as float32."""

    def run(*args: Any) -> Tensor:
        return function(*map(_half_or_single, args))

    return run


def _half_or_single(x: Any) -> Any:
    if not isinstance(x, Tensor) or x.dtype.kind not in "biu":
        return x
    return ops.cast(x, mstype.float16 if x.itemsize == 1 else mstype.float32)


def _reciprocal(x: Tensor) -> Tensor:
    if x.dtype.kind not in "biu":
        return ops.reciprocal(x)
    whole = mstype.int64 if x.dtype.kind == "b" else x.dtype
    most = Tensor(np.iinfo(mstype.to_numpy(whole)).max, whole)  # of 1 / 0
    x = ops.cast(x, whole)
    made = ops.cast(ops.reciprocal(ops.cast(x, mstype.float64)), whole)
    return ops.select(ops.equal(x, 0), most, made)


abs = _of_one("abs", ops.abs, "The absolute value")
absolute = _of_one("absolute", ops.abs, "The absolute value")
arccos = also_spelled(input="x")(
    _of_one("arccos", _circular(ops.acos), "The angle whose cosine is x")
)
arccosh = _of_one("arccosh", _circular(ops.acosh), "The inverse of cosh")
arcsin = _of_one("arcsin", _circular(ops.asin), "The angle whose sine is x")
arcsinh = _of_one("arcsinh", _circular(ops.asinh), "The inverse of sinh")
arctan = _of_one("arctan", _circular(ops.atan), "The angle whose tangent is x")
arctanh = _of_one("arctanh", _circular(ops.atanh), "The inverse of tanh")
bitwise_not = _of_one("bitwise_not", ops.invert, "Each bit turned")
cbrt = _of_one("cbrt", lambda x: _cube_root(x), "The cube root, as floats")
ceil = _of_one(
    "ceil", lambda x: ops.ceil(ops.cast(x, mstype.float32)), "The least whole number not below x"
)
cos = _of_one("cos", _circular(ops.cos), "The cosine")
cosh = _of_one("cosh", _circular(ops.cosh), "The hyperbolic cosine")
deg2rad = _of_one("deg2rad", ops.deg2rad, "Degrees as radians")
exp = _of_one("exp", ops.exp, "e to the power of x")
exp2 = _of_one("exp2", lambda x: ops.pow(2, x), "2 to the power of x, in the dtype of x")
expm1 = _of_one("expm1", ops.expm1, "exp(x) - 1")
fabs = _of_one("fabs", ops.abs, "The absolute value")
fix = _of_one("fix", lambda x: ops.trunc(at_most_single(x)), "x without its fraction")
floor = _of_one("floor", ops.floor, "The greatest whole number not above x")
invert = _of_one("invert", ops.invert, "Each bit turned")
isfinite = _of_one("isfinite", ops.isfinite, "Whether x is finite")
isinf = _of_one("isinf", ops.isinf, "Whether x is infinite")
isnan = _of_one("isnan", ops.isnan, "Whether x is NaN")
log = _of_one("log", ops.log, "The natural logarithm")
log10 = _of_one("log10", ops.log10, "The logarithm to base 10")
log1p = _of_one("log1p", ops.log1p, "log(1 + x)")
log2 = _of_one("log2", ops.log2, "The logarithm to base 2")
logical_not = also_spelled(a="x")(_of_one("logical_not", ops.logical_not, "Whether x is false"))
negative = also_spelled(a="x")(_of_one("negative", ops.neg, "-x"))
positive = also_spelled(a="x")(_of_one("positive", ops.identity, "x"))
rad2deg = _of_one("rad2deg", ops.rad2deg, "Radians as degrees")
radians = _of_one("radians", ops.deg2rad, "Degrees as radians")
reciprocal = _of_one("reciprocal", _reciprocal, "1 / x; of integers, without its fraction")
rint = _of_one("rint", ops.rint, "The nearest whole number, halves to even")
sign = _of_one("sign", lambda x: ops.sign(_float(x)), "-1, 0 or 1, as a float")
sin = _of_one("sin", _circular(ops.sin), "The sine")
sinh = _of_one("sinh", _circular(ops.sinh), "The hyperbolic sine")
sqrt = _of_one("sqrt", ops.sqrt, "The square root")
square = _of_one("square", ops.square, "x x")
tan = _of_one("tan", _circular(ops.tan), "The tangent")
tanh = _of_one("tanh", _circular(ops.tanh), "The hyperbolic tangent")
trunc = _of_one("trunc", lambda x: ops.trunc(at_most_single(x)), "x without its fraction")

add = _of_two("add", ops.add, "x1 + x2")
arctan2 = _of_two("arctan2", _circular(ops.atan2), "The angle of the point (x2, x1)")
bitwise_and = _of_two("bitwise_and", ops.bitwise_and, "The bits that both have")
bitwise_or = _of_two("bitwise_or", ops.bitwise_or, "The bits that one of them has")
bitwise_xor = _of_two("bitwise_xor", ops.bitwise_xor, "The bits that just one of them has")
copysign = _of_two(
    "copysign", lambda x, y: ops.cast(ops.copysign(x, y), x.dtype), "x1 with the sign of x2"
)
divide = _of_two(
    "divide",
    lambda x, y: _quotient(x, y),
    "x1 / x2; float32 of two that are neither it nor float16",
)
equal = _of_two("equal", ops.equal, "Whether x1 = x2")
floor_divide = _of_two("floor_divide", ops.floor_divide, "x1 / x2, rounded down")
float_power = _of_two(
    "float_power", lambda a, b: ops.pow(_single(a), _single(b)), "x1 to the power of x2, in float32"
)
fmod = _of_two("fmod", _remainder, "The rest of x1 / x2, with the sign of x1")
gcd = _of_two("gcd", _divisor, "The greatest common divisor")
greater = _of_two("greater", ops.greater, "Whether x1 > x2")
greater_equal = _of_two("greater_equal", ops.greater_equal, "Whether x1 >= x2")
heaviside = _of_two("heaviside", ops.heaviside, "0 below 0, 1 above, x2 at 0")
hypot = _of_two("hypot", ops.hypot, "sqrt(x1 x1 + x2 x2)")
lcm = _of_two("lcm", _multiple, "The least common multiple")
less = _of_two("less", ops.less, "Whether x1 < x2")
less_equal = _of_two("less_equal", ops.less_equal, "Whether x1 <= x2")
logaddexp = _of_two("logaddexp", ops.logaddexp, "log(exp(x1) + exp(x2))")
logaddexp2 = _of_two("logaddexp2", ops.logaddexp2, "log2(2^x1 + 2^x2)")
logical_and = _of_two("logical_and", ops.logical_and, "Whether both are true")
logical_or = _of_two("logical_or", ops.logical_or, "Whether one is true")
logical_xor = _of_two("logical_xor", ops.logical_xor, "Whether just one is true")
maximum = _of_two("maximum", ops.maximum, "The greater", weak=True)
minimum = _of_two("minimum", ops.minimum, "The lesser", weak=True)
mod = _of_two("mod", ops.floor_mod, "The rest of x1 / x2, with the sign of x2")
multiply = _of_two("multiply", ops.mul, "x1 x2")
not_equal = _of_two("not_equal", ops.not_equal, "Whether x1 and x2 differ")
power = _of_two("power", ops.pow, "x1 to the power of x2")
remainder = _of_two("remainder", ops.floor_mod, "The rest of x1 / x2, with the sign of x2")
subtract = _of_two("subtract", ops.sub, "x1 - x2")
true_divide = _of_two(
    "true_divide", divide, "x1 / x2; float32 of two that are neither it nor float16"
)


def round(a: Any, decimals: int = 0) -> Tensor:
    """``a`` rounded to ``decimals``, halves to even."""
    return ops.round(counted_tensor(a), decimals=decimals)


around = round


def clip(x: Any, xmin: Any, xmax: Any, dtype: Any = None) -> Tensor:
    """``x`` held between ``xmin`` and ``xmax``; either may be None.

    A number as a bound is cast to the dtype of an ``x`` with axes. Where ``x`` is a bound, both
    share its slope.
    """
    made = to_tensor(x)
    if xmin is None and xmax is None:
        raise ValueError("clip: xmin and xmax must not both be None. Give one of them.")
    for bound, held in ((xmin, ops.maximum), (xmax, ops.minimum)):
        if made.ndim and isinstance(bound, bool | int | float):
            made = held(made, ops.cast(to_tensor(bound), made.dtype))
        elif bound is not None:
            made = held(made, to_tensor(bound))
    return _cast(made, dtype)


def isclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether ``a`` and ``b`` differ by no more than atol + rtol |b|."""
    return ops.isclose(to_tensor(a), to_tensor(b), rtol, atol, equal_nan)


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Tensor:
    """Whether shapes and all elements are equal."""
    a, b = to_tensor(a1), to_tensor(a2)
    if a.shape != b.shape:
        return Tensor(False)
    same = ops.equal(a, b)
    if equal_nan and a.dtype.kind == "f" and b.dtype.kind == "f":
        same = ops.logical_or(same, ops.logical_and(ops.isnan(a), ops.isnan(b)))
    return ops.all(same)


def wide(x: Tensor) -> Tensor:
    """``x`` as float32, or wider if it is that."""
    return ops.cast(x, mstype.float32) if x.dtype.kind in "biu" or x.itemsize == 2 else x


def _single(x: Tensor) -> Tensor:
    return ops.cast(x, mstype.float32)


def _float(x: Any) -> Any:
    floating = not isinstance(x, Tensor) or x.dtype.kind in "fc"
    return x if floating else ops.cast(x, mstype.float32)


def _cube_root(x: Tensor) -> Tensor:
    x = at_least_single(_float(x))
    return ops.sign(x) * ops.pow(ops.abs(x), 1 / 3)


def divmod(x1: Any, x2: Any, dtype: Any = None) -> tuple[Tensor, Tensor]:
    """``x1 / x2`` rounded down, and the rest; the first has the tensor's dtype beside a number."""
    given = [x if isinstance(x, int | float) else to_tensor(x) for x in (x1, x2)]
    if any(isinstance(x, Tensor) for x in given):
        return _cast(ops.floor_divide(*given), dtype), mod(x1, x2, dtype)
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
