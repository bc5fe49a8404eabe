"""Spectrograms and their inverses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.dataset.audio.base import (
    AudioTransform,
    RandomAudioTransform,
    Rule,
    as_float,
    flag,
    flatten_leading_axes,
    linspace,
    natural,
    natural_real,
    one_of,
    optional,
    positive,
    positive_real,
    restore_leading_axes,
)
from minispore.dataset.audio.enums import BorderType, WindowType
from minispore.dataset.audio.fourier import (
    compute_magnitudes,
    istft,
    make_window,
    pad_signal,
    stft,
    view_as_complex,
)
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Transform
from minispore.ir.value import Spec

__all__ = ["GriffinLim", "InverseSpectrogram", "SpectralCentroid", "Spectrogram"]

STFT_RULES: dict[str, Rule] = {
    "n_fft": positive,
    "win_length": optional(positive),
    "hop_length": optional(positive),
    "pad": natural,
    "window": one_of(WindowType),
    "normalized": flag,
    "center": flag,
    "pad_mode": one_of(BorderType),
    "onesided": flag,
}


def normalise_lengths(transform: Any, hop_divisor: int = 2) -> None:
    """Store the defaults of ``win_length``, which is ``n_fft``, and of ``hop_length``.

    The latter is ``win_length // hop_divisor``, at least 1.

    Raises:
        ValueError: the window exceeds ``n_fft``.
    """
    win, hop = transform.win_length, transform.hop_length
    if win and win > transform.n_fft:
        detail = "Input win_length should be no more than n_fft."
        rule = f"be at most n_fft={transform.n_fft}"
        raise ValueError(arguments.format_error(transform, "win_length", rule, win, detail))
    win = win or transform.n_fft
    transform.normalise(win_length=win, hop_length=hop or max(1, win // hop_divisor))


class Spectrogram(AudioTransform):
    """|STFT(x)|^power: (..., time) -> (..., freq, piece); complex parts (..., 2) if power is 0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or ``win_length`` is more than ``n_fft``.
        RuntimeError: the row with its padding is shorter than ``n_fft``.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> tone = np.cos(np.arange(16) * np.pi / 2).astype(np.float32)
        >>> spec = audio.Spectrogram(n_fft=8, power=1.0)(tone)
        >>> spec.shape, spec[:, 2].round(3).tolist()
        ((5, 5), [0.0, 1.0, 2.0, 1.0, 0.0])
    """

    n_fft: int = 400
    win_length: int | None = None
    hop_length: int | None = None
    pad: int = 0
    window: WindowType = WindowType.HANN
    power: float = 2.0
    normalized: bool = False
    center: bool = True
    pad_mode: BorderType = BorderType.REFLECT
    onesided: bool = True

    accepts_lists = True
    rules = {**STFT_RULES, "power": natural_real}

    def check(self) -> None:
        """Check the arguments, and store the default ``win_length`` and ``hop_length``."""
        super().check()
        normalise_lengths(self)

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Pad, transform and normalise; raise RuntimeError if a padded row is shorter than
        ``n_fft``.
        """
        win = make_window(self.window, self.win_length, self.n_fft)
        x = pad_signal(x, self.pad, self.pad, BorderType.CONSTANT)
        if self.center:
            x = pad_signal(x, self.n_fft // 2, self.n_fft // 2, self.pad_mode)
        if x.shape[-1] < self.n_fft:
            raise self.make_error("n_fft", f"be no more than the length {x.shape[-1]}", self.n_fft)
        spectrum = stft(x, win, self.hop_length)  # type: ignore[arg-type]
        if self.normalized:
            spectrum = spectrum / x.dtype.type(np.sqrt(np.square(win, dtype=np.float64).sum()))
        if not self.onesided:
            upper_half = spectrum[..., (self.n_fft - 1) // 2 : 0 : -1, :].conj()
            spectrum = np.concatenate([spectrum, upper_half], axis=-2)
        return compute_magnitudes(spectrum, self.power)


class SpectralCentroid(AudioTransform):
    """The mean frequency of each piece, weighted by |STFT(x)|: (..., time) -> (..., 1, piece).

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or ``win_length`` is more than ``n_fft``.
        RuntimeError: the row is 0-d, or with its padding shorter than ``n_fft``.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> tone = np.cos(np.arange(16) * np.pi / 2).astype(np.float32)
        >>> audio.SpectralCentroid(8000, n_fft=8)(tone)[..., 2].round().tolist()
        [2000.0]
    """

    sample_rate: int
    n_fft: int = 400
    win_length: int | None = None
    hop_length: int | None = None
    pad: int = 0
    window: WindowType = WindowType.HANN

    accepts_lists = True
    rules = {
        "sample_rate": natural,
        **{n: STFT_RULES[n] for n in ("n_fft", "win_length", "hop_length", "pad", "window")},
    }

    def check(self) -> None:
        """Check the arguments, and store the default ``win_length`` and ``hop_length``."""
        super().check()
        normalise_lengths(self)

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Return the mean frequency weighted by magnitudes, NaN in silence."""
        spectrum = Spectrogram(
            self.n_fft, self.win_length, self.hop_length, self.pad, self.window, 1.0
        ).transform_waves(x)
        freqs = linspace(0, self.sample_rate // 2, self.n_fft // 2 + 1, x.dtype)
        total = spectrum.sum(-2, keepdims=True, dtype=np.float64)
        weighted = (spectrum * freqs[:, None].astype(np.float64)).sum(-2, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):  # of silence
            return (weighted / total).astype(x.dtype)


class InverseSpectrogram(AudioTransform):
    """Invert a complex spectrogram (power 0): (..., freq, piece, 2) -> (..., time).

    Args:
        length (int): the length of the result; None for the range covered by the pieces.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or ``win_length`` is more than ``n_fft``.
        RuntimeError: the row is not (..., freq, piece, 2), or ``freq`` does not match ``n_fft``.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> sound = np.arange(8, dtype=np.float32)
        >>> parts = audio.Spectrogram(n_fft=4, power=0)(sound)
        >>> audio.InverseSpectrogram(8, n_fft=4)(parts).round(3).tolist()
        [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    """

    length: int | None = None
    n_fft: int = 400
    win_length: int | None = None
    hop_length: int | None = None
    pad: int = 0
    window: WindowType = WindowType.HANN
    normalized: bool = False
    center: bool = True
    pad_mode: BorderType = BorderType.REFLECT
    onesided: bool = True

    axes, shape = 3, "<..., freq, time, complex=2>"
    rules = {"length": optional(natural), **STFT_RULES}

    def check(self) -> None:
        """Check the arguments, and store the default lengths; ``length`` None becomes 0."""
        super().check()
        normalise_lengths(self)
        self.normalise(length=self.length or 0)

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Invert the transform; with ``length``, return that many samples without padding.

        Raises:
            RuntimeError: the number of frequencies does not match ``n_fft``.
        """
        spectrum = view_as_complex(flatten_leading_axes(x, 3))
        freqs = spectrum.shape[1] if self.onesided else self.n_fft // 2 + 1
        spectrum, length, pad = spectrum[:, :freqs], self.length or 0, self.pad
        check_freq_count(self, spectrum)
        win = make_window(self.window, self.win_length, self.n_fft)
        if self.normalized:
            spectrum = spectrum * np.sqrt(np.square(win, dtype=np.float64).sum())
        hop: int = self.hop_length  # type: ignore[assignment]
        covered = length + 2 * pad if length else (x.shape[-2] - 1) * hop
        y = istft(spectrum, win, hop, self.center, covered)
        if length and pad:
            y = y[:, pad:-pad]
        return restore_leading_axes(y.astype(x.dtype), x, 3)


def check_freq_count(transform: Any, spectrum: np.ndarray) -> None:
    """Raise RuntimeError unless a spectrum (rows, freq, frame) has n_fft / 2 + 1 frequencies."""
    if transform.n_fft != 2 * (spectrum.shape[1] - 1):
        rule = f"be 2 * (freq - 1), {2 * (spectrum.shape[1] - 1)} of {spectrum.shape[1]}"
        raise transform.make_error("n_fft", rule, transform.n_fft)


class _GriffinLim(Transform):
    """Reconstructs audio from magnitudes, from given initial phases; drawn by GriffinLim."""

    transform: Any  # a GriffinLim
    angles: Any

    __eq__ = object.__eq__  # the truth value of an array is ambiguous
    __hash__ = object.__hash__

    def infer(self, *specs: Spec) -> tuple[Spec, ...]:
        """Return the spec of the audio: ``length`` samples, or the range covered by the pieces."""
        transform, (shape, dtype) = self.transform, specs[0]
        covered = transform.n_fft % 2 + transform.hop_length * (shape[-1] - 1)
        float_dtype = np.dtype(np.float64 if dtype == np.float64 else np.float32)
        return (Spec((*shape[:-2], transform.length or covered), float_dtype),)

    def transform_batch(self, x: np.ndarray) -> np.ndarray:
        """Refine the phases ``n_iter`` times through istft and stft, with momentum; return the
        audio.

        Raises:
            RuntimeError: ``n_fft`` or ``length`` does not match the rows.
        """
        transform, x = self.transform, as_float(x)
        win = make_window(transform.window_type, transform.win_length, transform.n_fft)
        rows = flatten_leading_axes(x, 2)
        check_freq_count(transform, rows)
        magnitude = rows.astype(np.float64) ** (1 / transform.power)
        previous, momentum = None, transform.momentum / (1 + transform.momentum)
        angles = self.angles if self.angles is None else flatten_leading_axes(self.angles, 2)
        spectrum = magnitude.astype(np.complex128) if angles is None else magnitude * angles
        for _ in range(transform.n_iter):
            y = istft(spectrum, win, transform.hop_length, True, transform.length)
            half = transform.n_fft // 2
            rebuilt = stft(pad_signal(y, half, half, BorderType.REFLECT), win, transform.hop_length)
            if rebuilt.shape != magnitude.shape:
                rule = f"cover the {magnitude.shape[2]} pieces of the spectrogram"
                raise transform.make_error("length", rule, transform.length)
            phase = rebuilt + momentum * (rebuilt - (0 if previous is None else previous))
            spectrum = magnitude * (phase / (np.abs(phase) + 1e-16))
            previous = rebuilt
        y = istft(spectrum, win, transform.hop_length, True, transform.length)
        return restore_leading_axes(y.astype(x.dtype), x, 2)


class GriffinLim(RandomAudioTransform):
    """Reconstruct a sound from magnitudes: (..., freq, piece) -> (..., time).

    Source: D. Griffin and J. Lim, Signal estimation from modified short-time Fourier transform
    (1984); N. Perraudin et al., A fast Griffin-Lim algorithm (2013).

    Args:
        n_iter (int): the number of iterations.
        window_type (WindowType): the window.
        momentum (float): the momentum of the phase updates; 0 is the algorithm of 1984.
        length (int): the length of the result; None for the range covered by the pieces.
        rand_init (bool): whether the initial phases are random; else 0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or ``win_length`` is more than ``n_fft``.
        RuntimeError: the row is not (..., freq, piece), or ``freq`` does not match ``n_fft``.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> tone = np.cos(np.arange(64) * np.pi / 4)
        >>> sizes = audio.Spectrogram(n_fft=16)(tone)
        >>> sound = audio.GriffinLim(n_fft=16, rand_init=False)(sizes)
        >>> sound.shape, bool(np.allclose(audio.Spectrogram(n_fft=16)(sound), sizes, atol=0.5))
        ((64,), True)
    """

    n_fft: int = 400
    n_iter: int = 32
    win_length: int | None = None
    hop_length: int | None = None
    window_type: WindowType = WindowType.HANN
    power: float = 2.0
    momentum: float = 0.99
    length: int | None = None
    rand_init: bool = True

    axes, shape = 2, "<..., freq, time>"
    rules = {
        "n_fft": positive,
        "n_iter": positive,
        "win_length": optional(natural),
        "hop_length": optional(natural),
        "window_type": one_of(WindowType),
        "power": positive_real,
        "momentum": natural_real,
        "length": optional(natural),
        "rand_init": flag,
    }

    def check(self) -> None:
        """Check the arguments, and store the default lengths; ``length`` None becomes 0."""
        super().check()
        normalise_lengths(self)
        self.normalise(length=self.length or 0)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Draw initial phases with ``rand_init``, and return the transform that refines them."""
        if not self.rand_init:
            return [_GriffinLim(self, None)]
        shape = specs[0].shape
        return [_GriffinLim(self, rng.random(shape) + 1j * rng.random(shape))]
