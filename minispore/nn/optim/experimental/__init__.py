"""Optimizers with PyTorch's arguments: groups are dicts whose learning rates schedulers change."""

from __future__ import annotations

from minispore.nn.optim.experimental import lr_scheduler as lr_scheduler
from minispore.nn.optim.experimental.adam import Adam as Adam
from minispore.nn.optim.experimental.adam import AdamW as AdamW
from minispore.nn.optim.experimental.optimizer import Optimizer as Optimizer
from minispore.nn.optim.experimental.sgd import SGD as SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]
