"""Cells that wrap a network: with a loss, with gradients, for training."""
# ruff: noqa: F403  the __all__ of each module lists what is public

from minispore.nn.wrap import cell_wrapper, grad_reducer, loss_scale
from minispore.nn.wrap.cell_wrapper import *
from minispore.nn.wrap.cell_wrapper import _VirtualDatasetCell as _VirtualDatasetCell
from minispore.nn.wrap.grad_reducer import *
from minispore.nn.wrap.loss_scale import *

__all__ = [*cell_wrapper.__all__, *grad_reducer.__all__, *loss_scale.__all__]
