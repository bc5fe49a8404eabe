"""TimeDistributed: applies one layer to each time step."""

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
        time_axis: the time axis.
        reshape_with_axis: an axis (such as the batch axis) to merge with the time axis, so that the
            layer is called once.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: when called: the input has fewer than 3 axes.
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
        """Apply the layer to each time step, or, with ``reshape_with_axis``, to all steps in one
        call.
        """
        if check.check_tensor("TimeDistributed", "inputs", inputs).ndim < 3:
            raise ValueError(
                f"TimeDistributed: inputs must have at least 3 axes, got shape {inputs.shape}."
            )
        time = self.time_axis % inputs.ndim
        if self.reshape_with_axis is None:
            return ops.stack([self.layer(x_t) for x_t in ops.unstack(inputs, time)], time)
        return self._call_merged(inputs, time, self.reshape_with_axis % inputs.ndim)

    def _call_merged(self, x: Tensor, time: int, merge_axis: int) -> Tensor:
        """Call the layer once, with the time axis merged into ``merge_axis``.

        Raises:
            ValueError: the layer changed the length of the merged axis.
        """
        new_time = merge_axis + 1 if time > merge_axis else merge_axis - 1
        x = ops.movedim(x, time, new_time)
        axis = min(new_time, merge_axis)  # of the merged axis
        lengths = x.shape[axis : axis + 2]
        out = self.layer(ops.reshape(x, (*x.shape[:axis], -1, *x.shape[axis + 2 :])))
        if axis >= out.ndim or out.shape[axis] != lengths[0] * lengths[1]:
            raise ValueError(
                f"TimeDistributed: layer must keep axis {axis} of its input, got shape "
                f"{out.shape}. Leave out reshape_with_axis."
            )
        return ops.reshape(out, (*out.shape[:axis], *lengths, *out.shape[axis + 1 :]))


__all__ = ["TimeDistributed"]
