"""Alias module: derivatives of functions, at ``mindspore.ops.function.grad.grad_func``."""

from minispore.core.autograd import grad as grad
from minispore.core.autograd import stop_gradient as stop_gradient
from minispore.core.autograd import value_and_grad as value_and_grad
from minispore.nn.bprop import custom_vjp as custom_vjp
from minispore.ops.control.derivatives import *  # noqa: F403
from minispore.ops.extended import look_grad as __getattr__  # noqa: F401
from minispore.ops.extended import names_grad as __dir__  # noqa: F401
