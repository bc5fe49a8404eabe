"""Alias module for ``mindspore.dataset.vision.py_transforms_util``: predicates of image types."""

from minispore.dataset.vision.convert import hsv_to_rgbs as hsv_to_rgbs
from minispore.dataset.vision.convert import rgb_to_hsvs as rgb_to_hsvs
from minispore.dataset.vision.support.image import augment_error_message as augment_error_message
from minispore.dataset.vision.support.image import hwc_to_chw as hwc_to_chw
from minispore.dataset.vision.support.image import is_numpy as is_numpy
from minispore.dataset.vision.support.image import is_pil as is_pil

__all__ = [
    "augment_error_message",
    "hsv_to_rgbs",
    "hwc_to_chw",
    "is_numpy",
    "is_pil",
    "rgb_to_hsvs",
]
