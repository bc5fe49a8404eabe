"""Padding with a constant, by reflection, or by repeated edges."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.ops.shape.pad import PadConstant, compute_source_indices

Pairs = tuple[tuple[int, int], ...]


def extend_axes(x: Tensor, pairs: Pairs, mode: str) -> Tensor:
    """Extend the last axes of x by ``pairs[i]`` elements before and after, by NumPy's ``mode``.

    Negative numbers cut elements off first.
    """
    first_axis = x.ndim - len(pairs)
    for axis, pair in enumerate(pairs, first_axis):
        if any(pair):
            x = ops.gather(x, Tensor(compute_source_indices(x.shape[axis], pair, mode)), axis)
    return x


class _Pad(Cell):
    """Base of paddings; ``padding`` is (before, after) for the last axis, then for the one before
    it.
    """

    axes: int
    allows_negative = False

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = self._check_padding(padding)

    def _check_padding(self, padding: Any) -> tuple[int, ...]:
        """Check ``padding`` and return it as a tuple; an int is used for all sides.

        Raises:
            TypeError, ValueError: it is neither an int nor a tuple of ints, or has a wrong length
                or forbidden negative ints.
        """
        name = type(self).__name__
        if isinstance(padding, int) and not isinstance(padding, bool):
            padding = (padding,) * (2 * self.axes)
        if not isinstance(padding, tuple):
            raise TypeError(
                f"{name}: padding must be an int or a tuple of ints, got "
                f"{checks.format_value(padding)}."
            )
        for number in padding:
            checks.integer(name, "padding", number, None if self.allows_negative else 0)
        if len(padding) % 2 or len(padding) > 2 * self.axes:
            raise ValueError(
                f"{name}: padding must have at most {2 * self.axes} numbers, in pairs, got "
                f"{padding!r}."
            )
        return padding

    def _make_pairs(self, x: Tensor) -> Pairs:
        """Return ``padding`` as (before, after) pairs in the order of the axes.

        Raises:
            ValueError: x has too few axes.
        """
        pairs = tuple(zip(self.padding[::2], self.padding[1::2], strict=True))[::-1]
        if check.check_tensor(type(self).__name__, "x", x).ndim < len(pairs):
            raise ValueError(
                f"{type(self).__name__}: x must have at least {len(pairs)} axes, got shape "
                f"{x.shape}."
            )
        return pairs


class _ConstantPad(_Pad):
    """Base of paddings with a constant."""

    allows_negative = True

    def __init__(self, padding: Any, value: Any) -> None:
        super().__init__(padding)
        self.value = int(value) if isinstance(value, bool) else value  # a bool pads a mask
        checks.number_or_nan(type(self).__name__, "value", self.value)

    def construct(self, x: Tensor) -> Tensor:
        """Pad, or crop by negative padding; raise ValueError if nothing is left."""
        pairs = self._make_pairs(x)
        first_axis = x.ndim - len(pairs)
        for axis, (low, high) in enumerate(pairs, first_axis):
            n = x.shape[axis]
            if low < -n or high < -n or n + low + high <= 0:
                raise ValueError(
                    f"{type(self).__name__}: padding must leave something of axis {axis} of shape "
                    f"{x.shape}, got {(low, high)}."
                )
        return PadConstant(((0, 0),) * first_axis + pairs)(x, self.value)


class ConstantPad1d(_ConstantPad):
    """x with ``value`` before and after its last axis.

    Args:
        padding: an int, or (left, right); negative numbers crop.
        value: the value.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the number of ints is wrong; when called: nothing is left of x.

    >>> print(ConstantPad1d((1, 2), 0.5)(Tensor([[3.0]])))
    [[0.5 3.  0.5 0.5]]
    """

    axes = 1


class ConstantPad2d(_ConstantPad):
    """x with ``value`` around its last two axes; padding (left, right, top, bottom)."""

    axes = 2


class ConstantPad3d(_ConstantPad):
    """x with ``value`` around its last 3 axes; padding (left, right, top, bottom, front, back)."""

    axes = 3


class ZeroPad2d(_ConstantPad):
    """x with zeros around its last two axes; padding (left, right, top, bottom)."""

    axes = 2

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0)


class _ReflectionPad(_Pad):
    """Base of paddings that mirror x at its ends."""

    def construct(self, x: Tensor) -> Tensor:
        """Mirror x; raise ValueError unless the padding is smaller than the mirrored axis."""
        pairs = self._make_pairs(x)
        for (low, high), n in zip(pairs, x.shape[x.ndim - len(pairs) :], strict=True):
            if max(low, high) >= n:
                raise ValueError(
                    f"{type(self).__name__}: padding must be below the length it mirrors, got "
                    f"{self.padding} for shape {x.shape}."
                )
        return extend_axes(x, pairs, "reflect")


class ReflectionPad1d(_ReflectionPad):
    """x mirrored at both ends of its last axis, without the end elements.

    >>> print(ReflectionPad1d((2, 1))(Tensor([[1.0, 2.0, 3.0]])))
    [[3. 2. 1. 2. 3. 2.]]
    """

    axes = 1


class ReflectionPad2d(_ReflectionPad):
    """x mirrored around its last two axes; padding (left, right, top, bottom)."""

    axes = 2


class ReflectionPad3d(_ReflectionPad):
    """x mirrored around its last three axes; padding (left, right, top, bottom, front, back)."""

    axes = 3


class _ReplicationPad(_Pad):
    """Base of paddings that repeat the end elements."""

    allows_negative = True

    def construct(self, x: Tensor) -> Tensor:
        """Repeat the ends, or crop; raise ValueError if nothing is left."""
        pairs = self._make_pairs(x)
        for (low, high), n in zip(pairs, x.shape[x.ndim - len(pairs) :], strict=True):
            if n + min(low, 0) + min(high, 0) <= 0:
                raise ValueError(
                    f"{type(self).__name__}: padding must leave something of x, got "
                    f"{self.padding} for shape {x.shape}."
                )
        return extend_axes(x, pairs, "edge")


class ReplicationPad1d(_ReplicationPad):
    """x with the end elements of its last axis repeated.

    >>> print(ReplicationPad1d(2)(Tensor([[1.0, 2.0]])))
    [[1. 1. 1. 2. 2. 2.]]
    """

    axes = 1


class ReplicationPad2d(_ReplicationPad):
    """x with the edges of its last two axes repeated; padding (left, right, top, bottom)."""

    axes = 2


class ReplicationPad3d(_ReplicationPad):
    """x with the edges of its last three axes repeated."""

    axes = 3


class Pad(Cell):
    """x with ``paddings[i] = (before, after)`` additional elements along each axis i.

    Args:
        paddings: a tuple of pairs, one for each axis.
        mode: ``"CONSTANT"`` (zeros), ``"REFLECT"`` (mirrored without the edge) or
            ``"SYMMETRIC"`` (with the edge).

    Raises:
        TypeError: ``paddings`` is not a tuple.
        ValueError: an element is not a pair, there are more than four, or the mode is unknown.

    >>> print(Pad(((0, 0), (1, 1)), mode="SYMMETRIC")(Tensor([[1.0, 2.0]])))
    [[1. 1. 2. 2.]]
    """

    def __init__(self, paddings: Any, mode: str = "CONSTANT") -> None:
        super().__init__()
        self.mode = checks.one_of("Pad", "mode", mode, ("CONSTANT", "REFLECT", "SYMMETRIC"))
        if not isinstance(paddings, tuple):
            raise TypeError(
                f"Pad: paddings must be a tuple of pairs, got {checks.format_value(paddings)}."
            )
        if any(len(pair) != 2 for pair in paddings):
            raise ValueError(f"Pad: paddings must be a tuple of pairs, got {paddings!r}.")
        if len(paddings) > 4:
            raise ValueError(
                f"Pad: paddings must have 4 pairs at most, got {len(paddings)}. Use ops.Pad."
            )
        if any(n < 0 for pair in paddings for n in pair):
            raise ValueError(f"Pad: paddings must be >= 0, got {paddings!r}.")
        self.paddings = paddings

    def construct(self, x: Tensor) -> Tensor:
        """Pad x according to the mode; raise ValueError unless each axis has a pair."""
        if len(self.paddings) != check.check_tensor("Pad", "x", x).ndim:
            raise ValueError(
                f"Pad: paddings must have a pair for each axis of x, got {len(self.paddings)} for "
                f"shape {x.shape}."
            )
        if self.mode == "CONSTANT":
            return ops.Pad(self.paddings)(x)
        return extend_axes(x, self.paddings, self.mode.lower())


__all__ = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Pad",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad2d",
]
