"""Audio transforms; rows are (..., time) in float32 or float64 unless stated otherwise."""

from minispore.dataset.audio.banks import create_dct as create_dct
from minispore.dataset.audio.banks import linear_fbanks as linear_fbanks
from minispore.dataset.audio.banks import melscale_fbanks as melscale_fbanks
from minispore.dataset.audio.biquads import AllpassBiquad as AllpassBiquad
from minispore.dataset.audio.biquads import BandBiquad as BandBiquad
from minispore.dataset.audio.biquads import BandpassBiquad as BandpassBiquad
from minispore.dataset.audio.biquads import BandrejectBiquad as BandrejectBiquad
from minispore.dataset.audio.biquads import HighpassBiquad as HighpassBiquad
from minispore.dataset.audio.biquads import LowpassBiquad as LowpassBiquad
from minispore.dataset.audio.cepstrum import LFCC as LFCC
from minispore.dataset.audio.cepstrum import MFCC as MFCC
from minispore.dataset.audio.cepstrum import ComputeDeltas as ComputeDeltas
from minispore.dataset.audio.cepstrum import SlidingWindowCmn as SlidingWindowCmn
from minispore.dataset.audio.detect import DetectPitchFrequency as DetectPitchFrequency
from minispore.dataset.audio.detect import Vad as Vad
from minispore.dataset.audio.effects import Dither as Dither
from minispore.dataset.audio.effects import Flanger as Flanger
from minispore.dataset.audio.effects import Overdrive as Overdrive
from minispore.dataset.audio.effects import Phaser as Phaser
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
from minispore.dataset.audio.equalizers import BassBiquad as BassBiquad
from minispore.dataset.audio.equalizers import DeemphBiquad as DeemphBiquad
from minispore.dataset.audio.equalizers import EqualizerBiquad as EqualizerBiquad
from minispore.dataset.audio.equalizers import RiaaBiquad as RiaaBiquad
from minispore.dataset.audio.equalizers import TrebleBiquad as TrebleBiquad
from minispore.dataset.audio.filters import Biquad as Biquad
from minispore.dataset.audio.filters import Filtfilt as Filtfilt
from minispore.dataset.audio.filters import LFilter as LFilter
from minispore.dataset.audio.level import AmplitudeToDB as AmplitudeToDB
from minispore.dataset.audio.level import Contrast as Contrast
from minispore.dataset.audio.level import DBToAmplitude as DBToAmplitude
from minispore.dataset.audio.level import DCShift as DCShift
from minispore.dataset.audio.level import Fade as Fade
from minispore.dataset.audio.level import Gain as Gain
from minispore.dataset.audio.level import MuLawDecoding as MuLawDecoding
from minispore.dataset.audio.level import MuLawEncoding as MuLawEncoding
from minispore.dataset.audio.level import Vol as Vol
from minispore.dataset.audio.masking import FrequencyMasking as FrequencyMasking
from minispore.dataset.audio.masking import MaskAlongAxis as MaskAlongAxis
from minispore.dataset.audio.masking import MaskAlongAxisIID as MaskAlongAxisIID
from minispore.dataset.audio.masking import TimeMasking as TimeMasking
from minispore.dataset.audio.mel import InverseMelScale as InverseMelScale
from minispore.dataset.audio.mel import MelScale as MelScale
from minispore.dataset.audio.mel import MelSpectrogram as MelSpectrogram
from minispore.dataset.audio.phase import Angle as Angle
from minispore.dataset.audio.phase import ComplexNorm as ComplexNorm
from minispore.dataset.audio.phase import Magphase as Magphase
from minispore.dataset.audio.phase import PhaseVocoder as PhaseVocoder
from minispore.dataset.audio.phase import TimeStretch as TimeStretch
from minispore.dataset.audio.resample import PitchShift as PitchShift
from minispore.dataset.audio.resample import Resample as Resample
from minispore.dataset.audio.spectrum import GriffinLim as GriffinLim
from minispore.dataset.audio.spectrum import InverseSpectrogram as InverseSpectrogram
from minispore.dataset.audio.spectrum import SpectralCentroid as SpectralCentroid
from minispore.dataset.audio.spectrum import Spectrogram as Spectrogram
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.lazy_import import make_lazy_attributes as _later

__all__ = [
    "LFCC",
    "MFCC",
    "AllpassBiquad",
    "AmplitudeToDB",
    "Angle",
    "BandBiquad",
    "BandpassBiquad",
    "BandrejectBiquad",
    "BassBiquad",
    "Biquad",
    "BorderType",
    "ComplexNorm",
    "ComputeDeltas",
    "Contrast",
    "DBToAmplitude",
    "DCShift",
    "DeemphBiquad",
    "DensityFunction",
    "DetectPitchFrequency",
    "Dither",
    "EqualizerBiquad",
    "Fade",
    "FadeShape",
    "Filtfilt",
    "Flanger",
    "FrequencyMasking",
    "Gain",
    "GainType",
    "GriffinLim",
    "HighpassBiquad",
    "Interpolation",
    "InverseMelScale",
    "InverseSpectrogram",
    "LFilter",
    "LowpassBiquad",
    "Magphase",
    "MaskAlongAxis",
    "MaskAlongAxisIID",
    "MelScale",
    "MelSpectrogram",
    "MelType",
    "Modulation",
    "MuLawDecoding",
    "MuLawEncoding",
    "NormMode",
    "NormType",
    "Overdrive",
    "PhaseVocoder",
    "Phaser",
    "PitchShift",
    "Resample",
    "ResampleMethod",
    "RiaaBiquad",
    "ScaleType",
    "SlidingWindowCmn",
    "SpectralCentroid",
    "Spectrogram",
    "TimeMasking",
    "TimeStretch",
    "TrebleBiquad",
    "Vad",
    "Vol",
    "WindowType",
    "create_dct",
    "linear_fbanks",
    "melscale_fbanks",
]

_LAZY_MODULES = {
    "transforms": "minispore.dataset.audio.transforms",
    "utils": "minispore.dataset.audio.utils",
}
__getattr__, __dir__ = _later(__name__, _LAZY_MODULES)

_describe(__name__)
