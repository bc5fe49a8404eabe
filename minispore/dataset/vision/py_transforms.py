"""Alias module for ``vision.py_transforms`` of MindSpore 1.x: transforms of PIL images and
(C, H, W).
"""

from minispore.dataset.vision.adjust import AdjustGamma as AdjustGamma
from minispore.dataset.vision.adjust import AutoContrast as AutoContrast
from minispore.dataset.vision.adjust import Equalize as Equalize
from minispore.dataset.vision.adjust import Invert as Invert
from minispore.dataset.vision.convert import Grayscale as Grayscale
from minispore.dataset.vision.convert import HsvToRgb as HsvToRgb
from minispore.dataset.vision.convert import LinearTransformation as LinearTransformation
from minispore.dataset.vision.convert import RandomGrayscale as RandomGrayscale
from minispore.dataset.vision.convert import RgbToBgr as RgbToBgr
from minispore.dataset.vision.convert import RgbToHsv as RgbToHsv
from minispore.dataset.vision.convert import ToPIL as ToPIL
from minispore.dataset.vision.crop import CenterCrop as CenterCrop
from minispore.dataset.vision.crop import Pad as Pad
from minispore.dataset.vision.crop import RandomCrop as RandomCrop
from minispore.dataset.vision.enums import AutoAugmentPolicy as AutoAugmentPolicy
from minispore.dataset.vision.enums import Border as Border
from minispore.dataset.vision.enums import ConvertMode as ConvertMode
from minispore.dataset.vision.enums import ImageBatchFormat as ImageBatchFormat
from minispore.dataset.vision.enums import ImageReadMode as ImageReadMode
from minispore.dataset.vision.enums import Inter as Inter
from minispore.dataset.vision.enums import SliceMode as SliceMode
from minispore.dataset.vision.erase import RandomErasing as RandomErasing
from minispore.dataset.vision.flip import RandomHorizontalFlip as RandomHorizontalFlip
from minispore.dataset.vision.flip import RandomVerticalFlip as RandomVerticalFlip
from minispore.dataset.vision.geometry import RandomAffine as RandomAffine
from minispore.dataset.vision.geometry import RandomRotation as RandomRotation
from minispore.dataset.vision.legacy import py_cut_out as CutOut
from minispore.dataset.vision.legacy import py_decode as Decode
from minispore.dataset.vision.legacy import py_normalize as Normalize
from minispore.dataset.vision.legacy import py_normalize_pad as NormalizePad
from minispore.dataset.vision.legacy import py_to_type as ToType
from minispore.dataset.vision.mix import MixUp as MixUp
from minispore.dataset.vision.patches import FiveCrop as FiveCrop
from minispore.dataset.vision.patches import TenCrop as TenCrop
from minispore.dataset.vision.perspective import Perspective as Perspective
from minispore.dataset.vision.perspective import RandomPerspective as RandomPerspective
from minispore.dataset.vision.pixel import HWC2CHW as HWC2CHW
from minispore.dataset.vision.pixel import Resize as Resize
from minispore.dataset.vision.pixel import ToTensor as ToTensor
from minispore.dataset.vision.policy import UniformAugment as UniformAugment
from minispore.dataset.vision.random_adjust import RandomColor as RandomColor
from minispore.dataset.vision.random_adjust import RandomColorAdjust as RandomColorAdjust
from minispore.dataset.vision.random_adjust import RandomLighting as RandomLighting
from minispore.dataset.vision.random_adjust import RandomSharpness as RandomSharpness
from minispore.dataset.vision.resized_crop import RandomResizedCrop as RandomResizedCrop
from minispore.dataset.vision.support.image import is_numpy as is_numpy
from minispore.dataset.vision.support.image import is_pil as is_pil

__all__ = [
    "HWC2CHW",
    "AdjustGamma",
    "AutoAugmentPolicy",
    "AutoContrast",
    "Border",
    "CenterCrop",
    "ConvertMode",
    "CutOut",
    "Decode",
    "Equalize",
    "FiveCrop",
    "Grayscale",
    "HsvToRgb",
    "ImageBatchFormat",
    "ImageReadMode",
    "Inter",
    "Invert",
    "LinearTransformation",
    "MixUp",
    "Normalize",
    "NormalizePad",
    "Pad",
    "Perspective",
    "RandomAffine",
    "RandomColor",
    "RandomColorAdjust",
    "RandomCrop",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomLighting",
    "RandomPerspective",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSharpness",
    "RandomVerticalFlip",
    "Resize",
    "RgbToBgr",
    "RgbToHsv",
    "SliceMode",
    "TenCrop",
    "ToPIL",
    "ToTensor",
    "ToType",
    "UniformAugment",
    "is_numpy",
    "is_pil",
]
