"""Alias module for ``mindspore.dataset.vision.c_transforms`` of MindSpore 1.x: transforms
of arrays.
"""

from minispore.dataset.vision.adjust import AdjustGamma as AdjustGamma
from minispore.dataset.vision.adjust import AutoContrast as AutoContrast
from minispore.dataset.vision.adjust import Equalize as Equalize
from minispore.dataset.vision.adjust import Invert as Invert
from minispore.dataset.vision.boxes import BoundingBoxAugment as BoundingBoxAugment
from minispore.dataset.vision.boxes import RandomCropWithBBox as RandomCropWithBBox
from minispore.dataset.vision.boxes import (
    RandomHorizontalFlipWithBBox as RandomHorizontalFlipWithBBox,
)
from minispore.dataset.vision.boxes import RandomResizedCropWithBBox as RandomResizedCropWithBBox
from minispore.dataset.vision.boxes import RandomResizeWithBBox as RandomResizeWithBBox
from minispore.dataset.vision.boxes import RandomVerticalFlipWithBBox as RandomVerticalFlipWithBBox
from minispore.dataset.vision.boxes import ResizeWithBBox as ResizeWithBBox
from minispore.dataset.vision.convert import ConvertColor as ConvertColor
from minispore.dataset.vision.crop import CenterCrop as CenterCrop
from minispore.dataset.vision.crop import Crop as Crop
from minispore.dataset.vision.crop import Pad as Pad
from minispore.dataset.vision.crop import PadToSize as PadToSize
from minispore.dataset.vision.crop import RandomCrop as RandomCrop
from minispore.dataset.vision.decode import RandomCropDecodeResize as RandomCropDecodeResize
from minispore.dataset.vision.enums import AutoAugmentPolicy as AutoAugmentPolicy
from minispore.dataset.vision.enums import Border as Border
from minispore.dataset.vision.enums import ConvertMode as ConvertMode
from minispore.dataset.vision.enums import ImageBatchFormat as ImageBatchFormat
from minispore.dataset.vision.enums import ImageReadMode as ImageReadMode
from minispore.dataset.vision.enums import Inter as Inter
from minispore.dataset.vision.enums import SliceMode as SliceMode
from minispore.dataset.vision.erase import CutOut as CutOut
from minispore.dataset.vision.flip import HorizontalFlip as HorizontalFlip
from minispore.dataset.vision.flip import RandomHorizontalFlip as RandomHorizontalFlip
from minispore.dataset.vision.flip import RandomVerticalFlip as RandomVerticalFlip
from minispore.dataset.vision.flip import VerticalFlip as VerticalFlip
from minispore.dataset.vision.geometry import RandomAffine as RandomAffine
from minispore.dataset.vision.geometry import RandomRotation as RandomRotation
from minispore.dataset.vision.geometry import Rotate as Rotate
from minispore.dataset.vision.legacy import c_decode as Decode
from minispore.dataset.vision.legacy import c_rgb_to_bgr as RgbToBgr
from minispore.dataset.vision.mix import CutMixBatch as CutMixBatch
from minispore.dataset.vision.mix import MixUpBatch as MixUpBatch
from minispore.dataset.vision.patches import SlicePatches as SlicePatches
from minispore.dataset.vision.pixel import HWC2CHW as HWC2CHW
from minispore.dataset.vision.pixel import Normalize as Normalize
from minispore.dataset.vision.pixel import NormalizePad as NormalizePad
from minispore.dataset.vision.pixel import Rescale as Rescale
from minispore.dataset.vision.pixel import Resize as Resize
from minispore.dataset.vision.policy import AutoAugment as AutoAugment
from minispore.dataset.vision.policy import RandomSelectSubpolicy as RandomSelectSubpolicy
from minispore.dataset.vision.policy import UniformAugment as UniformAugment
from minispore.dataset.vision.random_adjust import RandomAdjustSharpness as RandomAdjustSharpness
from minispore.dataset.vision.random_adjust import RandomAutoContrast as RandomAutoContrast
from minispore.dataset.vision.random_adjust import RandomColor as RandomColor
from minispore.dataset.vision.random_adjust import RandomColorAdjust as RandomColorAdjust
from minispore.dataset.vision.random_adjust import RandomEqualize as RandomEqualize
from minispore.dataset.vision.random_adjust import RandomInvert as RandomInvert
from minispore.dataset.vision.random_adjust import RandomLighting as RandomLighting
from minispore.dataset.vision.random_adjust import RandomPosterize as RandomPosterize
from minispore.dataset.vision.random_adjust import RandomSharpness as RandomSharpness
from minispore.dataset.vision.random_adjust import RandomSolarize as RandomSolarize
from minispore.dataset.vision.resized_crop import RandomResize as RandomResize
from minispore.dataset.vision.resized_crop import RandomResizedCrop as RandomResizedCrop
from minispore.dataset.vision.smooth import GaussianBlur as GaussianBlur

__all__ = [
    "HWC2CHW",
    "AdjustGamma",
    "AutoAugment",
    "AutoAugmentPolicy",
    "AutoContrast",
    "Border",
    "BoundingBoxAugment",
    "CenterCrop",
    "ConvertColor",
    "ConvertMode",
    "Crop",
    "CutMixBatch",
    "CutOut",
    "Decode",
    "Equalize",
    "GaussianBlur",
    "HorizontalFlip",
    "ImageBatchFormat",
    "ImageReadMode",
    "Inter",
    "Invert",
    "MixUpBatch",
    "Normalize",
    "NormalizePad",
    "Pad",
    "PadToSize",
    "RandomAdjustSharpness",
    "RandomAffine",
    "RandomAutoContrast",
    "RandomColor",
    "RandomColorAdjust",
    "RandomCrop",
    "RandomCropDecodeResize",
    "RandomCropWithBBox",
    "RandomEqualize",
    "RandomHorizontalFlip",
    "RandomHorizontalFlipWithBBox",
    "RandomInvert",
    "RandomLighting",
    "RandomPosterize",
    "RandomResize",
    "RandomResizeWithBBox",
    "RandomResizedCrop",
    "RandomResizedCropWithBBox",
    "RandomRotation",
    "RandomSelectSubpolicy",
    "RandomSharpness",
    "RandomSolarize",
    "RandomVerticalFlip",
    "RandomVerticalFlipWithBBox",
    "Rescale",
    "Resize",
    "ResizeWithBBox",
    "RgbToBgr",
    "Rotate",
    "SliceMode",
    "SlicePatches",
    "UniformAugment",
    "VerticalFlip",
]
