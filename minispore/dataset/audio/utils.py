"""Alias module: enumerations and filter matrices, at ``mindspore.dataset.audio.utils``."""

from minispore.dataset.audio.banks import create_dct as create_dct
from minispore.dataset.audio.banks import linear_fbanks as linear_fbanks
from minispore.dataset.audio.banks import melscale_fbanks as melscale_fbanks
from minispore.dataset.audio.enums import BorderType as BorderType
from minispore.dataset.audio.enums import DensityFunction as DensityFunction
from minispore.dataset.audio.enums import FadeShape as FadeShape
from minispore.dataset.audio.enums import GainType as GainType
from minispore.dataset.audio.enums import Interpolation as Interpolation
from minispore.dataset.audio.enums import MelType as MelType
from minispore.dataset.audio.enums import Modulation as Modulation
from minispore.dataset.audio.enums import NormMode as NormMode
from minispore.dataset.audio.enums import NormType as NormType
from minispore.dataset.audio.enums import ResampleMethod as ResampleMethod
from minispore.dataset.audio.enums import ScaleType as ScaleType
from minispore.dataset.audio.enums import WindowType as WindowType

__all__ = [
    "BorderType",
    "DensityFunction",
    "FadeShape",
    "GainType",
    "Interpolation",
    "MelType",
    "Modulation",
    "NormMode",
    "NormType",
    "ResampleMethod",
    "ScaleType",
    "WindowType",
    "create_dct",
    "linear_fbanks",
    "melscale_fbanks",
]
