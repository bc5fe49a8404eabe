"""Image transforms; images are (H, W, C) in and out unless a transform says otherwise."""

from minispore.dataset.vision.adjust import AdjustBrightness as AdjustBrightness
from minispore.dataset.vision.adjust import AdjustContrast as AdjustContrast
from minispore.dataset.vision.adjust import AdjustGamma as AdjustGamma
from minispore.dataset.vision.adjust import AdjustHue as AdjustHue
from minispore.dataset.vision.adjust import AdjustSaturation as AdjustSaturation
from minispore.dataset.vision.adjust import AutoContrast as AutoContrast
from minispore.dataset.vision.adjust import Equalize as Equalize
from minispore.dataset.vision.adjust import Invert as Invert
from minispore.dataset.vision.adjust import Posterize as Posterize
from minispore.dataset.vision.adjust import Solarize as Solarize
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
from minispore.dataset.vision.convert import Grayscale as Grayscale
from minispore.dataset.vision.convert import HsvToRgb as HsvToRgb
from minispore.dataset.vision.convert import LinearTransformation as LinearTransformation
from minispore.dataset.vision.convert import RandomGrayscale as RandomGrayscale
from minispore.dataset.vision.convert import RgbToHsv as RgbToHsv
from minispore.dataset.vision.convert import ToNumpy as ToNumpy
from minispore.dataset.vision.convert import ToPIL as ToPIL
from minispore.dataset.vision.convert import ToType as ToType
from minispore.dataset.vision.crop import CenterCrop as CenterCrop
from minispore.dataset.vision.crop import Crop as Crop
from minispore.dataset.vision.crop import Pad as Pad
from minispore.dataset.vision.crop import PadToSize as PadToSize
from minispore.dataset.vision.crop import RandomCrop as RandomCrop
from minispore.dataset.vision.decode import Decode as Decode
from minispore.dataset.vision.decode import RandomCropDecodeResize as RandomCropDecodeResize
from minispore.dataset.vision.decode import encode_jpeg as encode_jpeg
from minispore.dataset.vision.decode import encode_png as encode_png
from minispore.dataset.vision.decode import get_image_num_channels as get_image_num_channels
from minispore.dataset.vision.decode import get_image_size as get_image_size
from minispore.dataset.vision.decode import read_file as read_file
from minispore.dataset.vision.decode import read_image as read_image
from minispore.dataset.vision.decode import write_file as write_file
from minispore.dataset.vision.decode import write_jpeg as write_jpeg
from minispore.dataset.vision.decode import write_png as write_png
from minispore.dataset.vision.enums import AutoAugmentPolicy as AutoAugmentPolicy
from minispore.dataset.vision.enums import Border as Border
from minispore.dataset.vision.enums import ConvertMode as ConvertMode
from minispore.dataset.vision.enums import ImageBatchFormat as ImageBatchFormat
from minispore.dataset.vision.enums import ImageReadMode as ImageReadMode
from minispore.dataset.vision.enums import Inter as Inter
from minispore.dataset.vision.enums import SliceMode as SliceMode
from minispore.dataset.vision.erase import CutOut as CutOut
from minispore.dataset.vision.erase import Erase as Erase
from minispore.dataset.vision.erase import RandomErasing as RandomErasing
from minispore.dataset.vision.flip import HorizontalFlip as HorizontalFlip
from minispore.dataset.vision.flip import RandomHorizontalFlip as RandomHorizontalFlip
from minispore.dataset.vision.flip import RandomVerticalFlip as RandomVerticalFlip
from minispore.dataset.vision.flip import VerticalFlip as VerticalFlip
from minispore.dataset.vision.geometry import Affine as Affine
from minispore.dataset.vision.geometry import RandomAffine as RandomAffine
from minispore.dataset.vision.geometry import RandomRotation as RandomRotation
from minispore.dataset.vision.geometry import Rotate as Rotate
from minispore.dataset.vision.mix import CutMixBatch as CutMixBatch
from minispore.dataset.vision.mix import MixUp as MixUp
from minispore.dataset.vision.mix import MixUpBatch as MixUpBatch
from minispore.dataset.vision.patches import FiveCrop as FiveCrop
from minispore.dataset.vision.patches import SlicePatches as SlicePatches
from minispore.dataset.vision.patches import TenCrop as TenCrop
from minispore.dataset.vision.perspective import Perspective as Perspective
from minispore.dataset.vision.perspective import RandomPerspective as RandomPerspective
from minispore.dataset.vision.pixel import HWC2CHW as HWC2CHW
from minispore.dataset.vision.pixel import Normalize as Normalize
from minispore.dataset.vision.pixel import NormalizePad as NormalizePad
from minispore.dataset.vision.pixel import Rescale as Rescale
from minispore.dataset.vision.pixel import Resize as Resize
from minispore.dataset.vision.pixel import ToTensor as ToTensor
from minispore.dataset.vision.policy import AutoAugment as AutoAugment
from minispore.dataset.vision.policy import RandAugment as RandAugment
from minispore.dataset.vision.policy import RandomSelectSubpolicy as RandomSelectSubpolicy
from minispore.dataset.vision.policy import TrivialAugmentWide as TrivialAugmentWide
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
from minispore.dataset.vision.resized_crop import ResizedCrop as ResizedCrop
from minispore.dataset.vision.smooth import AdjustSharpness as AdjustSharpness
from minispore.dataset.vision.smooth import GaussianBlur as GaussianBlur
from minispore.dataset.vision.support.image import is_numpy as is_numpy
from minispore.dataset.vision.support.image import is_pil as is_pil
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.lazy_import import make_lazy_attributes as _later

__all__ = [
    "HWC2CHW",
    "AdjustBrightness",
    "AdjustContrast",
    "AdjustGamma",
    "AdjustHue",
    "AdjustSaturation",
    "AdjustSharpness",
    "Affine",
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
    "Erase",
    "FiveCrop",
    "GaussianBlur",
    "Grayscale",
    "HorizontalFlip",
    "HsvToRgb",
    "ImageBatchFormat",
    "ImageReadMode",
    "Inter",
    "Invert",
    "LinearTransformation",
    "MixUp",
    "MixUpBatch",
    "Normalize",
    "NormalizePad",
    "Pad",
    "PadToSize",
    "Perspective",
    "Posterize",
    "RandAugment",
    "RandomAdjustSharpness",
    "RandomAffine",
    "RandomAutoContrast",
    "RandomColor",
    "RandomColorAdjust",
    "RandomCrop",
    "RandomCropDecodeResize",
    "RandomCropWithBBox",
    "RandomEqualize",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomHorizontalFlipWithBBox",
    "RandomInvert",
    "RandomLighting",
    "RandomPerspective",
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
    "ResizedCrop",
    "RgbToHsv",
    "Rotate",
    "SliceMode",
    "SlicePatches",
    "Solarize",
    "TenCrop",
    "ToNumpy",
    "ToPIL",
    "ToTensor",
    "ToType",
    "TrivialAugmentWide",
    "UniformAugment",
    "VerticalFlip",
    "encode_jpeg",
    "encode_png",
    "get_image_num_channels",
    "get_image_size",
    "is_numpy",
    "is_pil",
    "read_file",
    "read_image",
    "write_file",
    "write_jpeg",
    "write_png",
]

__getattr__, __dir__ = _later(__name__, {})  # submodules are attributes

_describe(__name__)
