"""Transforms of images."""

from minispore.dataset.vision.enums import AutoAugmentPolicy as AutoAugmentPolicy
from minispore.dataset.vision.enums import Border as Border
from minispore.dataset.vision.enums import ConvertMode as ConvertMode
from minispore.dataset.vision.enums import ImageBatchFormat as ImageBatchFormat
from minispore.dataset.vision.enums import ImageReadMode as ImageReadMode
from minispore.dataset.vision.enums import Inter as Inter
from minispore.dataset.vision.enums import SliceMode as SliceMode
from minispore.dataset.vision.pixel import HWC2CHW as HWC2CHW
from minispore.dataset.vision.pixel import Normalize as Normalize
from minispore.dataset.vision.pixel import Rescale as Rescale
from minispore.dataset.vision.pixel import Resize as Resize
from minispore.dataset.vision.pixel import ToTensor as ToTensor

__all__ = [
    "HWC2CHW",
    "AutoAugmentPolicy",
    "Border",
    "ConvertMode",
    "ImageBatchFormat",
    "ImageReadMode",
    "Inter",
    "Normalize",
    "Rescale",
    "Resize",
    "SliceMode",
    "ToTensor",
]
