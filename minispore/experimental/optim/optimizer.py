"""Alias module: the base optimizer, at ``mindspore.experimental.optim.optimizer``."""

from minispore.nn.optim.experimental import Optimizer as Optimizer

__all__ = ["Optimizer"]
