"""Layers of ``nn`` whose input is named ``input`` in ``mint``, and paddings with different
checks.
"""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.nn.cell import Cell
from minispore.nn.layer import activation, basic, image, padding, unpooling


class InputNameAdapter(Cell):
    """Mixin that renames the input of a layer's ``construct`` to ``input``."""

    def construct(self, input: Any) -> Any:
        return super().construct(input)


class PaddingAdapter(InputNameAdapter):
    """Mixin of padding layers that checks ``padding``: an int, or two ints per axis.

    Every error is a ValueError, as in MindSpore's ``mint``.
    """

    min_padding: int | None = None  # the smallest int accepted; None for any
    axes: int

    def _check_padding(self, padding: Any) -> tuple[int, ...]:
        """Return ``padding`` as the base class does.

        Raises:
            ValueError: it is neither an int nor two ints for each axis, or an int is below
                ``min_padding``.
        """
        name, count = type(self).__name__, 2 * self.axes
        is_int = isinstance(padding, int)
        if not is_int and (not isinstance(padding, tuple | list) or len(padding) != count):
            raise ValueError(f"{name}: padding must be an int or {count} of them, got {padding!r}.")
        if is_int and self.min_padding is not None and padding < self.min_padding:
            raise ValueError(f"{name}: padding must be >= {self.min_padding}, got {padding}.")
        paddings: tuple[int, ...] = super()._check_padding(padding if is_int else tuple(padding))  # type: ignore[misc]
        return paddings


class ConstantPad1d(PaddingAdapter, padding.ConstantPad1d):
    """x with ``value`` before and after its last axis; padding (left, right)."""


class ConstantPad2d(PaddingAdapter, padding.ConstantPad2d):
    """x with ``value`` around its last 2 axes; padding (left, right, top, bottom)."""


class ConstantPad3d(PaddingAdapter, padding.ConstantPad3d):
    """x with ``value`` around its last 3 axes, padded as by :class:`ZeroPad3d`."""


class ReflectionPad1d(PaddingAdapter, padding.ReflectionPad1d):
    """x with its last axis mirrored at both ends; padding (left, right)."""

    min_padding = 1


class ReflectionPad2d(PaddingAdapter, padding.ReflectionPad2d):
    """x with its last 2 axes mirrored at the ends; padding (left, right, top, bottom)."""

    min_padding = 1


class ReflectionPad3d(PaddingAdapter, padding.ReflectionPad3d):
    """x with its last 3 axes mirrored at the ends, padded as by :class:`ZeroPad3d`."""

    min_padding = 1


class ReplicationPad1d(PaddingAdapter, padding.ReplicationPad1d):
    """x with the ends of its last axis repeated; padding (left, right)."""

    min_padding = 1


class ReplicationPad2d(PaddingAdapter, padding.ReplicationPad2d):
    """x with the edges of its last 2 axes repeated; padding (left, right, top, bottom)."""

    min_padding = 1


class ReplicationPad3d(PaddingAdapter, padding.ReplicationPad3d):
    """x with the edges of its last 3 axes repeated, padded as by :class:`ZeroPad3d`."""

    min_padding = 1


class ZeroPad2d(PaddingAdapter, padding.ZeroPad2d):
    """x with zeros around its last 2 axes; padding (left, right, top, bottom)."""


class Mish(InputNameAdapter, activation.Mish):
    """x * tanh(log(1 + exp(x)))."""


class Sigmoid(InputNameAdapter, activation.Sigmoid):
    """1 / (1 + exp(-x))."""


class Tanh(InputNameAdapter, activation.Tanh):
    """tanh(x)."""


class Flatten(InputNameAdapter, basic.Flatten):
    """x with the axes from ``start_dim`` to ``end_dim`` merged into one."""


class Upsample(InputNameAdapter, image.Upsample):
    """x enlarged by interpolation."""


class MaxUnpool2d(unpooling.MaxUnpool2d):
    """The elements of input placed at the flat positions ``indices``, with zeros elsewhere."""

    def construct(
        self, input: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None
    ) -> Tensor:
        return super().construct(input, indices, output_size)


__all__ = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Flatten",
    "InputNameAdapter",
    "MaxUnpool2d",
    "Mish",
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
