"""What transforms of sound do, by numbers derived by hand."""

from __future__ import annotations

import numpy as np
import pytest

from minispore.dataset import NumpySlicesDataset, audio, config
from minispore.dataset.audio.recurrence import BLOCK, apply_iir_filter

RNG = np.random.default_rng(6)


def one_by_one(x, a, b):
    """The filter as its equation says it."""
    out = np.zeros_like(x)
    for row, y in zip(x, out):
        for n in range(len(row)):
            y[n] = sum(c * row[n - j] for j, c in enumerate(b) if j <= n)
            y[n] -= sum(c * y[n - j] for j, c in enumerate(a) if 0 < j <= n)
            y[n] /= a[0]
    return out


@pytest.mark.parametrize("time", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((1.0, -1.9, 0.95), (0.3, 0.2, 0.1)),
        ((2.0, 0.5, -0.2, 0.1), (1.0, 0.0, -0.5, 0.25)),
        ((0.5,), (2.0,)),
        ((1.0, 0.0, 0.0), (0.5, 0.5, 0.0)),
        (np.poly(RNG.uniform(-0.9, 0.9, 9)), RNG.normal(size=10)),
    ],
)
def test_a_filter_by_blocks_is_its_equation(a, b, time):
    x = RNG.normal(size=(2, time))
    np.testing.assert_allclose(apply_iir_filter(x, a, b), one_by_one(x, a, b), rtol=1e-9, atol=1e-9)


def test_a_fade_over_no_samples_leaves_a_row_in_its_dtype() -> None:
    x = np.arange(4, dtype=np.int16)
    for fade, dtype in ((audio.Fade(), np.int16), (audio.Fade(1), np.float32)):
        output = fade(x)
        assert output.dtype == dtype
        np.testing.assert_array_equal(output, x * (1 if dtype == np.int16 else [0, 1, 1, 1]))


def test_a_filter_of_more_outputs_than_a_block_has_samples_is_its_equation():
    a = np.zeros(BLOCK + 3)
    a[0], a[-1] = 1.0, -0.5  # an echo
    x = np.zeros((1, 4 * BLOCK))
    x[0, 0] = 1.0
    echoes = apply_iir_filter(x, a, [1.0])[0]
    assert np.flatnonzero(echoes).tolist() == [0, BLOCK + 2, 2 * BLOCK + 4, 3 * BLOCK + 6]


def test_a_spectrogram_of_all_frequencies_is_that_of_a_real_signal():
    x = RNG.normal(size=64)
    whole = audio.Spectrogram(15, power=0, onesided=False)(x)
    half = audio.Spectrogram(15, power=0)(x)
    np.testing.assert_array_equal(whole[:8], half)
    np.testing.assert_allclose(whole[8:], half[:0:-1] * [1, -1])


@pytest.mark.parametrize("mode", audio.BorderType)
def test_a_sound_comes_back_from_its_spectrogram(mode):
    x = RNG.normal(size=(2, 200))
    options = {"n_fft": 32, "win_length": 24, "hop_length": 6, "pad": 3, "normalized": True}
    parts = audio.Spectrogram(power=0, pad_mode=mode, **options)(x)
    output = audio.InverseSpectrogram(200, pad_mode=mode, **options)(parts)
    np.testing.assert_allclose(output, x, atol=1e-10)


@pytest.mark.parametrize(("old", "new"), [(441, 480), (7, 5), (2, 1), (1, 3)])
def test_a_slow_tone_is_the_same_at_another_rate(old, new):
    x = np.sin(np.arange(40 * old) * (0.2 / old))
    y = audio.Resample(old, new)(x)
    inner = slice(10 * new, 30 * new)
    np.testing.assert_allclose(
        y[inner], np.sin(np.arange(40 * new) * (0.2 / new))[inner], atol=5e-3
    )


def test_a_phaser_without_decay_is_a_gain():
    x = RNG.normal(0, 0.2, (2, 300))
    np.testing.assert_allclose(audio.Phaser(1000, 0.5, 0.8, decay=0.0)(x), x * 0.4)


@pytest.mark.parametrize("decay", [0.4, 0.99])
def test_a_phaser_hears_the_echo_of_its_echoes(decay):
    x, expected = np.zeros(600), np.zeros(600)
    x[0] = 0.01
    t = audio.Phaser(1000, 1.0, 1.0, 2.0, decay, 1.0, False)
    table = np.floor(
        audio.effects.make_wave_table(audio.Modulation.TRIANGULAR, 1000, 1, 2, np.pi / 2) + 0.5
    )
    for n in range(600):
        back = int(3 - table[n])
        expected[n] = x[n] + (decay * expected[n - back] if n >= back else 0)
    np.testing.assert_allclose(t(x), np.clip(expected, -1, 1), atol=1e-12)


def test_vad_cuts_off_the_silence_before_a_voice():
    rate = 8000
    time = np.arange(2 * rate) / rate
    voice = sum(np.sin(2 * np.pi * 150 * k * time) / k for k in range(1, 20)) * 0.3
    sound = np.concatenate([np.zeros(3 * rate), voice]) + RNG.normal(0, 1e-4, 5 * rate)
    left = audio.Vad(rate)(np.stack([sound, sound * 0.5]))
    assert 2 * rate <= left.shape[1] < 2.5 * rate
    np.testing.assert_array_equal(left[0], sound[-left.shape[1] :])


def test_vad_leaves_a_short_recording_unchanged():
    x = RNG.normal(0, 1e-3, 3000)
    np.testing.assert_array_equal(audio.Vad(8000)(x), x)


@pytest.mark.parametrize("kind", [audio.TimeMasking, audio.FrequencyMasking])
def test_random_masks_are_of_every_width_at_every_place(kind):
    seen, axis = set(), 1 if kind is audio.TimeMasking else 0
    masks = kind(True, 2)
    for seed in range(200):
        out = masks.transform_row(np.ones((4, 4), np.float32), rng=np.random.default_rng(seed))
        seen.add(tuple(np.flatnonzero(out.min(1 - axis) == 0).tolist()))
    assert seen == {(), (0,), (1,), (2,), (3,), (0, 1), (1, 2), (2, 3)}


def test_inverse_mel_scale_reproduces_the_input_mels():
    config.set_seed(1)  # it begins with a spectrum that is drawn
    mels = np.random.default_rng(1).random((2, 6, 4), np.float32)
    spec = audio.InverseMelScale(33, 6)(mels)
    assert spec.min() >= 0
    np.testing.assert_allclose(audio.MelScale(6, n_stft=33)(spec), mels, atol=0.02)


def test_griffin_lim_finds_a_sound_of_the_spectrogram():
    config.set_seed(1)  # it begins with phases that are drawn
    x = np.sin(np.arange(400) * 0.3) * np.hanning(400)
    sizes = audio.Spectrogram(64, hop_length=16)(x)
    y = audio.GriffinLim(64, 60, hop_length=16)(sizes)
    wrong = np.abs(audio.Spectrogram(64, hop_length=16)(y) - sizes)
    assert wrong.mean() < 0.05 * sizes.mean()


@pytest.mark.parametrize("kind", ["RPDF", "GPDF"])
def test_dither_adds_a_constant_and_rounds_to_16_bits(kind):
    x = RNG.uniform(-0.9, 0.9, 50)
    steps = audio.Dither(audio.DensityFunction[kind])(x) * 2**15
    np.testing.assert_array_equal(steps, np.round(steps))
    assert np.abs(steps - x * (2**15 - 2)).max() < 8


@pytest.mark.parametrize(
    ("expression", "array", "error", "message"),
    [
        ("Gain()", [1.0], TypeError, "Input should be NumPy audio, got <class 'list'>."),
        ("Gain()", np.array(["a"]), RuntimeError, "Expecting tensor in type of [int, float, doub"),
        ("LFilter([1.0], [1.0])", np.array([1]), RuntimeError, "in type of [float, double]."),
        ("Gain()", np.zeros(0), RuntimeError, "Input Tensor has no data."),
        ("AmplitudeToDB()", np.zeros(3), RuntimeError, "in shape of <..., freq, time>."),
        ("Angle()", np.zeros(3), RuntimeError, "in shape of <..., complex=2>."),
        ("MelScale(n_stft=4)", np.zeros((3, 3)), RuntimeError, "n_stft must be the number of fre"),
        ("MelSpectrogram()", np.zeros(200), RuntimeError, "Padding size should be less"),
        ("Spectrogram(center=False)", np.zeros(200), RuntimeError, "n_fft must be no more than"),
        ("Fade(4)", np.zeros(3), RuntimeError, "no greater than 'length of waveform'"),
        ("TimeMasking(False, 4)", np.zeros((3, 3)), RuntimeError, "time_mask_param must be less"),
        ("MaskAlongAxis(2, 2, 0, 1)", np.zeros((3, 3)), RuntimeError, "'mask_start' and 'mask_w"),
        ("LFilter([0.0], [1.0])", np.zeros(3), RuntimeError, "can not be equal to zero"),
        ("LFilter([], [])", np.zeros(3), RuntimeError, "can not be an empty vector"),
        ("Resample(1, 0.5)", np.zeros(3), RuntimeError, "new_freq must be at least 1"),
        ("GriffinLim(8)", np.zeros((4, 3)), RuntimeError, "n_fft must be 2 * (freq - 1)"),
        ("InverseSpectrogram(n_fft=7)", np.zeros((4, 3, 2)), RuntimeError, "n_fft must be 2 * ("),
        ("DetectPitchFrequency(8000)", np.zeros(800), RuntimeError, "win_length must be no more"),
        ("SlidingWindowCmn(0, 0, True)", np.zeros((3, 3)), RuntimeError, "can not be zero"),
        ("Flanger(8000)", np.zeros(9), RuntimeError, "in shape of <..., channel, time>."),
        ("Phaser(0)", np.zeros(9), RuntimeError, "delay_ms must be at least a sample"),
        ("Vad(100)", np.zeros(9), RuntimeError, "lp_filter_freq must be above"),
    ],
)
def test_a_row_that_does_not_fit_is_refused(expression, array, error, message):
    with pytest.raises(error) as caught:
        eval(f"audio.{expression}")(array)
    assert str(caught.value).startswith(expression.split("(")[0] + ": ")
    assert message in str(caught.value)


def test_a_spectrogram_and_a_filter_take_lists():
    assert audio.Spectrogram(4)([1.0, 2.0, 3.0]).shape == (3, 2)
    assert audio.Biquad(0.5, 0, 0, 1, 0, 0)([1.0]).tolist() == [0.5]


def test_sounds_go_through_a_pipeline_in_blocks():
    x = RNG.normal(0, 0.3, (50, 160)).astype(np.float32)
    steps = [audio.LowpassBiquad(8000, 2000), audio.MelSpectrogram(8000, 32, n_mels=4)]
    data = NumpySlicesDataset(x, ["sound"], shuffle=False).map(steps, "sound").batch(50)
    (row,) = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    np.testing.assert_array_equal(row["sound"], [steps[1](steps[0](sound)) for sound in x])


def test_frequencies_that_are_alike_as_integers_still_lose_what_is_near_the_highest():
    wave = np.array([np.sin(np.arange(60.0) * 0.7) + np.cos(np.arange(60.0) ** 1.5)])
    expected = [1.0069354, 1.17268256, 0.05100531, 1.30645627]
    for transform in (audio.Resample(7.2, 7.5), audio.PitchShift(8000, 0, n_fft=16)):
        np.testing.assert_allclose(transform(wave)[0, :4], expected, atol=1e-6)
    np.testing.assert_array_equal(audio.Resample(8, 8)(wave), wave)


@pytest.mark.parametrize("norm", [audio.NormMode.ORTHO, audio.NormMode.NONE])
def test_no_coefficients_are_an_array_without_rows(norm):
    x = np.sin(np.arange(2000)).astype(np.float32)
    output = audio.MFCC(n_mfcc=0, norm=norm)(x)
    assert (output.shape, output.dtype) == ((0, 11), np.float32)
    data = NumpySlicesDataset([x, x], ["x"], shuffle=False).map(audio.MFCC(n_mfcc=0, norm=norm))
    assert [row["x"].shape for row in data.create_dict_iterator(1, True)] == [(0, 11), (0, 11)]
