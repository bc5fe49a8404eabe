"""Borders by NumPy's rules, axis after axis: each is as long as those before have made it."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.mnp.creation import to_tensor
from minispore.ops.shape.pad import PadConstant, Pairs, compute_source_indices
from minispore.ops.support.arguments import to_static

_MIRRORS = ("edge", "reflect", "symmetric", "wrap")
_STATISTICS: dict[str, Any] = {"mean": ops.mean, "maximum": ops.amax, "minimum": ops.amin}
_BORDERS = ("constant", *_MIRRORS, *_STATISTICS, "linear_ramp", "empty")


def pad(
    arr: Any,
    pad_width: Any,
    mode: str = "constant",
    stat_length: Any = None,
    constant_values: Any = 0,
    end_values: Any = 0,
    reflect_type: str = "even",
) -> Tensor:
    """``arr`` with a border of a constant or of its own elements.

    Args:
        arr: the tensor.
        pad_width: a number, a pair for all axes, or a pair for each.
        mode: "constant", "edge", "reflect", "symmetric", "wrap", "mean", "maximum", "minimum",
            "linear_ramp" or "empty" (zeros).
        stat_length: how many elements at the edge the statistics look at: all by default.
        constant_values: what the border holds in mode "constant".
        end_values: where "linear_ramp" ends.
        reflect_type: "even", or "odd": what is mirrored is taken off twice the edge.

    Lengths, constants and ends are a number, a pair for all axes, or a pair for each, too.

    Raises:
        TypeError: ``pad_width`` holds something else than ints.
        ValueError: the mode is none of these.

    >>> print(pad([1, 2], 1, mode="edge"))
    [1 1 2 2]
    """
    x = to_tensor(arr)
    width = np.asarray(to_static(pad_width))
    if width.dtype.kind not in "iu":
        raise TypeError(f"pad: pad_width must be ints, got {checks.format_value(pad_width)}.")
    pairs = tuple((int(a), int(b)) for a, b in np.broadcast_to(width, (x.ndim, 2)))
    constant = to_static(constant_values)
    if mode == "constant" and not isinstance(constant, tuple):
        return PadConstant(pairs)(x, constant)
    checks.one_of("pad", "mode", mode, _BORDERS)
    odd = checks.one_of("pad", "reflect_type", reflect_type, ("even", "odd")) == "odd"
    if mode == "empty":
        return PadConstant(pairs)(x, 0)
    if odd and mode in ("reflect", "symmetric"):
        return _turned(x, pairs, mode)
    if mode in _MIRRORS:
        for axis, pair in enumerate(pairs):
            if any(pair):
                x = ops.gather(x, Tensor(compute_source_indices(x.shape[axis], pair, mode)), axis)
        return x
    return _bordered(x, pairs, mode, (stat_length, constant, end_values))


def _turned(x: Tensor, pairs: Pairs, mode: str) -> Tensor:
    """``x``, turned about its ends; a longer border goes on from what there is by then."""
    for axis, pair in enumerate(pairs):
        most = x.shape[axis] - (mode == "reflect")  # none of one element: it stays its own border
        for last, count in enumerate(pair):
            while count > 0:
                n, now = x.shape[axis], min(count, most or count)
                where = compute_source_indices(n, (0, now) if last else (now, 0), mode)
                part = ops.gather(x, Tensor(where[n:] if last else where[:now]), axis)
                side = 2 * ops.narrow(x, axis, n - 1 if last else 0, 1) - part
                x = ops.concat((x, side) if last else (side, x), axis)
                count -= now
    return x


def _bordered(x: Tensor, pairs: Pairs, mode: str, values: tuple[Any, ...]) -> Tensor:
    """``x`` with ``pairs[i]`` elements before and after along axis i.

    ``values`` are the lengths that a statistic looks at, the constants, and where ramps end: each
    something that broadcasts to the shape of ``pairs``.
    """
    shape = (x.ndim, 2)
    lengths, constants, ends = (
        np.broadcast_to(np.array(to_static(given), object), shape) for given in values
    )
    given = {"constant": constants, "linear_ramp": ends}.get(mode, lengths)
    for axis, pair in enumerate(pairs):
        sides = [
            _side(x, axis, count, last, mode, given[axis, last]) for last, count in enumerate(pair)
        ]
        x = ops.concat((sides[0], x, sides[1]), axis)
    return x


def _side(x: Tensor, axis: int, count: int, last: int, mode: str, given: Any) -> Tensor:
    """``count`` elements to stand before ``x`` along ``axis``, or behind it (``last``)."""
    n = x.shape[axis]
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
    if mode == "constant":
        return ops.full(shape, given, dtype=x.dtype)
    if mode in _STATISTICS:
        size = n if given is None else min(int(given), n)
        part = ops.narrow(x, axis, n - size if last else 0, size)
        found = _STATISTICS[mode](part, axis, True)
        found = found if x.dtype.kind in "fV" else ops.round(found)
        return ops.cast(ops.broadcast_to(found, shape), x.dtype)
    edge = ops.narrow(x, axis, n - 1 if last else 0, 1)
    way = np.arange(count) / max(count, 1)  # linear_ramp
    way = (way[::-1] if last else way).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    return ops.cast(given + (edge - given) * Tensor(way.astype(np.float32)), x.dtype)


__all__ = ["pad"]
