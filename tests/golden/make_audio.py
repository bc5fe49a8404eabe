"""Make tests/golden/transforms/audio.npz: run this with a Python that has the real MindSpore.

Each array is named by what made it, as in make_transforms.py.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

FILE = Path(__file__).parent / "transforms" / "audio.npz"


def inputs() -> dict[str, np.ndarray]:
    """Small sounds and spectrograms."""
    rng = np.random.default_rng(5)
    time = np.arange(160)
    tones = [np.sin(time * w) * np.exp(-time / 90) for w in (0.2, 0.9)]
    stereo = (np.stack(tones) * 0.7 + rng.normal(0, 0.1, (2, 160))).astype(np.float32)
    low = np.sin(np.arange(1500) * 2 * np.pi / 41) + rng.normal(0, 0.05, 1500)
    return {
        "mono": stereo[0].copy(),
        "stereo": stereo,
        "double": stereo[:, :70].astype(np.float64),
        "half": stereo[:, :60].astype(np.float16),
        "ints": (stereo[:, :60] * 1000).astype(np.int16),
        "stack": stereo.reshape(2, 2, 80),
        "low": low.astype(np.float32),
        "spec": (rng.random((2, 17, 9)) * 3).astype(np.float32),
        "spec64": rng.random((17, 9)) * 3,
        "deep": (rng.random((2, 2, 3, 4)) * 3).astype(np.float32),
        "levels": rng.integers(0, 256, 40).astype(np.int32),
        "parts": rng.normal(size=(2, 17, 9, 2)).astype(np.float32),
        "parts64": rng.normal(size=(9, 6, 2)),
    }


FILTERS = [
    "LFilter([1.0, -1.8, 0.85], [0.02, 0.04, 0.02])",
    "LFilter([2.0, -0.5, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], False)",
    "LFilter([0.5], [0.25])",
    "LFilter([1.0, 0.0], [3.0, -2.0])",
    "Filtfilt([1.0, -0.5, 0.2], [0.1, 0.2, 0.3])",
    "Biquad(0.01, 0.02, 0.13, 1.0, 0.12, 0.3)",
    "AllpassBiquad(16000, 3000)",
    "BandBiquad(16000, 3000.0)",
    "BandBiquad(16000, 3000.0, 0.4, True)",
    "BandpassBiquad(16000, 2000.0, 0.5)",
    "BandpassBiquad(16000, 2000.0, 0.5, True)",
    "BandrejectBiquad(16000, 2000.0)",
    "BassBiquad(16000, 12.0)",
    "BassBiquad(16000, -20, 500, 0.3)",
    "DeemphBiquad(44100)",
    "DeemphBiquad(48000)",
    "EqualizerBiquad(16000, 1000.0, 5.5)",
    "HighpassBiquad(16000, 500)",
    "LowpassBiquad(16000, 1000.0, 0.2)",
    *[f"RiaaBiquad({rate})" for rate in (44100, 48000, 88200, 96000)],
    "TrebleBiquad(16000, 6.0)",
    "TrebleBiquad(16000, -6, 1000, 0.9)",
]
LEVELS = [
    "Contrast()",
    "Contrast(30)",
    "DBToAmplitude(2.0, 0.5)",
    "DCShift(0.3)",
    "DCShift(0.5, 0.05)",
    "DCShift(-0.5, 0.05)",
    "DCShift(0.0, 0.5)",
    *[f"Fade(30, 20, audio.FadeShape.{shape})" for shape in (
        "LINEAR", "QUARTER_SINE", "HALF_SINE", "LOGARITHMIC", "EXPONENTIAL",
    )],
    "Fade(1, 1)",
    "Gain(3.5)",
    "Gain(0)",
    "MuLawEncoding()",
    "MuLawEncoding(16)",
    "Vol(1.7)",
    "Vol(3.0, audio.GainType.POWER)",
    "Vol(-6.0, audio.GainType.DB)",
    "Vol(0, audio.GainType.DB)",
    "Overdrive()",
    "Overdrive(35, 3.0)",
    "Dither()",
    "Dither(noise_shaping=True)",
    "Phaser(4000)",
    "Phaser(4000, 0.8, 0.9, 4.0, 0.9, 2.0, False)",
]  # fmt: skip
FLANGERS = [
    "Flanger(4000)",
    "Flanger(4000, 2.0, 5.0, 60.0, 80.0, 9.0)",
    "Flanger(4000, 0.0, 3.0, -50.0, 71.0, 7.0, 40.0, audio.Modulation.TRIANGULAR)",
    "Flanger(4000, regen=20.0, speed=8.0, interpolation=audio.Interpolation.QUADRATIC)",
]
SPECTRA = [
    "Spectrogram(n_fft=32)",
    "Spectrogram(30, 20, 7, 3, audio.WindowType.HAMMING, 1.0, True)",
    "Spectrogram(33, 20, 7, window=audio.WindowType.BLACKMAN, power=3)",
    "Spectrogram(32, window=audio.WindowType.KAISER, center=False)",
    "Spectrogram(32, window=audio.WindowType.BARTLETT, pad_mode=audio.BorderType.SYMMETRIC)",
    "Spectrogram(32, hop_length=9, pad_mode=audio.BorderType.EDGE, power=0)",
    "Spectrogram(31, hop_length=9, pad_mode=audio.BorderType.CONSTANT, onesided=False)",
    "SpectralCentroid(16000, n_fft=32)",
    "SpectralCentroid(16000, 33, 20, 11, 4, audio.WindowType.HAMMING)",
]
RESAMPLED = [
    "Resample(16000, 8000)",
    "Resample(8000, 16000)",
    "Resample(44100, 48000, audio.ResampleMethod.KAISER_WINDOW)",
    "Resample(16000.5, 11025, lowpass_filter_width=10, rolloff=0.8)",
    "Resample(3, 2, audio.ResampleMethod.KAISER_WINDOW, beta=8.5)",
    "Resample(7, 7)",
]
MEL = (
    "{'n_fft': 64, 'win_length': 50, 'hop_length': 25, 'f_min': 10.0, 'f_max': 6000.0, 'pad': 2, "
    "'n_mels': 8, 'window': audio.WindowType.HAMMING, 'power': 2.0, 'normalized': False, "
    "'center': True, 'pad_mode': audio.BorderType.REFLECT, 'onesided': True, "
    "'norm': audio.NormType.SLANEY, 'mel_scale': audio.MelType.SLANEY}"
)
MELS = [
    "MelSpectrogram(n_fft=32, n_mels=5)",
    "MelSpectrogram(8000, 40, 30, 20, 10.0, 3000.0, 3, 6, power=1.0, normalized=True, "
    "norm=audio.NormType.SLANEY, mel_scale=audio.MelType.SLANEY)",
    f"MFCC(16000, 5, log_mels=True, melkwargs={MEL})",
    f"MFCC(16000, 5, norm=audio.NormMode.NONE, melkwargs={MEL})",
    "LFCC(16000, 10, 6, speckwargs={'n_fft': 64, 'win_length': 40, 'hop_length': 30, 'pad': 0, "
    "'window': audio.WindowType.HANN, 'power': 2.0, 'normalized': False, 'center': True, "
    "'pad_mode': audio.BorderType.REFLECT, 'onesided': True})",
]
PITCHES = ["DetectPitchFrequency(8000)", "DetectPitchFrequency(8000, 0.015, 7, 100, 900)"]
OF_SPECTROGRAMS = [
    "AmplitudeToDB()",
    "AmplitudeToDB(audio.ScaleType.MAGNITUDE, 2.0, 0.01, 25.0)",
    "ComputeDeltas()",
    "ComputeDeltas(8, audio.BorderType.REFLECT)",
    "SlidingWindowCmn()",
    "SlidingWindowCmn(5, 3)",
    "SlidingWindowCmn(6, 2, True, True)",
    "SlidingWindowCmn(4, 3, False, True)",
    "MaskAlongAxis(1, 2, 1.5, 1)",
    "MaskAlongAxis(0, 3, 0, 2)",
    "FrequencyMasking(False, 2, 1, 0.5)",
    "TimeMasking(False, 2, 2)",
    "TimeMasking()",
]


def cases() -> list[tuple[str, str]]:
    """(expression, input) pairs."""
    return [
        *[(e, i) for e in FILTERS for i in ("stereo", "double")],
        *[(e, "half") for e in FILTERS[:6]],
        *[(e, i) for e in LEVELS for i in ("mono", "double", "ints")],
        *[(e, i) for e in FLANGERS for i in ("stereo", "ints", "stack")],
        ("MuLawDecoding()", "levels"),
        ("MuLawDecoding(16)", "double"),
        *[(e, i) for e in SPECTRA for i in ("mono", "double", "ints", "stack")],
        *[(e, i) for e in RESAMPLED for i in ("mono", "double")],
        ("Resample(7, 7)", "ints"),
        *[(e, i) for e in MELS for i in ("mono", "stack")],
        *[(e, i) for e in PITCHES for i in ("low",)],
        *[(e, i) for e in OF_SPECTROGRAMS for i in ("spec", "spec64", "deep")],
        ("MelScale(4, n_stft=17)", "spec"),
        ("MelScale(4, 8000, 30, 3500.0, 17, audio.NormType.SLANEY, audio.MelType.SLANEY)", "spec"),
        ("MelScale(4, n_stft=17)", "spec64"),
        *[(f"{e}()", i) for e in ("Angle", "ComplexNorm", "Magphase") for i in PARTS],
        ("ComplexNorm(3)", "parts"),
        ("Magphase(2.0)", "parts"),
        ("TimeStretch(n_freq=17, fixed_rate=1.3)", "parts"),
        ("TimeStretch(8, 9, 0.7)", "parts64"),
        ("PhaseVocoder(1.3, np.linspace(0, 3, 17, dtype=np.float32)[:, None])", "parts"),
        ("InverseSpectrogram(n_fft=32)", "parts"),
        ("InverseSpectrogram(70, 32, 30, 11, 3, normalized=True)", "parts"),
        ("InverseSpectrogram(n_fft=16, center=False)", "parts64"),
        ("InverseSpectrogram(n_fft=16, onesided=False)", "parts"),
        ("GriffinLim(32, 4, rand_init=False)", "spec"),
        ("GriffinLim(32, 3, 20, 10, momentum=0, power=1.0, rand_init=False)", "spec64"),
        ("PitchShift(16000, 4, n_fft=32)", "mono"),
        ("PitchShift(4000, -5, 12, 32, 20, 7)", "double"),
        ("Vad(1000, lp_filter_freq=400.0, lp_lifter_freq=400.0)", "low"),
    ]


PARTS = ("parts", "parts64")
MATRICES = [
    "create_dct(5, 9)",
    "create_dct(5, 9, audio.NormMode.ORTHO)",
    "linear_fbanks(20, 10.0, 3500, 6, 8000)",
    "melscale_fbanks(30, 50, 3900.0, 7, 8000)",
    "melscale_fbanks(30, 50, 3900.0, 7, 8000, audio.NormType.SLANEY, audio.MelType.SLANEY)",
]


def main() -> None:
    import mindspore.dataset.audio as audio

    names = {"audio": audio, "np": np}
    samples = inputs()
    arrays = {f"input/{name}": array for name, array in samples.items()}
    for expression, name in cases():
        try:
            out = eval(f"audio.{expression}", names)(samples[name].copy())
        except (RuntimeError, TypeError, ValueError) as reason:
            print("refused:", expression, "@", name, str(reason)[:200])
            continue
        for i, column in enumerate(out if isinstance(out, tuple) else (out,)):
            arrays[f"audio.{expression} @ {name} # {i}"] = np.asarray(column)
    for expression in MATRICES:
        arrays[f"audio.{expression}"] = eval(f"audio.{expression}", names)
    np.savez_compressed(FILE, **arrays)
    print(len(arrays), "arrays")


if __name__ == "__main__":
    main()
