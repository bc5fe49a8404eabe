"""Alias module: derivatives of functions, at ``mindspore.ops.function.grad``."""

from minispore.ops.function.grad import grad_func as grad_func
from minispore.ops.function.grad.grad_func import *  # noqa: F403
