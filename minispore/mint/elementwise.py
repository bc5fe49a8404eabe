"""Element-wise functions whose arguments differ from those in ``ops``."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import difference, scale_other
from minispore.ops.elementwise.powers import Pow
from minispore.ops.shape.cast_fill import Cast, Identity
from minispore.ops.support.arguments import check_tensors


def add(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return input + alpha * other.

    >>> print(add(Tensor([1, 2]), Tensor([3, 4]), alpha=2))
    [ 7 10]
    """
    return ops.add(input, scale_other(input, other, alpha))


def sub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return input - alpha * other; for bools, whether they differ.

    >>> print(sub(Tensor([5, 6]), 2))
    [3 4]
    """
    return difference(input, other, alpha=alpha)


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """Return input + value * tensor1 / tensor2, broadcast to a common shape."""
    return ops.addcdiv(input, tensor1, tensor2, value)


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """Return input + value * tensor1 * tensor2, broadcast to a common shape."""
    return ops.addcmul(input, tensor1, tensor2, value)


def sqrt(input: Tensor) -> Tensor:
    """Return the square root of ``input``; NaN for negative numbers."""
    return ops.sqrt(input)


def exp2(input: Tensor) -> Tensor:
    """Return 2 to the power of ``input``, as floats.

    >>> print(exp2(Tensor([3, 0])))
    [8. 1.]
    """
    return Pow()(2.0, input)


def frac(input: Tensor) -> Tensor:
    """Return the fractional part of ``input``.

    >>> print(frac(Tensor([2.5, -1.25])))
    [ 0.5  -0.25]
    """
    return ops.frac(input)


def isnan(tensor: Tensor) -> Tensor:
    """Return a bool tensor that is True where ``tensor`` is NaN."""
    return ops.isnan(tensor)


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Return ``input`` rounded to ``decimals`` digits after the point (negative: before it), with
    halves rounded to even.

    >>> print(round(Tensor([1.25, 3.5]), decimals=1))
    [1.2 3.5]
    """
    return ops.round(input, decimals=decimals)


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent of ``input``; integers and bools are cast to float32."""
    check_tensors("tanh", input=input)
    return ops.tanh(convert_to_float(input))


def sigmoid(input: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-input)); integers and bools are cast to float32.

    >>> print(sigmoid(Tensor([0])))
    [0.5]
    """
    check_tensors("sigmoid", input=input)
    return ops.sigmoid(convert_to_float(input))


def convert_to_float(x: Tensor) -> Tensor:
    """Return ``x``, cast to float32 if it holds integers or bools."""
    return Cast()(x, mstype.float32) if x.dtype.kind in "biu" else x


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Return ``input`` where ``condition`` is true, else ``other``.

    Without ``input`` and ``other``, return a tuple of the indices of True along each axis. Only one
    of the two raises a TypeError.

    >>> print(where(Tensor([True, False]), Tensor([1.0, 2.0]), 0.0))
    [1. 0.]
    >>> print(*where(Tensor([[False, True]])))
    [0] [1]
    """
    if input is None and other is None:
        return ops.nonzero(condition, as_tuple=True)
    if input is None or other is None:
        raise TypeError("where: input and other must be given together, got one of them.")
    return ops.where(condition, input, other)


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements, as a Python bool.

    Dtypes may differ. Anything but tensors raises a TypeError.

    >>> equal(Tensor([1, 2]), Tensor([1, 2])), equal(Tensor([1, 2]), Tensor([1]))
    (True, False)
    """
    for name, x in (("input", input), ("other", other)):
        if not isinstance(x, Tensor):
            raise TypeError(f"equal: {name} must be a Tensor, got {x!r}.")
    return input.shape == other.shape and bool(ops.all(ops.equal(input, other)))


def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all elements are close, as a Python bool: |input - other| <= atol + rtol * |other|.

    With ``equal_nan``, NaN is close to NaN.

    >>> allclose(Tensor([1.0]), Tensor([1.0 + 1e-7]))
    True
    """
    return bool(ops.all(ops.isclose(input, other, rtol, atol, equal_nan)))


def item(input: Tensor) -> Any:
    """Return the only element of ``input`` as a Python number.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: it has no element, or several.
    """
    check_tensors("item", input=input)
    return input.item()


def clone(input: Tensor) -> Tensor:
    """Return a copy of ``input``, through which gradients flow."""
    return Identity()(input)


__all__ = [
    "add",
    "addcdiv",
    "addcmul",
    "allclose",
    "clone",
    "equal",
    "exp2",
    "frac",
    "isnan",
    "item",
    "round",
    "sigmoid",
    "sqrt",
    "sub",
    "tanh",
    "where",
]
