"""Padding with a number, or with the tensor's own elements: reflected, repeated or wrapped."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.index.gather import GatherGrad
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast, ZerosLike
from minispore.ops.shape.join import Pad
from minispore.ops.shape.views import Reshape
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import check_tensor_spec, check_tensors, to_static
from minispore.ops.support.derive import _Composite

Pairs = tuple[tuple[int, int], ...]


class PadConstant(Primitive):
    """``x`` padded with ``value`` by ``pairs[i]`` = (before, after) along axis i; negative numbers
    crop.

    ``value`` is a number or a one-element tensor, which gets a gradient.

    >>> print(PadConstant(((1, -1),))(Tensor([1, 2, 3]), 9))
    [9 1 2]
    """

    pairs: Any

    def infer(self, x: Spec, value: Any) -> Spec:
        """Return the padded spec; raise ValueError if the pairs do not fit x or crop too much."""
        if len(self.pairs) != check_tensor_spec(self.name, x).ndim:
            raise ValueError(f"pad: there must be a pair for each axis of {x}, got {self.pairs}.")
        shape = tuple(d + a + b for d, (a, b) in zip(x.shape, self.pairs, strict=True))
        if min(shape, default=0) < 0:
            raise ValueError(f"pad: padding must not cut off more than there is, got {self.pairs}.")
        if isinstance(value, Spec) and value.size != 1:
            raise ValueError(f"pad: value must hold one element, got {value}.")
        return Spec(shape, x.dtype)

    def kernel(self, x: np.ndarray, value: Any, *, out: np.ndarray) -> None:
        """Fill the output with the value, and copy the elements that are not cropped."""
        out[...] = value.reshape(()) if isinstance(value, np.ndarray) else value
        target: list[Any] = []
        source: list[Any] = []
        for d, (a, b) in zip(x.shape, self.pairs, strict=True):
            length = max(d + min(a, 0) + min(b, 0), 0)  # the input elements that are not cropped
            target.append(slice(max(a, 0), max(a, 0) + length))
            source.append(slice(max(-a, 0), max(-a, 0) + length))
        out[(*target, ...)] = x[(*source, ...)]

    def vjp(self, x: Tensor, value: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient functions of x and of ``value``, None for a number."""
        inverse_pairs = tuple((-a, -b) for a, b in self.pairs)

        def compute_dvalue() -> Tensor:
            """Compute the gradient of ``value``: the sum of ``dout`` over the border."""
            is_border = PadConstant(self.pairs)(ZerosLike()(x), 1)
            border = Select()(is_border, dout, 0)
            total = ReduceSum()(border, tuple(range(border.ndim)))
            return Cast()(Reshape()(total, value.shape), value.dtype)

        return (
            lambda: PadConstant(inverse_pairs)(dout, 0),
            compute_dvalue if isinstance(value, Tensor) else None,
        )


def compute_source_indices(n: int, pair: tuple[int, int], mode: str) -> np.ndarray:
    """Return the source index of each element of a padded axis whose length was ``n``.

    ``pair`` is (before, after), where negative numbers crop the axis first; ``mode`` is NumPy's.
    """
    before, after = pair
    retained = np.arange(max(-before, 0), n - max(-after, 0))
    return np.pad(retained, (max(before, 0), max(after, 0)), mode)  # type: ignore[call-overload]


class PadByIndex(Primitive):
    """``x`` padded with its own elements, in a ``mode`` of np.pad; negative numbers crop it first.

    >>> print(PadByIndex(((1, 2),), "wrap")(Tensor([1, 2, 3])))
    [3 1 2 3 1 2]
    """

    pairs: Any
    mode: str  # as in np.pad: "reflect" (without the edge), "symmetric" (with it), "edge", "wrap"

    def _compute_source_indices(self, shape: tuple[int, ...]) -> list[np.ndarray]:
        """Return, for each axis, the source indices of the output."""
        return [
            compute_source_indices(d, pair, self.mode)
            for d, pair in zip(shape, self.pairs, strict=True)
        ]

    def infer(self, x: Spec) -> Spec:
        """Return the padded spec; raise ValueError if the pairs do not fit x or x has too few
        elements for this mode.
        """
        if len(self.pairs) != check_tensor_spec(self.name, x).ndim:
            raise ValueError(f"pad: there must be a pair for each axis of {x}, got {self.pairs}.")
        for d, pair in zip(x.shape, self.pairs, strict=True):
            d += sum(min(n, 0) for n in pair)
            limits = {"reflect": d - 1, "symmetric": d, "wrap": d}
            max_padding = limits.get(self.mode, max(*pair, 0))
            if d < 0 or max(pair) > max_padding or (max(pair) > 0 and not d):
                raise ValueError(
                    f"pad: padding in mode {self.mode!r} must be at most {max_padding} along an "
                    f"axis of length {d}, got {pair}."
                )
        return Spec(
            tuple(d + a + b for d, (a, b) in zip(x.shape, self.pairs, strict=True)), x.dtype
        )

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = x[np.ix_(*self._compute_source_indices(x.shape))]

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x."""

        def compute_dx() -> Tensor:
            """Compute the gradient of x axis by axis, adding each cotangent at the source index of
            its element.
            """
            grad, shape = dout, list(out.shape)
            for axis, index in enumerate(self._compute_source_indices(x.shape)):
                if any(self.pairs[axis]):
                    shape[axis] = x.shape[axis]
                    grad = GatherGrad(0)(grad, Tensor(index), axis, tuple(shape))
            return grad

        return (compute_dx,)


def _parse_padding(flat: Any, ndim: int, api_name: str) -> Pairs:
    """Return (before, after) for each axis, from a flat list of ints that begins with the last
    axis.

    A single int stands for both sides of the last axis.

    Raises:
        ValueError: the number of ints is odd or too large.
        TypeError: an element is not an int.
    """
    flat = to_static(flat)
    if isinstance(flat, int):
        flat = (flat, flat)
    if not isinstance(flat, tuple) or len(flat) % 2 or len(flat) > 2 * ndim:
        raise ValueError(
            f"{api_name}: padding must hold an even count of at most {2 * ndim} ints, got {flat}."
        )
    for n in flat:
        checks.integer(api_name, "padding", n)
    last_pairs = [(flat[i], flat[i + 1]) for i in range(0, len(flat), 2)]
    return ((0, 0),) * (ndim - len(last_pairs)) + tuple(reversed(last_pairs))


_NUMPY_MODES = {"reflect": "reflect", "edge": "edge", "replicate": "edge", "circular": "wrap"}


def _pad(x: Tensor, pairs: Pairs, mode: str, value: Any, api_name: str) -> Tensor:
    """Return x padded by ``pairs``, (before, after) for each axis, in MindSpore's ``mode``.

    In mode "constant", a ``value`` of None stands for 0.

    Raises:
        ValueError: the mode is unknown, ``value`` is passed in a mode other than "constant", or x
            is too small for the mode.
    """
    if mode == "constant":
        return PadConstant(pairs)(x, 0 if value is None else value)
    if mode not in tuple(_NUMPY_MODES):
        raise ValueError(
            f"{api_name}: mode must be one of 'constant', "
            f"{', '.join(map(repr, _NUMPY_MODES))}, got {mode!r}."
        )
    if value is not None:
        raise ValueError(
            f"{api_name}: value must be None unless mode is 'constant', got {value!r}."
        )
    return PadByIndex(pairs, _NUMPY_MODES[mode])(x)


class PadV3(_Composite):
    """``x`` padded with a constant or with its own elements; ``paddings`` begin with the last axis.

    Args:
        mode: "constant", "reflect", "edge" or "circular".
        paddings_contiguous: whether ``paddings`` are pairs (before, after); otherwise all numbers
            before the axes come first, then all numbers after them.

    >>> print(PadV3()(Tensor([1, 2]), (1, 1), 7))
    [7 1 2 7]
    """

    mode: str = "constant"
    paddings_contiguous: bool = True

    def __call__(self, x: Tensor, paddings: Any, constant_value: Any = None) -> Tensor:
        """Reorder ``paddings`` to pairs that begin with the last axis, and pad; raise ValueError if
        they, the mode or ``constant_value`` do not fit.
        """
        flat = to_static(paddings)
        if not self.paddings_contiguous:  # all befores, then all afters
            half = len(flat) // 2
            flat = tuple(n for pair in zip(flat[:half], flat[half:], strict=True) for n in pair)
        return _pad(
            x, _parse_padding(flat, x.ndim, self.name), self.mode, constant_value, self.name
        )


class MirrorPad(_Composite):
    """``x`` padded with its mirror image, without the edge ("REFLECT") or with it ("SYMMETRIC").

    ``paddings`` holds a pair (before, after) for each axis, beginning with the first axis.

    >>> print(MirrorPad("SYMMETRIC")(Tensor([1, 2, 3]), Tensor([[2, 1]])))
    [2 1 1 2 3 3]
    """

    mode: str = "REFLECT"

    def check(self) -> None:
        """Raise a ValueError unless ``mode`` is "REFLECT" or "SYMMETRIC"."""
        if self.mode not in ("REFLECT", "SYMMETRIC"):
            raise ValueError(
                f"{self.name}: mode must be 'REFLECT' or 'SYMMETRIC', got {self.mode!r}."
            )

    def __call__(self, input_x: Tensor, paddings: Any) -> Tensor:
        """Pad by ``paddings``, a tensor or a tuple of pairs; raise TypeError for another type,
        ValueError for negative numbers.
        """
        pairs = to_static(paddings)
        if not isinstance(pairs, tuple):
            rule = "be a pair of ints for each axis"
            raise TypeError(
                checks.format_error(self.name, "paddings", rule, checks.format_value(paddings))
            )
        if any(n < 0 for pair in pairs for n in pair):
            raise ValueError(f"{self.name}: paddings must be >= 0, got {pairs}.")
        return PadByIndex(pairs, self.mode.lower())(input_x)


class Padding(_Composite):
    """``x`` with its last axis, of length 1, padded with zeros to the length ``pad_dim_size``.

    >>> print(Padding(3)(Tensor([[1], [2]])))
    [[1 0 0]
     [2 0 0]]
    """

    pad_dim_size: int = 8

    def check(self) -> None:
        """Raise a TypeError or ValueError unless ``pad_dim_size`` is an int of at least 1."""
        checks.integer(self.name, "pad_dim_size", self.pad_dim_size, 1)

    def __call__(self, x: Tensor) -> Tensor:
        """Return x with zeros appended to its last axis; raise ValueError unless it has at least 2
        axes, the last of length 1.
        """
        if x.ndim < 2 or x.shape[-1] != 1:
            raise ValueError(
                f"{self.name}: x must have at least 2 axes, the last of length 1, got shape "
                f"{x.shape}."
            )
        return Pad(((0, 0),) * (x.ndim - 1) + ((0, self.pad_dim_size - 1),))(x)


# -- functions ------------------------------------------------------------------------------------


def pad(input_x: Tensor, padding: Any, mode: str = "constant", value: Any = None) -> Tensor:
    """Add a border to ``input_x``.

    Args:
        input_x: the tensor.
        padding: (before, after) for the last axis, then for the one before it, and so on; negative
            numbers crop, before padding is applied. A single int pads both sides of the last axis.
        mode: "constant", "reflect" (mirrored), "replicate" (the edge repeated) or "circular".
        value: the value of the border in mode "constant"; 0 by default.

    Raises:
        ValueError: ``padding`` does not fit the tensor or the mode, ``mode`` is unknown, or
            ``value`` is passed in a mode other than "constant".

    >>> print(pad(Tensor([[1, 2, 3]]), (1, 1), mode="reflect"))
    [[2 1 2 3 2]]
    """
    check_tensors("pad", input_x=input_x)
    return _pad(input_x, _parse_padding(padding, input_x.ndim, "pad"), mode, value, "pad")


def mirror_pad(input_x: Tensor, paddings: Any, mode: str) -> Tensor:
    """Extend ``input_x`` by its mirror image, without the edge ("REFLECT") or with it
    ("SYMMETRIC").

    ``paddings`` holds a pair (before, after) for each axis, beginning with the first axis.
    """
    return MirrorPad(mode)(input_x, paddings)


def padding(x: Tensor, pad_dim_size: int = 8) -> Tensor:
    """Extend the last axis, of length 1, with zeros to ``pad_dim_size``; raise ValueError for
    another length.
    """
    return Padding(pad_dim_size)(x)


__all__ = ["MirrorPad", "PadV3", "Padding", "mirror_pad", "pad", "padding"]
