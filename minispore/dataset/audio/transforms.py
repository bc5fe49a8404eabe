"""Alias module: the audio transforms, at ``mindspore.dataset.audio.transforms``."""

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
from minispore.dataset.transforms.base import TensorOperation as TensorOperation

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
    "ComplexNorm",
    "ComputeDeltas",
    "Contrast",
    "DBToAmplitude",
    "DCShift",
    "DeemphBiquad",
    "DetectPitchFrequency",
    "Dither",
    "EqualizerBiquad",
    "Fade",
    "Filtfilt",
    "Flanger",
    "FrequencyMasking",
    "Gain",
    "GriffinLim",
    "HighpassBiquad",
    "InverseMelScale",
    "InverseSpectrogram",
    "LFilter",
    "LowpassBiquad",
    "Magphase",
    "MaskAlongAxis",
    "MaskAlongAxisIID",
    "MelScale",
    "MelSpectrogram",
    "MuLawDecoding",
    "MuLawEncoding",
    "Overdrive",
    "PhaseVocoder",
    "Phaser",
    "PitchShift",
    "Resample",
    "RiaaBiquad",
    "SlidingWindowCmn",
    "SpectralCentroid",
    "Spectrogram",
    "TensorOperation",
    "TimeMasking",
    "TimeStretch",
    "TrebleBiquad",
    "Vad",
    "Vol",
]
