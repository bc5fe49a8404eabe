"""Alias module: ``mindspore.dataset.transforms.py_transforms`` of MindSpore 1.x."""

from minispore.dataset.transforms.base import PyTensorOperation as PyTensorOperation
from minispore.dataset.transforms.compose import Compose as Compose
from minispore.dataset.transforms.compose import RandomApply as RandomApply
from minispore.dataset.transforms.compose import RandomChoice as RandomChoice
from minispore.dataset.transforms.compose import RandomOrder as RandomOrder
from minispore.dataset.transforms.legacy import OneHotOp as OneHotOp

__all__ = [
    "Compose",
    "OneHotOp",
    "PyTensorOperation",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
]
