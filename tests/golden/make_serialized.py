"""Make tests/golden/serialized.json: run this with a Python that has the real MindSpore.

What it writes of each transform of sound, and of those of text whose arguments it keeps. The
test writes ours and reads these back.
"""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import numpy as np

FILE = Path(__file__).parent / "serialized.json"
MELS = (
    "{'n_mels': 8, 'n_fft': 16, 'win_length': 16, 'hop_length': 8, 'f_min': 0.0, 'f_max': 4000.0, "
    "'pad': 0, "
    "'power': 2.0, 'normalized': False, 'center': True, 'onesided': True, "
    "'window': audio.WindowType.HANN, 'pad_mode': audio.BorderType.REFLECT, "
    "'norm': audio.NormType.NONE, 'mel_scale': audio.MelType.HTK}"
)
PARTS = (
    "{'n_fft': 16, 'win_length': 16, 'hop_length': 8, 'pad': 0, 'window': audio.WindowType.HANN, "
    "'power': 2.0, 'normalized': False, 'center': True, 'pad_mode': audio.BorderType.REFLECT, "
    "'onesided': True}"
)
EXPRESSIONS = [
    "audio.AllpassBiquad(16000, 3000.0)",
    "audio.AmplitudeToDB()",
    "audio.AmplitudeToDB(audio.ScaleType.MAGNITUDE, 2.0, 1e-5, 60.0)",
    "audio.Angle()",
    "audio.BandBiquad(16000, 3000.0, 0.5, True)",
    "audio.BandpassBiquad(16000, 3000.0)",
    "audio.BandrejectBiquad(16000, 3000.0)",
    "audio.BassBiquad(16000, 6.0)",
    "audio.Biquad(0.5, 0.25, 0.5, 1.0, -0.5, 0.25)",
    "audio.ComplexNorm(2.0)",
    "audio.ComputeDeltas(7, audio.BorderType.CONSTANT)",
    "audio.Contrast(50.0)",
    "audio.DBToAmplitude(1.0, 0.5)",
    "audio.DCShift(0.5, 0.25)",
    "audio.DeemphBiquad(44100)",
    "audio.DetectPitchFrequency(16000, 0.5, 20, 80, 3000)",
    "audio.Dither(audio.DensityFunction.GPDF, True)",
    "audio.EqualizerBiquad(16000, 1000.0, 5.5)",
    "audio.Fade(20, 30, audio.FadeShape.HALF_SINE)",
    "audio.Filtfilt([1.0, -0.5], [0.5, 0.5])",
    "audio.Flanger(4000, 1.0, 2.0, 30.0, 50.0, 1.0, 50.0, audio.Modulation.TRIANGULAR,"
    " audio.Interpolation.QUADRATIC)",
    "audio.FrequencyMasking(True, 3, 1, 0.5)",
    "audio.Gain(6.0)",
    "audio.GriffinLim(16, 4)",
    "audio.HighpassBiquad(16000, 500.0)",
    "audio.InverseMelScale(9, 5, 8000)",
    "audio.InverseSpectrogram(None, 16)",
    f"audio.LFCC(16000, 8, 5, speckwargs={PARTS})",
    "audio.LFilter([1.0, -0.5], [0.5, 0.5], False)",
    "audio.LowpassBiquad(16000, 500.0)",
    f"audio.MFCC(16000, 5, melkwargs={MELS})",
    "audio.Magphase(2.0)",
    "audio.MaskAlongAxis(1, 2, 0.5, 2)",
    "audio.MaskAlongAxisIID(3, 0.5, 1)",
    "audio.MelScale(4, 8000, 10.0, 3000.0, 9, audio.NormType.SLANEY, audio.MelType.SLANEY)",
    "audio.MelSpectrogram(8000, 16)",
    "audio.MuLawDecoding(128)",
    "audio.MuLawEncoding(128)",
    "audio.Overdrive(30.0, 10.0)",
    "audio.PhaseVocoder(1.5, np.array([[0.0], [0.5]], np.float32))",
    "audio.Phaser(16000)",
    "audio.PitchShift(8000, 3)",
    "audio.Resample(8000.0, 4000.0)",
    "audio.RiaaBiquad(44100)",
    "audio.SlidingWindowCmn(50, 10, True, True)",
    "audio.SpectralCentroid(8000, 16)",
    "audio.Spectrogram(16)",
    "audio.Spectrogram(16, 12, 4, 2, audio.WindowType.BLACKMAN, 0.0, True, False,"
    " audio.BorderType.EDGE, False)",
    "audio.TimeMasking(True, 3, 1, 0.5)",
    "audio.TimeStretch(8, 9, 1.5)",
    "audio.TrebleBiquad(16000, 6.0)",
    "audio.Vad(8000)",
    "audio.Vol(2.0, audio.GainType.POWER)",
    "text.AddToken('<s>', False)",
    "text.ToNumber(mstype.int8)",
    "text.Truncate(3)",
]


if __name__ == "__main__":
    import mindspore as mstype
    import mindspore.dataset as ds
    from mindspore.dataset import audio, text

    warnings.simplefilter("ignore")
    names = {"audio": audio, "text": text, "mstype": mstype, "np": np}
    serialized = {}
    for expression in EXPRESSIONS:
        data = ds.NumpySlicesDataset(np.zeros((2, 4), np.float32), ["x"])
        try:
            (serialized[expression],) = ds.serialize(data.map(eval(expression, names), "x"))[
                "operations"
            ]
        except Exception as error:
            print(expression, type(error).__name__, str(error)[:200])
    FILE.write_text(json.dumps(serialized, indent=0))
    os._exit(0)
