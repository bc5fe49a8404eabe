"""One sample of each transform of sound: its arguments, and the columns that it is given."""

from __future__ import annotations

import numpy as np

from minispore.dataset import audio

_RNG = np.random.default_rng(4)
ROWS = 7
SOUND = _RNG.normal(0, 0.3, (ROWS, 2, 160)).astype(np.float32)
SPEC = (_RNG.random((ROWS, 2, 17, 9)) * 3).astype(np.float32)
PARTS = _RNG.normal(size=(ROWS, 17, 9, 2)).astype(np.float32)
MELS = (_RNG.random((ROWS, 4, 5)) + 0.1).astype(np.float32)
HUM = np.sin(np.arange(1200) / 6) + _RNG.normal(0, 0.1, (ROWS, 1200))

OF_SOUND = {
    audio.AllpassBiquad: (16000, 3000),
    audio.BandBiquad: (16000, 3000),
    audio.BandpassBiquad: (16000, 3000),
    audio.BandrejectBiquad: (16000, 3000),
    audio.BassBiquad: (16000, 6.0),
    audio.Biquad: (0.1, 0.2, 0.1, 1.0, -0.5, 0.2),
    audio.Contrast: (),
    audio.DBToAmplitude: (1.0, 0.5),
    audio.DCShift: (0.5, 0.05),
    audio.DeemphBiquad: (44100,),
    audio.Dither: (audio.DensityFunction.GPDF, True),
    audio.EqualizerBiquad: (16000, 1000.0, 5.5),
    audio.Fade: (20, 30, audio.FadeShape.HALF_SINE),
    audio.Filtfilt: ([1.0, -0.5], [0.5, 0.5]),
    audio.Flanger: (4000, 1.0, 2.0, 30.0),
    audio.Gain: (6.0,),
    audio.HighpassBiquad: (16000, 500),
    audio.LFCC: (
        16000, 8, 5, 0.0, None, 2, audio.NormMode.ORTHO, False,
        {
            "n_fft": 32, "win_length": 32, "pad": 0, "window": audio.WindowType.HANN,
            "power": 2.0, "pad_mode": audio.BorderType.REFLECT,
        },
    ),
    audio.LFilter: ([1.0, -1.8, 0.85], [0.02, 0.04, 0.02]),
    audio.LowpassBiquad: (16000, 1000),
    audio.MelSpectrogram: (16000, 32, None, None, 0.0, None, 0, 6),
    audio.MuLawDecoding: (),
    audio.MuLawEncoding: (),
    audio.Overdrive: (),
    audio.Phaser: (4000,),
    audio.PitchShift: (4000, 3, 12, 32),
    audio.Resample: (3, 2),
    audio.RiaaBiquad: (44100,),
    audio.SpectralCentroid: (16000, 32),
    audio.Spectrogram: (32,),
    audio.TrebleBiquad: (16000, 6.0),
    audio.Vol: (0.5,),
}  # fmt: skip
OF_SPECTRA = {
    audio.AmplitudeToDB: (audio.ScaleType.POWER, 1.0, 1e-10, 20.0),
    audio.ComputeDeltas: (),
    audio.FrequencyMasking: (True, 9),
    audio.GriffinLim: (32, 3),
    audio.MaskAlongAxis: (1, 2, 0.5, 1),
    audio.MaskAlongAxisIID: (6, 0.5, 2),
    audio.MelScale: (4, 16000, 0.0, None, 17),
    audio.SlidingWindowCmn: (5, 2, True, True),
    audio.TimeMasking: (False, 3, 2),
}
OF_PARTS = {
    audio.Angle: (),
    audio.ComplexNorm: (),
    audio.InverseSpectrogram: (None, 32),
    audio.Magphase: (2.0,),
    audio.PhaseVocoder: (1.3, np.linspace(0, 3, 17, dtype=np.float32)[:, None]),
    audio.TimeStretch: (8, 17, 1.3),
}
AUDIO_SAMPLES = {
    **{kind: (args, (SOUND,)) for kind, args in OF_SOUND.items()},
    **{kind: (args, (SPEC,)) for kind, args in OF_SPECTRA.items()},
    **{kind: (args, (PARTS,)) for kind, args in OF_PARTS.items()},
    audio.DetectPitchFrequency: ((8000,), (np.tile(HUM, 3),)),
    audio.InverseMelScale: ((9, 4, 16000, 0.0, None, 20), (MELS,)),
    audio.MFCC: ((16000, 5), (HUM.astype(np.float32),)),
    audio.Vad: ((1000, 7.0, 0.25, 0.5, 0.25, 0.0, 0.35, 0.1, 0.01, 1.35, 20.0, None, 0.4, 50.0,
                 400.0, 150.0, 400.0), (HUM,)),
}  # fmt: skip
