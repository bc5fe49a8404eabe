"""Histograms: counts of values between edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.mnp.creation import to_tensor


def digitize(x: Any, bins: Any, right: bool = False) -> Tensor:
    """Return the index of the bin of each ``x``; ``bins`` must be monotonic.

    With ``right`` a bin includes its right edge, else its left one. The indices are int32, 0 before
    the first edge and ``len(bins)`` after the last one.

    >>> print(digitize([0.2, 6.4, 3.0], [0.0, 1.0, 2.5, 4.0]))
    [1 4 3]
    """
    x, bins = to_tensor(x), to_tensor(bins)
    if bins.ndim != 1:
        raise ValueError(f"digitize: bins must be a vector, got the shape {bins.shape}.")
    if not bins.size:
        return ops.zeros(x.shape, mstype.int32)
    decreases = ops.logical_and(bins[0] > bins[-1], Tensor(bins.size > 1))
    edges = ops.select(decreases, ops.flip(bins, (0,)), bins)
    index = ops.searchsorted(edges, x, right=not right)
    return ops.cast(ops.select(decreases, bins.size - index, index), mstype.int32)


def _make_edges(api_name: str, a: np.ndarray, bins: Any, range: Any) -> Tensor:
    """Return ``bins`` if it holds edges, else ``bins`` + 1 evenly spaced float32 edges over
    ``range``.

    ``range`` is that of ``a`` by default, [0, 1] if this is empty; a range of one point is extended
    by 0.5 on each side.

    Raises:
        TypeError: ``bins`` is a str.
        ValueError: there are no bins, or ``range`` decreases.
    """
    if isinstance(bins, str):
        raise TypeError(f"{api_name}: bins must be an int or edges, got {bins!r}.")
    if not isinstance(bins, int | np.integer):
        return to_tensor(bins)
    if bins < 1:
        raise ValueError(f"{api_name}: bins must be at least 1, got {bins}.")
    if range is None:
        low, high = (float(a.min()), float(a.max())) if a.size else (0.0, 1.0)
    else:
        low, high = (float(to_tensor(e).asnumpy()) for e in range)
        if low > high:
            raise ValueError(f"{api_name}: range must increase, got {range!r}.")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return Tensor(np.linspace(low, high, bins + 1).astype(np.float32))


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Tensor:
    """Return the edges of ``bins`` bins of equal width over ``range``, by default that of ``a``.

    If ``bins`` holds edges, return them. ``weights`` has no effect.

    >>> print(histogram_bin_edges([1, 2, 4], 3))
    [1. 2. 3. 4.]
    """
    return _make_edges("histogram_bin_edges", to_tensor(a).asnumpy(), bins, range)


def histogram(
    a: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False
) -> tuple[Tensor, Tensor]:
    """Count the elements of ``a`` in each bin, or sum their ``weights``; also return the edges.

    Counts are float32. The last bin includes both of its edges; elements outside the bins are not
    counted. With ``density`` the area under the histogram is 1. It cannot be part of a graph.

    >>> print(histogram([1.0, 2.0, 1.0], [0, 1, 2, 3])[0])
    [0. 2. 1.]
    """
    if weights is not None and to_tensor(weights).shape != to_tensor(a).shape:
        raise ValueError(
            f"histogram: weights must have the shape of a, {to_tensor(a).shape}, got "
            f"{to_tensor(weights).shape}."
        )
    flat = ops.reshape(to_tensor(a), (-1, 1))
    counts, edges = histogramdd(flat, [bins], None if range is None else [range], weights, density)
    return counts, edges[0]


def _check_bins(api_name: str, bins: Any) -> None:
    """Check that ``bins`` is a number of bins, edges, or a sequence of these; else raise
    TypeError.
    """
    if not isinstance(bins, int | np.integer | Sequence | Tensor | np.ndarray):
        rule = "be an int, edges, or one of them for each axis"
        raise TypeError(checks.format_error(api_name, "bins", rule, checks.format_value(bins)))


def histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Any = None,
    weights: Any = None,
    density: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """Count the points (x, y) in each bin; also return the edges along both axes.

    ``bins`` is a number or edges for both axes, or a pair with one per axis; so two edges are
    understood as a pair. The other arguments are those of :func:`histogramdd`.
    """
    points = ops.stack([ops.reshape(to_tensor(t), (-1,)) for t in (x, y)], 1)
    _check_bins("histogram2d", bins)
    if not isinstance(bins, int) and len(bins) != 2:
        bins = [bins, bins]  # the same edges for both axes
    counts, edges = histogramdd(points, bins, range, weights, density)
    return counts, edges[0], edges[1]


def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    weights: Any = None,
    density: bool = False,
) -> tuple[Tensor, list[Tensor]]:
    """Count the rows of ``sample`` in each bin, as float32; also return the edges along each axis.

    It cannot be part of a graph.

    Args:
        sample: (N, D), or a list or tuple of D vectors of length N.
        bins: a number for all axes, or a sequence with a number or edges for each axis.
        range: the range of each axis, (low, high) or None.
        weights: the weight of each row, 1 by default.
        density: divide by the sum and by the volume of each bin.
    """
    if isinstance(sample, list | tuple):
        points = np.stack([to_tensor(s).asnumpy().reshape(-1) for s in sample], 1)
    else:
        points = to_tensor(sample).asnumpy()
        points = points.reshape(-1, 1) if points.ndim < 2 else points
    axes = points.shape[1]
    _check_bins("histogramdd", bins)
    bins_by_axis: Sequence[Any] = [bins] * axes if isinstance(bins, int | np.integer) else bins
    if len(bins_by_axis) != axes:
        raise ValueError(
            f"histogramdd: bins must be one for each of {axes} axes, got {len(bins_by_axis)}."
        )
    ranges = [None] * axes if range is None else range
    edges = [
        _make_edges("histogramdd", column, bins, span)
        for column, bins, span in zip(points.T, bins_by_axis, ranges)
    ]
    edge_arrays = [e.asnumpy() for e in edges]
    w = None if weights is None else to_tensor(weights).asnumpy().reshape(-1)
    counts, _ = np.histogramdd(points, edge_arrays, weights=w, density=density)
    return Tensor(counts.astype(np.float32)), edges


__all__ = [
    "digitize",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
]
