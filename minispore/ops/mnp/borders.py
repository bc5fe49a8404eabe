"""numpy.pad: borders are added axis by axis, so each border also covers the previous ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.mnp.creation import to_tensor
from minispore.ops.shape.pad import PadConstant, Pairs, compute_source_indices
from minispore.ops.support.arguments import FLOAT_KINDS, to_static

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
    """Return ``arr`` with a border of a constant or of its own elements.

    Args:
        arr: the tensor.
        pad_width: a number, a pair for all axes, or a pair per axis; none may be negative.
        mode: "constant", "edge", "reflect", "symmetric", "wrap", "mean", "maximum", "minimum",
            "linear_ramp" or "empty" (zeros). "mean" rounds for integers.
        stat_length: number of elements at the edge that the statistics use; all by default.
        constant_values: value of the border in mode "constant".
        end_values: final value of "linear_ramp".
        reflect_type: "even", or "odd": mirrored elements are subtracted from twice the edge.

    Lengths, constants and end values may also be a number, a pair for all axes, or a pair per axis.

    Raises:
        TypeError: ``pad_width`` contains something other than ints.
        ValueError: ``mode`` or ``reflect_type`` is unknown, or ``pad_width`` does not broadcast to
            a pair per axis.

    >>> print(pad([1, 2], 1, mode="edge"))
    [1 1 2 2]
    """
    x = to_tensor(arr)
    width = np.asarray(to_static(pad_width))
    if width.dtype.kind not in "iu":
        raise TypeError(f"pad: pad_width must be ints, got {checks.format_value(pad_width)}.")
    widths_by_axis = tuple((int(a), int(b)) for a, b in np.broadcast_to(width, (x.ndim, 2)))
    constant = to_static(constant_values)
    if mode == "constant" and not isinstance(constant, tuple):
        return PadConstant(widths_by_axis)(x, constant)
    checks.one_of("pad", "mode", mode, _BORDERS)
    odd = checks.one_of("pad", "reflect_type", reflect_type, ("even", "odd")) == "odd"
    if mode == "empty":
        return PadConstant(widths_by_axis)(x, 0)
    if odd and mode in ("reflect", "symmetric"):
        return _pad_odd(x, widths_by_axis, mode)
    if mode in _MIRRORS:
        for axis, widths in enumerate(widths_by_axis):
            if any(widths):
                x = ops.gather(x, Tensor(compute_source_indices(x.shape[axis], widths, mode)), axis)
        return x
    return _pad_by_values(x, widths_by_axis, mode, (stat_length, constant, end_values))


def _pad_odd(x: Tensor, widths_by_axis: Pairs, mode: str) -> Tensor:
    """Pad by odd reflection: each mirrored element is subtracted from twice the edge.

    A border longer than ``x`` is built in several steps, each based on the previous result.
    """
    for axis, widths in enumerate(widths_by_axis):
        max_step = x.shape[axis] - (mode == "reflect")  # 0 for one element, which is its own border
        for at_end, count in enumerate(widths):
            while count > 0:
                n, step = x.shape[axis], min(count, max_step or count)
                index = compute_source_indices(n, (0, step) if at_end else (step, 0), mode)
                mirrored = ops.gather(x, Tensor(index[n:] if at_end else index[:step]), axis)
                border = 2 * ops.narrow(x, axis, n - 1 if at_end else 0, 1) - mirrored
                x = ops.concat((x, border) if at_end else (border, x), axis)
                count -= step
    return x


def _pad_by_values(x: Tensor, widths_by_axis: Pairs, mode: str, values: tuple[Any, ...]) -> Tensor:
    """Pad ``widths_by_axis[i]`` elements before and after along axis i.

    ``mode`` is "constant", "linear_ramp" or the name of a statistic. ``values`` are the lengths of
    statistics, the constants and the end values of ramps, each broadcast to the shape of
    ``widths_by_axis``.
    """
    shape = (x.ndim, 2)
    lengths, constants, ends = (
        np.broadcast_to(np.array(to_static(values_by_side), object), shape)
        for values_by_side in values
    )
    values_by_side = {"constant": constants, "linear_ramp": ends}.get(mode, lengths)
    for axis, widths in enumerate(widths_by_axis):
        borders = [
            _make_border(x, axis, count, at_end, mode, values_by_side[axis, at_end])
            for at_end, count in enumerate(widths)
        ]
        x = ops.concat((borders[0], x, borders[1]), axis)
    return x


def _make_border(
    x: Tensor, axis: int, count: int, at_end: int, mode: str, parameter: Any
) -> Tensor:
    """Return ``count`` border elements before ``x`` along ``axis``, or after it with ``at_end``.

    ``parameter`` is the constant, the end value of the ramp, or the number of elements at the edge
    that the statistic uses (None for all). The border has the dtype of ``x``.
    """
    n = x.shape[axis]
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
    if mode == "constant":
        return ops.full(shape, parameter, dtype=x.dtype)
    if mode in _STATISTICS:
        size = n if parameter is None else min(int(parameter), n)
        edge_elements = ops.narrow(x, axis, n - size if at_end else 0, size)
        statistic = _STATISTICS[mode](edge_elements, axis, True)
        statistic = statistic if x.dtype.kind in FLOAT_KINDS else ops.round(statistic)
        return ops.cast(ops.broadcast_to(statistic, shape), x.dtype)
    edge = ops.narrow(x, axis, n - 1 if at_end else 0, 1)
    ramp = np.arange(count) / max(count, 1)  # linear_ramp
    ramp = (ramp[::-1] if at_end else ramp).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    return ops.cast(parameter + (edge - parameter) * Tensor(ramp.astype(np.float32)), x.dtype)


__all__ = ["pad"]
