"""mindspore.dataset.vision.py_transforms_util: what kind of image it is."""

from minispore.dataset.vision.image import is_numpy as is_numpy
from minispore.dataset.vision.image import is_pil as is_pil

__all__ = [
    "is_numpy",
    "is_pil",
]
