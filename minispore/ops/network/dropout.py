"""Dropout: zeros random elements and scales up the others, which preserves the mean."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.execution.layout import LIKE_INPUT
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind, view_as_integers
from minispore.ops.random.draws import _Draw, to_primitive_seed
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.support.arguments import (
    FLOAT_KINDS,
    check_number,
    check_real,
    check_shape,
    check_tensor_spec,
    check_tensors,
    to_static,
)


def check_keep_prob(op: str, keep_prob: Any) -> None:
    """Check that ``keep_prob`` is a number in (0, 1].

    Raises:
        TypeError: it is not a number.
        ValueError: it is out of range.
    """
    if isinstance(keep_prob, bool) or not isinstance(keep_prob, int | float):
        raise TypeError(f"{op}: keep_prob must be a float, got {keep_prob!r}.")
    if not 0 < keep_prob <= 1:
        raise ValueError(f"{op}: keep_prob must be in (0, 1], got {keep_prob}.")


class Dropout(_Draw):
    """Keeps each element of x with probability keep_prob, divided by it, else 0; also returns the
    mask.

    The mask has the shape and dtype of x, with 1 for elements that are kept.

    Args:
        keep_prob: the probability that an element is kept, in (0, 1].
        Seed0: unless Seed0 and Seed1 are both 0, the op draws from its own random stream.
        Seed1: see Seed0.

    Source: Srivastava et al., https://jmlr.org/papers/v15/srivastava14a.html

    >>> y, mask = Dropout(keep_prob=1.0)(Tensor([1.0, 2.0]))
    >>> print(y, mask)
    [1. 2.] [1. 1.]
    """

    keep_prob: float = 0.5
    Seed0: int = 0
    Seed1: int = 0
    vjp_rule = VjpRule(partial=True)
    layout = LIKE_INPUT

    @property
    def seeds(self) -> tuple[int, ...]:
        """The attributes ``Seed0`` and ``Seed1``."""
        return self.Seed0, self.Seed1

    def check(self) -> None:
        check_keep_prob(self.name, self.keep_prob)

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        check_dtype_kind(self.name, x, FLOAT_KINDS, "x")
        return x, x

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        """Draw one number per element, and write the scaled x and the mask of zeros and ones, in
        the dtype of x.
        """
        y, mask = out
        draws = self.stream.random(x.shape, np.float32)
        np.less(draws, self.keep_prob, out=mask)
        np.multiply(x, mask, out=y)
        np.multiply(y, 1 / self.keep_prob, out=y)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        if dout[0] is None:
            return (None,)
        return (lambda: DropoutGrad(self.keep_prob)(dout[0], out[1]),)


class DropoutGrad(Primitive):
    """dy * mask / keep_prob.

    >>> print(DropoutGrad(0.5)(Tensor([1.0, 2.0]), Tensor([0.0, 1.0])))
    [0. 4.]
    """

    keep_prob: float = 0.5
    layout = LIKE_INPUT
    reuse = (0,)

    def infer(self, dy: Spec, mask: Spec) -> Spec:
        """Return the spec of dy; raise unless the mask has its shape."""
        if (
            check_tensor_spec(self.name, dy, "dy").shape
            != check_tensor_spec(self.name, mask, "mask").shape
        ):
            raise ValueError(f"DropoutGrad: mask must have the shape of dy, got {mask} and {dy}.")
        return dy

    def kernel(self, dy: np.ndarray, mask: np.ndarray, *, out: np.ndarray) -> None:
        np.multiply(dy, mask, out=out)
        np.multiply(out, 1 / self.keep_prob, out=out)

    def vjp(self, dy: Tensor, mask: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: DropoutGrad(self.keep_prob)(dout, mask),)


class Dropout2D(_Draw):
    """Dropout of entire channels of x (N, C, H, W); returns the output and the bool mask, both like
    x.

    Kept channels are divided by ``keep_prob``; if it is 0, the output is 0 and has no gradient.

    Args:
        keep_prob: the probability that a channel is kept, in [0, 1].

    >>> y, mask = Dropout2D(keep_prob=1.0)(Tensor([[[[1.0, 2.0]]]]))
    >>> print(y.asnumpy().ravel(), mask.asnumpy().ravel())
    [1. 2.] [ True  True]
    """

    keep_prob: float = 0.5
    seed = seed2 = 0
    vjp_rule = VjpRule(partial=True)
    layout = LIKE_INPUT
    ndim: ClassVar[int] = 4

    def check(self) -> None:
        if self.keep_prob != 0:
            check_keep_prob(self.name, self.keep_prob)

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        """Return the specs of x and of a bool mask of its shape; raise unless x is real and has 4
        axes (5 in Dropout3D).
        """
        check_real(self.name, check_tensor_spec(self.name, x, "x"))
        if x.ndim != self.ndim:
            raise ValueError(f"{self.name}: x must have {self.ndim} axes, got {x}.")
        return x, Spec(x.shape, np.dtype(np.bool_))

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        """Draw one number per channel, and scale the kept channels; a keep_prob of 0 gives
        zeros.
        """
        y, mask = out
        draws = self.stream.random((*x.shape[:2], *[1] * (x.ndim - 2)), np.float32)
        np.copyto(mask, draws < self.keep_prob)
        scale = 1 / self.keep_prob if self.keep_prob else 0.0
        # The bits are multiplied, so that a NaN or an infinity that is dropped becomes 0 too.
        np.multiply(view_as_integers(x), mask, out=view_as_integers(y))
        np.multiply(y, scale, out=y, casting="unsafe")

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient function of x; None without a gradient of the output or with a
        keep_prob of 0.
        """
        if dout[0] is None or not self.keep_prob:
            return (None,)
        return (lambda: DropoutGrad(self.keep_prob)(dout[0], out[1]),)


class Dropout3D(Dropout2D):
    """Dropout of entire channels of volumes (N, C, D, H, W), like :class:`Dropout2D`; returns the
    output and the mask.

    >>> y, mask = Dropout3D(keep_prob=1.0)(Tensor([[[[[1.0, 2.0]]]]]))
    >>> print(y.asnumpy().ravel(), mask.asnumpy().ravel())
    [1. 2.] [ True  True]
    """

    ndim = 5


class DropoutGenMask(_Draw):
    """Random bits for :class:`DropoutDoMask`: one for each element of ``shape``, packed into bytes.

    The call takes ``shape`` and ``keep_prob``, the probability of a 1. The uint8 vector is padded
    to whole blocks of 128 bits; the lowest bit of a byte comes first.

    Args:
        Seed0: unless Seed0 and Seed1 are both 0, the op draws from its own random stream.
        Seed1: see Seed0.

    >>> print(DropoutGenMask()((2, 4), Tensor(1.0)))
    [255 255 255 255 255 255 255 255 255 255 255 255 255 255 255 255]
    """

    Seed0: int = 0
    Seed1: int = 0

    @property
    def seeds(self) -> tuple[int, ...]:
        """The attributes ``Seed0`` and ``Seed1``."""
        return self.Seed0, self.Seed1

    def check(self) -> None:
        checks.integer(self.name, "Seed0", self.Seed0, 0)
        checks.integer(self.name, "Seed1", self.Seed1, 0)

    def __call__(self, shape: Any, keep_prob: Any) -> Tensor:
        return super().__call__(to_static(shape), keep_prob)

    def infer(self, shape: Any, keep_prob: Any) -> Spec:
        """Return the uint8 spec for one bit per element, rounded up to blocks of 128 bits.

        Raises:
            TypeError: ``shape`` or ``keep_prob`` is of a wrong type.
            ValueError: ``keep_prob`` is not one number in (0, 1].
        """
        if isinstance(keep_prob, Spec):
            if keep_prob.size != 1:
                raise ValueError(f"{self.name}: keep_prob must hold one number, got {keep_prob}.")
        else:
            check_keep_prob(self.name, keep_prob)
        elements = math.prod(check_shape(self.name, shape))
        return Spec((-(-elements // 128) * 16,), np.dtype(np.uint8))  # whole blocks of 128 bits

    def kernel(self, shape: Any, keep_prob: Any, *, out: np.ndarray) -> None:
        """Draw the bits, also those that pad the last block."""
        keep_bits = self.stream.random(out.size * 8, np.float32) < keep_prob
        out[...] = np.packbits(keep_bits, bitorder="little")


class DropoutDoMask(Primitive):
    """x / keep_prob where the bits of ``mask`` are set, else 0.

    >>> mask = DropoutGenMask()((2,), 1.0)
    >>> print(DropoutDoMask()(Tensor([1.0, 2.0]), mask, 0.5))
    [2. 4.]
    """

    layout = LIKE_INPUT

    def infer(self, x: Spec, mask: Spec, keep_prob: Any) -> Spec:
        """Return the spec of x.

        Raises:
            TypeError: x is not a float tensor, or ``keep_prob`` is not a number.
            ValueError: the mask is not uint8 with at least one bit for each element of x.
        """
        check_dtype_kind(self.name, x, FLOAT_KINDS, "input_x")
        if check_tensor_spec(self.name, mask, "mask").dtype != np.uint8 or mask.size * 8 < x.size:
            raise ValueError(
                f"{self.name}: mask must be uint8 with a bit for each of the {x.size} elements of "
                f"input_x, got {mask}. Make it with DropoutGenMask."
            )
        if not isinstance(keep_prob, Spec):
            check_number(self.name, keep_prob, "keep_prob")
        return x

    def kernel(self, x: np.ndarray, mask: np.ndarray, keep_prob: Any, *, out: np.ndarray) -> None:
        keep_bits = np.unpackbits(mask, count=x.size, bitorder="little").reshape(x.shape)
        np.multiply(x, keep_bits, out=out)
        np.true_divide(out, keep_prob, out=out)

    def vjp(
        self, x: Tensor, mask: Tensor, keep_prob: Any, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        return (lambda: DropoutDoMask()(dout, mask, keep_prob),)


# -- functions -------------------------------------------------------------------------------------


def _check_training(op: str, training: Any) -> bool:
    """Return ``training`` after checking that it is a bool.

    Raises:
        TypeError: it is not a bool.
    """
    return checks.boolean(op, "training", training)


def _compute_keep_prob(op: str, p: Any) -> float:
    """Return 1 - p for the drop probability ``p``.

    Raises:
        TypeError: ``p`` is not a number.
        ValueError: ``p`` is not in [0, 1].
    """
    if isinstance(p, bool) or not isinstance(p, int | float):
        raise TypeError(f"{op}: p must be a float, got {p!r} ({type(p).__name__}).")
    if not 0 <= p <= 1:
        raise ValueError(f"{op}: p must be in [0, 1], got {p}.")
    return 1 - p


def dropout(
    input: Tensor, p: float = 0.5, training: bool = True, seed: int | None = None
) -> Tensor:
    """Set each element of ``input`` to zero with probability ``p`` and divide the others by 1 - p.

    If ``p`` is 0, ``input`` itself is returned.

    Args:
        input: floats.
        p: the probability of a zero, in [0, 1); ignored without ``training``.
        training: False returns ``input`` itself.
        seed: an int that selects a random stream, shared by all calls with the same seed.

    >>> print(dropout(Tensor([1.0, 2.0]), 0.5, training=False))
    [1. 2.]
    """
    if not _check_training("dropout", training):
        return input
    keep = _compute_keep_prob("dropout", p)
    return input if keep == 1 else Dropout(keep, to_primitive_seed("dropout", seed))(input)[0]


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Zero channels of (N, C, L) or (C, L) with probability ``p``, and divide the others by 1 - p.

    Without ``training``, returns ``input`` itself.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: ``p`` is not in [0, 1], or ``input`` has a wrong number of axes.
    """
    keep = _compute_keep_prob("dropout1d", p)
    check_tensors("dropout1d", input=input)
    if not _check_training("dropout1d", training):
        return input
    if input.ndim not in (2, 3):
        raise ValueError(f"dropout1d: input must have 2 or 3 axes, got shape {input.shape}.")
    batched = input if input.ndim == 3 else ExpandDims()(input, 0)
    output = Dropout2D(keep)(ExpandDims()(batched, -1))[0]
    return Reshape()(output, input.shape)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Zero channels of (N, C, H, W) with probability ``p``, and divide the others by 1 - p.

    Without ``training``, returns ``input`` itself, and ``p`` is not checked.
    """
    return (
        Dropout2D(_compute_keep_prob("dropout2d", p))(input)[0]
        if _check_training("dropout2d", training)
        else input
    )


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Zero channels of (N, C, D, H, W) with probability ``p``, and divide the others by 1 - p.

    Without ``training``, returns ``input`` itself, and ``p`` is not checked.
    """
    return (
        Dropout3D(_compute_keep_prob("dropout3d", p))(input)[0]
        if _check_training("dropout3d", training)
        else input
    )


__all__ = [
    "Dropout",
    "Dropout2D",
    "Dropout3D",
    "DropoutDoMask",
    "DropoutGenMask",
    "DropoutGrad",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
]
