"""Door: the base of experimental optimizers, at ``mindspore.experimental.optim.optimizer``."""

from minispore.nn.optim.experimental import Optimizer as Optimizer

__all__ = ["Optimizer"]
