"""Differences and integrals of sampled functions, and selection among several arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import FloorMod, difference
from minispore.ops.elementwise.bases import broadcast_to
from minispore.ops.elementwise.extremes import Maximum, Minimum
from minispore.ops.index.gather import GatherD
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.join import Concat, Stack
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.statistics.deviations import to_floating
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import check_axis, check_tensors
from minispore.ops.support.spelling import also_spelled


@method("diff")
@also_spelled(dim="axis")
def diff(
    x: Tensor,
    n: int = 1,
    axis: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Return the ``n``-th differences of adjacent elements along ``axis``.

    ``prepend`` and ``append`` are joined to ``x`` along the axis first. Raises ValueError if the
    axis is empty.

    >>> print(diff(Tensor([1, 4, 9, 16])))
    [3 5 7]
    """
    check_tensors("diff", x=x)
    axis_index = check_axis("diff", axis, x.ndim)
    if not x.shape[axis_index]:
        raise ValueError(f"diff: axis {axis_index} must not be empty, got shape {x.shape}.")
    pieces = [t for t in (prepend, x, append) if t is not None]
    if len(pieces) > 1:
        x = Concat(axis_index)(pieces)
    for _ in range(checks.integer("diff", "n", n, 0)):
        skipped = (slice(None),) * axis_index
        x = difference(x[(*skipped, slice(1, None))], x[(*skipped, slice(None, -1))])
    return x


def _to_single_precision(x: Tensor) -> Tensor:
    """Cast x to float32, also from float64, unless it is float16, float32 or complex."""
    x = to_floating(x)
    is_supported = x.dtype in (mstype.float16, mstype.float32) or x.dtype.kind == "c"
    return x if is_supported else Cast()(x, mstype.float32)


def trapz(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """Return the integral of ``y`` along ``dim`` by the trapezoidal rule, with points ``x`` or
    spacing ``dx``.

    ``x`` is a vector or has the axes of ``y``; with it, ``dx`` has no effect. Tensors that are
    neither float16 nor complex, float64 included, are integrated in float32.

    >>> print(trapz(Tensor([1.0, 2.0, 3.0])))
    4.0
    """
    check_tensors("trapz", y=y)
    axis = check_axis("trapz", dim, y.ndim, "dim")
    y = _to_single_precision(y)
    skipped = (slice(None),) * axis
    means = (y[(*skipped, slice(1, None))] + y[(*skipped, slice(None, -1))]) / 2
    if x is None:
        return ReduceSum()(means * dx, (axis,))
    steps = diff(_to_single_precision(x), axis=-1 if x.ndim == 1 else axis)
    if x.ndim == 1:
        steps = Reshape()(steps, (-1,) + (1,) * (y.ndim - 1 - axis))
    return ReduceSum()(means * steps, (axis,))


@method("choose")
def _choose_method(self: Tensor, choices: Any, mode: str = "clip") -> Tensor:
    """Return, at each position, the element of the choice in ``choices`` that this tensor indexes.

    The tensor and the choices are broadcast. A float index is truncated. An index out of range is
    clipped, taken modulo the number of choices ("wrap"), or raises ("raise"), by ``mode``.

    >>> print(Tensor([0, 1]).choose([Tensor([1, 2]), Tensor([3, 4])]))
    [1 4]
    """
    if mode not in ("clip", "wrap", "raise"):
        raise ValueError(f"choose: mode must be 'clip', 'wrap' or 'raise', got {mode!r}.")
    tensors = [c if isinstance(c, Tensor) else Tensor(c) for c in choices]
    n, index = len(tensors), self
    if self.dtype.kind == "f":
        index = Cast()(self, mstype.int64)
    if mode == "clip":
        index = Minimum()(Maximum()(index, 0), n - 1)
    elif mode == "wrap":
        index = FloorMod()(index, n)
    shape = np.broadcast_shapes(index.shape, *[p.shape for p in tensors])
    table = Stack(0)([broadcast_to(p, shape) for p in tensors])
    index = ExpandDims()(broadcast_to(index, shape), 0)
    return Reshape()(GatherD()(table, 0, index), shape)


__all__ = ["diff", "trapz"]
