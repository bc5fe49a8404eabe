"""One layer for each point in time."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn import check
from minispore.nn.cell import Cell


class TimeDistributed(Cell):
    """layer(x[t]) for each t along ``time_axis``, stacked along the same axis.

    Args:
        layer: a Cell or primitive.
        time_axis: the axis of time.
        reshape_with_axis: an axis (of the batch) with which time is merged, to call the layer once.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: fewer than 3 axes (when called).
    """

    def __init__(self, layer: Any, time_axis: int, reshape_with_axis: int | None = None) -> None:
        super().__init__()
        if not isinstance(layer, Cell | Primitive):
            raise TypeError(
                "TimeDistributed: layer must be a Cell or primitive, got "
                f"{checks.format_value(layer)}."
            )
        self.layer = layer
        self.time_axis = checks.integer("TimeDistributed", "time_axis", time_axis)
        if reshape_with_axis is not None:
            checks.integer("TimeDistributed", "reshape_with_axis", reshape_with_axis)
        self.reshape_with_axis = reshape_with_axis

    def construct(self, inputs: Tensor) -> Tensor:
        if check.a_tensor("TimeDistributed", "inputs", inputs).ndim < 3:
            raise ValueError(
                f"TimeDistributed: inputs must have at least 3 axes, got shape {inputs.shape}."
            )
        time = self.time_axis % inputs.ndim
        if self.reshape_with_axis is None:
            return ops.stack([self.layer(x_t) for x_t in ops.unstack(inputs, time)], time)
        return self._merged(inputs, time, self.reshape_with_axis % inputs.ndim)

    def _merged(self, x: Tensor, time: int, other: int) -> Tensor:
        """One call, with time moved next to ``other`` and the two made one axis."""
        beside = other + 1 if time > other else other - 1
        x = ops.movedim(x, time, beside)
        at = min(beside, other)
        shape = x.shape
        out = self.layer(ops.reshape(x, (*shape[:at], -1, *shape[at + 2 :])))
        if at >= out.ndim or out.shape[at] != shape[at] * shape[at + 1]:
            raise ValueError(
                f"TimeDistributed: layer must keep axis {at} of its input, got shape {out.shape}. "
                "Leave out reshape_with_axis."
            )
        out = ops.reshape(out, (*out.shape[:at], *shape[at : at + 2], *out.shape[at + 1 :]))
        return out


__all__ = ["TimeDistributed"]
