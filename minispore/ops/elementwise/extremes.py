"""Maximum and minimum of two inputs, and clamping, element by element."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Calls, Cotangents, Primitive, Promotion
from minispore.core.tensor import Tensor, method
from minispore.execution.layout import LIKE_INPUT, compute_axis_order
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import (
    REAL,
    _Binary,
    _Unary,
    broadcast,
    check_dtype_kind,
    unbroadcast,
    view_as_integers,
)
from minispore.ops.elementwise.compare import (
    Equal,
    Greater,
    GreaterEqual,
    IsFinite,
    Less,
    LessEqual,
)
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import FLOAT_KINDS, ORDERED_KINDS, check_number


class MaximumGrad(Primitive):
    """The gradient of max(x, y) by x: dy where x > y, dy / 2 where x = y, 0 where x < y.

    For integers dy / 2 is truncated.

    >>> x, y = Tensor([1.0, 2.0, 3.0]), Tensor([2.0, 2.0, 2.0])
    >>> print(MaximumGrad()(Tensor([5.0, 5.0, 5.0]), x, y))
    [0.  2.5 5. ]
    """

    layout = LIKE_INPUT
    promotion = Promotion((0, 1, 2))

    def infer(self, dy: Spec, x: Any, y: Any) -> Spec:
        shape = broadcast(self.name, dy, x, y)
        return Spec(shape, check_dtype_kind(self.name, dy, "fViu", "dy").dtype)

    def scratch(self, dy: Spec, x: Any, y: Any) -> tuple[Spec, ...]:
        return (Spec(self.infer(dy, x, y).shape, np.dtype(bool)),)

    def calls(self, dy: np.ndarray, x: Any, y: Any, *, out: np.ndarray, work: Any) -> Calls:
        """Return calls that subtract dy times the mask x < y from dy, bitwise, and halve dy where x
        = y.
        """
        out_bits, dy_bits = view_as_integers(out), view_as_integers(dy)
        # The mask has the memory order of ``out``.
        order = compute_axis_order(Spec(out.shape, out.dtype), LIKE_INPUT, [out])
        equal = work[0].reshape([out.shape[i] for i in order])
        equal = equal.transpose(sorted(range(out.ndim), key=order.__getitem__))
        return [
            partial(np.less, x, y, out=out_bits),  # 0 or 1, so no mask has to be allocated
            partial(np.multiply, out_bits, dy_bits, out=out_bits),
            partial(np.subtract, dy_bits, out_bits, out=out_bits),
            partial(np.equal, x, y, out=equal),
            partial(np.multiply, out, 0.5, out=out, where=equal, casting="unsafe"),
        ]

    def vjp(self, dy: Tensor, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: unbroadcast(MaximumGrad()(dout, x, y), dy),)


class Maximum(_Binary):
    """The maximum of x and y; where they are equal, each gets half of the gradient.

    >>> print(Maximum()(Tensor([1.0, 5.0]), 2))
    [2. 5.]
    """

    ufunc: ClassVar[Any] = np.maximum
    kinds = REAL

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(MaximumGrad()(dout, x, y), x),
            lambda: unbroadcast(MaximumGrad()(dout, y, x), y),
        )


class Minimum(_Binary):
    """The minimum of x and y; where they are equal, each gets half of the gradient.

    >>> print(Minimum()(Tensor([1.0, 5.0]), 2))
    [1. 2.]
    """

    ufunc: ClassVar[Any] = np.minimum
    kinds = REAL

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(MaximumGrad()(dout, y, x), x),
            lambda: unbroadcast(MaximumGrad()(dout, x, y), y),
        )


class ClampMin(_Binary):
    """The maximum of x and a lower bound; where they are equal, x gets the gradient.

    >>> print(ClampMin()(Tensor([1.0, 5.0]), 2))
    [2. 5.]
    """

    ufunc = np.maximum
    kinds = REAL

    def vjp(self, x: Any, bound: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(Select()(GreaterEqual()(x, bound), dout, 0), x),
            lambda: unbroadcast(Select()(Less()(x, bound), dout, 0), bound),
        )


class ClampMax(_Binary):
    """The minimum of x and an upper bound; where they are equal, x gets the gradient.

    >>> print(ClampMax()(Tensor([1.0, 5.0]), 2))
    [1. 2.]
    """

    ufunc = np.minimum
    kinds = REAL

    def vjp(self, x: Any, bound: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(Select()(LessEqual()(x, bound), dout, 0), x),
            lambda: unbroadcast(Select()(Greater()(x, bound), dout, 0), bound),
        )


class Fmax(_Binary):
    """The maximum of x and y, ignoring NaN; where they are equal, x gets the gradient.

    >>> print(Fmax()(Tensor([1.0, float("nan")]), Tensor([2.0, 3.0])))
    [2. 3.]
    """

    ufunc: ClassVar[Any] = np.fmax
    kinds = REAL

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(Select()(Equal()(x, out), dout, 0), x),
            lambda: unbroadcast(Select()(Equal()(x, out), 0, dout), y),
        )


class Fmin(Fmax):
    """The minimum of x and y, ignoring NaN; where they are equal, x gets the gradient.

    >>> print(Fmin()(Tensor([1.0, float("nan")]), Tensor([2.0, 3.0])))
    [1. 3.]
    """

    ufunc = np.fmin


class Heaviside(_Binary):
    """0 where x < 0 or NaN, y where x = 0, 1 where x > 0.

    >>> print(Heaviside()(Tensor([-1.5, 0.0, 2.0]), Tensor([0.5])))
    [0.  0.5 1. ]
    """

    kinds = ORDERED_KINDS

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        np.copyto(out, np.where(x == 0, y, x > 0), casting="unsafe")


class NanToNum(_Unary):
    """x with NaN replaced by 0, and infinities by the largest finite numbers, or by the attributes.

    >>> print(NanToNum(1.0, 2.0, 3.0)(Tensor([float("nan"), float("inf"), 5.0])))
    [1. 2. 5.]
    """

    kinds = FLOAT_KINDS
    nan: float | None = None
    posinf: float | None = None
    neginf: float | None = None

    def check(self) -> None:
        for field in self.fields:
            if getattr(self, field) is not None:
                check_number(self.name, getattr(self, field), field)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Replace NaN by ``nan``, by default 0, and infinities by the largest finite numbers or the
        attributes.
        """
        zero = 0.0 if self.nan is None else self.nan
        np.copyto(out, np.nan_to_num(x, nan=zero, posinf=self.posinf, neginf=self.neginf))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: Select()(IsFinite()(x), dout, 0),)


_MAX_FINITE = {mstype.float16: 65504.0, mstype.bfloat16: (2 - 2**-7) * 2.0**127}


# -- functions ------------------------------------------------------------------------------------


@method("maximum")
def maximum(input: Any, other: Any) -> Tensor:
    """Apply :class:`Maximum` to ``input`` and ``other``."""
    return Maximum()(input, other)


@method("minimum")
def minimum(input: Any, other: Any) -> Tensor:
    """Apply :class:`Minimum` to ``input`` and ``other``."""
    return Minimum()(input, other)


@method("fmax")
def fmax(input: Any, other: Any) -> Tensor:
    """Return the maximum of ``input`` and ``other``, ignoring NaN.

    Where they are equal, ``input`` gets the gradient.
    """
    return Fmax()(input, other)


@method("fmin")
def fmin(input: Any, other: Any) -> Tensor:
    """Return the minimum of ``input`` and ``other``, ignoring NaN.

    Where they are equal, ``input`` gets the gradient.
    """
    return Fmin()(input, other)


@method("heaviside")
def heaviside(input: Any, values: Any) -> Tensor:
    """Apply :class:`Heaviside` to ``input`` and ``values``."""
    return Heaviside()(input, values)


def _cast_bound(bound: Any, x: Tensor) -> Any:
    """Cast a 0-d tensor bound to the dtype of x, or to float32 for a float bound of integers.

    Other bounds are returned unchanged, as is any bound if ``x`` is a Python scalar.
    """
    if not isinstance(bound, Tensor) or bound.ndim or not isinstance(x, Tensor):
        return bound
    widens = bound.dtype.kind == "f" and x.dtype.kind in "iu"
    return Cast()(bound, mstype.float32 if widens else x.dtype)


@method("clamp")
@method("clip")
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Clamp ``input`` between ``min`` and ``max``, tensors or numbers; either may be None.

    Raises:
        ValueError: both bounds are None, or an argument is bool.

    >>> print(clamp(Tensor([1, 5, 9]), 2, 6))
    [2 5 6]
    """
    if min is None and max is None:
        raise ValueError("clamp: at least one of 'min' or 'max' must not be None, got neither.")
    for name, value in (("input", input), ("min", min), ("max", max)):
        if value.__class__ is bool or (isinstance(value, Tensor) and value.dtype.kind == "b"):
            raise ValueError(f"clamp: {name} must not be bool, got {value!r}. Cast it first.")
    has_both = min is not None and max is not None
    if has_both and isinstance(min, Tensor) != isinstance(max, Tensor):
        min, max = _cast_bound(min, input), _cast_bound(max, input)
    if min is not None:
        input = ClampMin()(input, min)
    return input if max is None else ClampMax()(input, max)


def clip(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """:func:`clamp`."""
    return clamp(input, min, max)


@method("nan_to_num")
def nan_to_num(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """Return ``input`` with NaN replaced by ``nan``, and infinities by ``posinf`` and ``neginf``.

    By default, NaN becomes 0, and infinities the largest finite numbers of the dtype.
    """
    if isinstance(input, Tensor) and input.dtype in _MAX_FINITE:  # computed in float32
        max_finite = _MAX_FINITE[input.dtype]
        posinf, neginf = (
            max_finite if posinf is None else posinf,
            -max_finite if neginf is None else neginf,
        )
    return NanToNum(nan, posinf, neginf)(input)


__all__ = [
    "ClampMax",
    "ClampMin",
    "Fmax",
    "Fmin",
    "Heaviside",
    "Maximum",
    "MaximumGrad",
    "Minimum",
    "NanToNum",
    "clamp",
    "clip",
    "fmax",
    "fmin",
    "heaviside",
    "maximum",
    "minimum",
    "nan_to_num",
]
