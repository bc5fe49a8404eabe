"""Sums of several inputs, with weights."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, Promotion
from minispore.core.tensor import Tensor, method
from minispore.execution.layout import LIKE_INPUT
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import (
    NUMBER,
    broadcast,
    check_dtype_kind,
    check_same_dtype,
    get_common_dtype,
    unbroadcast,
)
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import FLOAT_KINDS, ORDERED_KINDS, check_number


class AddN(Primitive):
    """The sum of a tuple of tensors of the same shape and dtype.

    >>> print(AddN()((Tensor([1.0]), Tensor([2.0]), Tensor([3.0]))))
    [6.]
    """

    pointwise = True
    variadic = True
    layout = LIKE_INPUT

    def infer(self, *xs: Any) -> Spec:
        """Return the spec of the inputs; raise ValueError if there are none or their specs
        differ.
        """
        if not xs:
            raise ValueError(f"{self.name}: x must hold at least one tensor, got none.")
        for x in xs:
            if check_dtype_kind(self.name, x, NUMBER, "every input") != xs[0]:
                raise ValueError(
                    f"{self.name}: inputs must have one shape and dtype, got {x} and {xs[0]}."
                )
        return xs[0]

    def kernel(self, *xs: np.ndarray, out: np.ndarray) -> None:
        np.copyto(out, xs[0])
        for x in xs[1:]:
            np.add(out, x, out=out)

    def vjp(self, *xs: Tensor, out: Tensor, dout: Tensor) -> Cotangents:
        return (dout,) * len(xs)


class AccumulateNV2(AddN):
    """The sum of a tuple of tensors of the same shape and dtype.

    >>> print(AccumulateNV2()((Tensor([1.0]), Tensor([2.0]))))
    [3.]
    """


class _WeightedSum(Primitive):
    """Base of ops that compute x + combine(value * y, z), with ``value`` cast to the dtype of x, y
    and z.
    """

    pointwise = True
    layout = LIKE_INPUT
    kinds: ClassVar[str]

    def infer(self, x: Spec, y: Spec, z: Spec, value: Any) -> Spec:
        dtype = check_same_dtype(self.name, x, y, z, kinds=self.kinds)
        if not isinstance(value, Spec):
            for number in value if isinstance(value, tuple) else (value,):
                check_number(self.name, number, "value")
        return Spec(broadcast(self.name, x, y, z, value), dtype)

    def kernel(self, x: Any, y: Any, z: Any, value: Any, *, out: np.ndarray) -> None:
        product = np.multiply(y, np.asarray(value).astype(out.dtype))
        np.add(x, self.combine(product, z), out=out)

    def combine(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return the product or quotient of ``y`` (already multiplied by ``value``) and ``z``;
        subclasses override this.
        """
        raise NotImplementedError


class Addcmul(_WeightedSum):
    """x + value * y * z; for integers, ``value`` is converted to an integer.

    >>> print(Addcmul()(Tensor([1.0]), Tensor([2.0]), Tensor([3.0]), Tensor([10.0])))
    [61.]
    """

    kinds = ORDERED_KINDS

    def combine(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return y * z, where ``y`` is already multiplied by ``value``."""
        return np.multiply(y, z)

    def vjp(self, x: Any, y: Any, z: Any, value: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(dout, x),
            lambda: unbroadcast(dout * value * z, y),
            lambda: unbroadcast(dout * value * y, z),
            lambda: unbroadcast(dout * y * z, value),
        )


class Addcdiv(_WeightedSum):
    """x + value * y / z; for int64, the quotient is truncated.

    >>> print(Addcdiv()(Tensor([1.0]), Tensor([6.0]), Tensor([3.0]), Tensor([10.0])))
    [21.]
    """

    kinds = "ifV"

    def infer(self, x: Spec, y: Spec, z: Spec, value: Any) -> Spec:
        """Return the broadcast spec; raise TypeError for integers narrower than int64."""
        spec = super().infer(x, y, z, value)
        if spec.dtype.kind == "i" and spec.dtype.itemsize < 8:
            raise TypeError(f"{self.name}: inputs must be floats or int64, got {x}. Cast them.")
        return spec

    def combine(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return y / z; for ints truncated towards 0."""
        if y.dtype.kind == "i":
            return np.floor_divide(np.subtract(y, np.fmod(y, z)), z)
        return np.true_divide(y, z)

    def vjp(self, x: Any, y: Any, z: Any, value: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(dout, x),
            lambda: unbroadcast(dout * value / z, y),
            lambda: unbroadcast(-dout * value * y / (z * z), z),
            lambda: unbroadcast(dout * y / z, value),
        )


class Lerp(Primitive):
    """start + weight * (end - start); the weight may be a number.

    >>> print(Lerp()(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), 0.5))
    [2. 3.]
    """

    promotion = Promotion(keeps_scalar_precision=True)
    pointwise = True
    layout = LIKE_INPUT

    def infer(self, start: Any, end: Any, weight: Any) -> Spec:
        dtype = get_common_dtype(start, end, weight)
        shape = broadcast(self.name, start, end, weight)
        return check_dtype_kind(self.name, Spec(shape, dtype), FLOAT_KINDS, "inputs")

    def kernel(self, start: Any, end: Any, weight: Any, *, out: np.ndarray) -> None:
        difference = np.subtract(end, start)
        np.add(start, np.multiply(difference, weight), out=out)

    def vjp(self, start: Any, end: Any, weight: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(dout * (1 - weight), start),
            lambda: unbroadcast(dout * weight, end),
            lambda: unbroadcast(dout * (end - start), weight),
        )


class LerpScalar(Lerp):
    """start + weight * (end - start) with a number as the weight.

    >>> print(LerpScalar()(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), 0.5))
    [2. 3.]
    """


def addn(x: Any) -> Tensor:
    """Apply :class:`AddN` to the tensors ``x``."""
    return AddN()(x)


def accumulate_n(x: Any) -> Tensor:
    """Apply :class:`AccumulateNV2` to the tensors ``x``."""
    return AccumulateNV2()(x)


@method("addcmul")
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = 1) -> Tensor:
    """:class:`Addcmul`: input + value * tensor1 * tensor2."""
    return Addcmul()(input, tensor1, tensor2, value)


@method("addcdiv")
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = 1) -> Tensor:
    """:class:`Addcdiv`: input + value * tensor1 / tensor2."""
    return Addcdiv()(input, tensor1, tensor2, value)


@method("lerp")
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """:class:`Lerp`: input + weight * (end - input); a float weight is cast to the float dtype of
    ``input``.
    """
    if isinstance(weight, Tensor) and weight.dtype.kind == input.dtype.kind == "f":
        weight = Cast()(weight, input.dtype)
    return Lerp()(input, end, weight)


__all__ = [
    "AccumulateNV2",
    "AddN",
    "Addcdiv",
    "Addcmul",
    "Lerp",
    "LerpScalar",
    "accumulate_n",
    "addcdiv",
    "addcmul",
    "addn",
    "lerp",
]
