"""Helpers of optimizer updates: dtypes of state, assignments, moving averages and weight decay."""

from __future__ import annotations

from collections.abc import Iterable

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.row_gradient import RowGradient
from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype
from minispore.ops.optim.adam import compute_one_minus


def make_powers(weights: Iterable[Parameter], shape: tuple[int, ...], name: str) -> Parameter:
    """Make a Parameter of ones, the initial powers beta ** 0 of decay rates.

    It is float32, as in MindSpore, or float64 if a weight is, since float32 powers would make its
    updates less accurate.
    """
    has_float64 = any(p.dtype is mstype.float64 for p in weights)
    return Parameter(ops.ones(shape, mstype.float64 if has_float64 else mstype.float32), name=name)


def get_state_dtype(parameter: Parameter) -> mstype.DType:
    """Return the dtype for values computed with a parameter: float64 for float64, else float32.

    In float16 an eps of 1e-8 would be 0.
    """
    return mstype.float64 if parameter.dtype is mstype.float64 else mstype.float32


def cast_to_state_dtype(value: Tensor, parameter: Parameter) -> Tensor:
    """Cast ``value`` to the state dtype of ``parameter``.

    Squares of float16 gradients would become 0 or infinite in their own dtype.
    """
    dtype = get_state_dtype(parameter)
    return value if value.dtype is dtype else ops.cast(value, dtype)


def assign_cast(parameter: Parameter, value: Tensor) -> Tensor:
    """Assign ``value`` to a Parameter in the Parameter's dtype; return ``value`` in that dtype."""
    if value.dtype is not parameter.dtype:
        value = ops.cast(value, parameter.dtype)
    ops.assign(parameter, value)
    return value


def update_average(average: Parameter, value: Tensor, decay: float) -> Tensor:
    """Set ``average`` to decay * average + (1 - decay) * value and return the result.

    The returned Tensor is in the state dtype, before it is rounded to that of ``average``.
    """
    complement = float(compute_one_minus(decay, average.value_.spec.dtype))
    updated = (
        cast_to_state_dtype(average, average) * decay
        + cast_to_state_dtype(value, average) * complement
    )
    assign_cast(average, updated)
    return updated


def add_weight_decay(gradient: Tensor, parameter: Parameter, decay: Tensor) -> Tensor:
    """Return gradient + decay * parameter.

    In a row gradient, only its rows decay; negative indices, which stand for no row, add nothing.
    """
    if isinstance(gradient, RowGradient):
        indices = gradient.indices
        is_row = ops.reshape(indices >= 0, (-1, *[1] * (parameter.ndim - 1)))
        row_decay = ops.where(is_row, ops.gather(parameter, indices, 0) * decay, 0)
        return gradient.map_rows(lambda values: row_decay + values)
    return parameter * decay + gradient


def subtract_mean(gradient: Tensor) -> Tensor:
    """Return gradient - its mean over all axes but the first."""
    return gradient - ops.ReduceMean(keep_dims=True)(gradient, tuple(range(1, gradient.ndim)))
