"""Door: derivatives of functions, at ``mindspore.ops.function.grad.grad_func``."""

from minispore.core.autograd import grad as grad
from minispore.core.autograd import stop_gradient as stop_gradient
from minispore.core.autograd import value_and_grad as value_and_grad
from minispore.nn.bprop import custom_vjp as custom_vjp
from minispore.ops.control.derivatives import *  # noqa: F403
