"""Setting optimizer state and parameters."""

from __future__ import annotations

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.ops.optim.momentum_adam import rest


def put(parameter: Parameter, value: Tensor) -> Tensor:
    """Set a Parameter to ``value``, in the Parameter's dtype; returns ``value`` in it."""
    if value.dtype is not parameter.dtype:
        value = ops.cast(value, parameter.dtype)
    ops.assign(parameter, value)
    return value


def averaged(average: Parameter, value: Tensor, keep: float) -> Tensor:
    """Set ``average`` to keep * average + (1 - keep) * value; returns it."""
    return put(average, average * keep + value * float(rest(keep, average.value_.spec.dtype)))
