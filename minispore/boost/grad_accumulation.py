"""Alias module: gradients of several steps, at ``mindspore.boost.grad_accumulation``."""

from minispore.train.accumulation import GradientAccumulation as GradientAccumulation
from minispore.train.accumulation import gradient_accumulation_op as gradient_accumulation_op
from minispore.train.accumulation import gradient_clear_op as gradient_clear_op

__all__ = ["GradientAccumulation", "gradient_accumulation_op", "gradient_clear_op"]
