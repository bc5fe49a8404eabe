"""Layers of ``nn`` whose input has another name here."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.nn.cell import Cell
from minispore.nn.layer import activation, basic, image, padding, unpooling


class OfInput(Cell):
    """Calls what a layer computes ``input``."""

    def construct(self, input: Any) -> Any:
        return super().construct(input)


class Padded(OfInput):
    """A padding whose faults are all of its value, as here: an int, or two for each axis."""

    least: int | None = None  # of an int
    axes: int

    def _numbers(self, padding: Any) -> tuple[int, ...]:
        name, count = type(self).__name__, 2 * self.axes
        whole = isinstance(padding, int)
        if not whole and (not isinstance(padding, tuple | list) or len(padding) != count):
            raise ValueError(f"{name}: padding must be an int or {count} of them, got {padding!r}.")
        if whole and self.least is not None and padding < self.least:
            raise ValueError(f"{name}: padding must be >= {self.least}, got {padding}.")
        made: tuple[int, ...] = super()._numbers(padding if whole else tuple(padding))  # type: ignore[misc]
        return made


class ConstantPad1d(Padded, padding.ConstantPad1d):
    """x with ``value`` before and after its last axis; padding (left, right)."""


class ConstantPad2d(Padded, padding.ConstantPad2d):
    """x with ``value`` around its last 2 axes; padding (left, right, top, bottom)."""


class ConstantPad3d(Padded, padding.ConstantPad3d):
    """x with ``value`` around its last 3 axes, padded as by :class:`ZeroPad3d`."""


class ReflectionPad1d(Padded, padding.ReflectionPad1d):
    """x with its last axis mirrored at both ends; padding (left, right)."""

    least = 1


class ReflectionPad2d(Padded, padding.ReflectionPad2d):
    """x with its last 2 axes mirrored at the ends; padding (left, right, top, bottom)."""

    least = 1


class ReflectionPad3d(Padded, padding.ReflectionPad3d):
    """x with its last 3 axes mirrored at the ends, padded as by :class:`ZeroPad3d`."""

    least = 1


class ReplicationPad1d(Padded, padding.ReplicationPad1d):
    """x with the ends of its last axis repeated; padding (left, right)."""

    least = 1


class ReplicationPad2d(Padded, padding.ReplicationPad2d):
    """x with the edges of its last 2 axes repeated; padding (left, right, top, bottom)."""

    least = 1


class ReplicationPad3d(Padded, padding.ReplicationPad3d):
    """x with the edges of its last 3 axes repeated, padded as by :class:`ZeroPad3d`."""

    least = 1


class ZeroPad2d(Padded, padding.ZeroPad2d):
    """x with zeros around its last 2 axes; padding (left, right, top, bottom)."""


class Mish(OfInput, activation.Mish):
    """x * tanh(log(1 + exp(x)))."""


class Sigmoid(OfInput, activation.Sigmoid):
    """1 / (1 + exp(-x))."""


class Tanh(OfInput, activation.Tanh):
    """tanh(x)."""


class Flatten(OfInput, basic.Flatten):
    """x with the axes from ``start_dim`` to ``end_dim`` made one."""


class Upsample(OfInput, image.Upsample):
    """x made larger by interpolation."""


class MaxUnpool2d(unpooling.MaxUnpool2d):
    """Each element of input at the place that ``indices`` says, zeros elsewhere."""

    def construct(
        self, input: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None
    ) -> Tensor:
        return super().construct(input, indices, output_size)


__all__ = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Flatten",
    "MaxUnpool2d",
    "Mish",
    "OfInput",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "Sigmoid",
    "Tanh",
    "Upsample",
    "ZeroPad2d",
]
