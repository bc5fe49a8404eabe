"""Wrappers around networks."""
# ruff: noqa: F403  each family says in its __all__ what is public

from minispore.nn.wrap import cell_wrapper, grad_reducer, loss_scale
from minispore.nn.wrap.cell_wrapper import *
from minispore.nn.wrap.cell_wrapper import _VirtualDatasetCell as _VirtualDatasetCell
from minispore.nn.wrap.grad_reducer import *
from minispore.nn.wrap.loss_scale import *

__all__ = [*cell_wrapper.__all__, *grad_reducer.__all__, *loss_scale.__all__]
