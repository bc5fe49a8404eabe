"""Setting optimizer state and parameters, and what is done to gradients first."""

from __future__ import annotations

from collections.abc import Iterable

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter
from minispore.core.row_gradient import RowGradient
from minispore.core.tensor import Tensor
from minispore.ops.optim.adam import rest


def ones_beside(weights: Iterable[Parameter], shape: tuple[int, ...], name: str) -> Parameter:
    """What powers of a decay begin with: in float32, as MindSpore keeps them, but beside weights in
    float64, whose digits they would cost, in that.
    """
    double = any(p.dtype is mstype.float64 for p in weights)
    return Parameter(ops.ones(shape, mstype.float64 if double else mstype.float32), name=name)


def exact(parameter: Parameter) -> mstype.DType:
    """The dtype of numbers beside a parameter: float32, or float64 beside that. Float16 would take
    an eps of 1e-8 for 0.
    """
    return mstype.float64 if parameter.dtype is mstype.float64 else mstype.float32


def wide(value: Tensor, parameter: Parameter) -> Tensor:
    """``value`` in the dtype of numbers beside ``parameter``, in which squares of half floats are
    neither 0 nor infinite.
    """
    dtype = exact(parameter)
    return value if value.dtype is dtype else ops.cast(value, dtype)


def put(parameter: Parameter, value: Tensor) -> Tensor:
    """Set a Parameter to ``value``, in the Parameter's dtype; returns ``value`` in it."""
    if value.dtype is not parameter.dtype:
        value = ops.cast(value, parameter.dtype)
    ops.assign(parameter, value)
    return value


def averaged(average: Parameter, value: Tensor, keep: float) -> Tensor:
    """Set ``average`` to keep * average + (1 - keep) * value; returns it as it is before it is
    rounded to half floats.
    """
    new = float(rest(keep, average.value_.spec.dtype))
    result = wide(average, average) * keep + wide(value, average) * new
    put(average, result)
    return result


def decayed(gradient: Tensor, parameter: Parameter, decay: Tensor) -> Tensor:
    """gradient + decay * parameter; of rows that were looked up, of those."""
    if isinstance(gradient, RowGradient):
        at = gradient.indices
        known = ops.reshape(at >= 0, (-1, *[1] * (parameter.ndim - 1)))
        of_rows = ops.where(known, ops.gather(parameter, at, 0) * decay, 0)
        return gradient.map_rows(lambda values: of_rows + values)
    return parameter * decay + gradient


def centralised(gradient: Tensor) -> Tensor:
    """gradient - its mean over all axes but the first."""
    return gradient - ops.ReduceMean(keep_dims=True)(gradient, tuple(range(1, gradient.ndim)))
