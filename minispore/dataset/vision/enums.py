"""Enumerations that are arguments of vision transforms."""

from __future__ import annotations

from enum import Enum, IntEnum


class Inter(IntEnum):
    """Interpolation between pixels."""

    NEAREST = 0
    ANTIALIAS = 1  # Lanczos, for PIL images
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5  # Pillow's bicubic interpolation: antialiased, in 22-bit fixed point


class Border(str, Enum):  # noqa: UP042 - str() of a member is "Border.EDGE", as in MindSpore
    """Padding values outside of an image."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"  # without the edge itself
    SYMMETRIC = "symmetric"  # with the edge itself


class ConvertMode(IntEnum):
    """Conversion from one channel order to another."""

    COLOR_BGR2BGRA = COLOR_RGB2RGBA = 0
    COLOR_BGRA2BGR = COLOR_RGBA2RGB = 1
    COLOR_BGR2RGBA = COLOR_RGB2BGRA = 2
    COLOR_RGBA2BGR = COLOR_BGRA2RGB = 3
    COLOR_BGR2RGB = COLOR_RGB2BGR = 4
    COLOR_BGRA2RGBA = COLOR_RGBA2BGRA = 5
    COLOR_BGR2GRAY = 6
    COLOR_RGB2GRAY = 7
    COLOR_GRAY2BGR = COLOR_GRAY2RGB = 8
    COLOR_GRAY2BGRA = COLOR_GRAY2RGBA = 9
    COLOR_BGRA2GRAY = 10
    COLOR_RGBA2GRAY = 11


class ImageBatchFormat(IntEnum):
    """Layout of a batch of images."""

    NHWC = 0
    NCHW = 1


class ImageReadMode(IntEnum):
    """Channels with which an image file is read."""

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2


class SliceMode(IntEnum):
    """Treatment of an image that can't be sliced evenly."""

    PAD = 0
    DROP = 1


class AutoAugmentPolicy(str, Enum):  # noqa: UP042 - as above
    """The dataset for which AutoAugment's policies were found."""

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"
