"""Alias module for ``mindspore.experimental.optim.optimizer``: the base of these optimizers."""

from minispore.nn.optim.experimental import Optimizer as Optimizer

__all__ = ["Optimizer"]
