"""Door: what kind of image it is, at ``mindspore.dataset.vision.py_transforms_util``."""

from minispore.dataset.vision.support.image import augment_error_message as augment_error_message
from minispore.dataset.vision.support.image import is_numpy as is_numpy
from minispore.dataset.vision.support.image import is_pil as is_pil

__all__ = [
    "augment_error_message",
    "is_numpy",
    "is_pil",
]
