"""Mel spectrograms and their inverse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.dataset.audio.banks import check_frequency_order, make_mel_filters
from minispore.dataset.audio.base import (
    AudioTransform,
    RandomAudioTransform,
    Rule,
    as_float,
    flatten_leading_axes,
    floating,
    natural,
    natural_real,
    one_of,
    optional,
    positive,
    positive_real,
    real,
    restore_leading_axes,
)
from minispore.dataset.audio.enums import BorderType, MelType, NormType, WindowType
from minispore.dataset.audio.spectrum import STFT_RULES, Spectrogram, normalise_lengths
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Transform
from minispore.ir.value import Spec

__all__ = [
    "InverseMelScale",
    "MelScale",
    "MelSpectrogram",
]


class MelScale(AudioTransform):
    """Apply mel filters to a spectrogram: (..., n_stft, piece) -> (..., n_mels, piece).

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or ``f_min`` is not below ``f_max``.
        RuntimeError: the row does not have ``n_stft`` frequencies.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> spec = np.ones((5, 2), np.float32)
        >>> audio.MelScale(n_mels=1, sample_rate=8000, n_stft=5)(spec).round(2).tolist()
        [[1.940000057220459, 1.940000057220459]]
    """

    n_mels: int = 128
    sample_rate: int = 16000
    f_min: float = 0.0
    f_max: float | None = None
    n_stft: int = 201
    norm: NormType = NormType.NONE
    mel_type: MelType = MelType.HTK

    axes, shape = 2, "<..., freq, time>"
    rules = {
        "n_mels": positive,
        "sample_rate": positive,
        "f_min": real(),
        "f_max": optional(positive_real),
        "n_stft": positive,
        "norm": one_of(NormType),
        "mel_type": one_of(MelType),
    }

    def check(self) -> None:
        """Check the arguments, and store ``f_max``, by default half the sample rate."""
        super().check()
        f_max = _resolve_f_max(self, self.f_min, self.f_max, self.sample_rate)
        self.normalise(f_max=f_max)

    def make_filters(self, dtype: Any) -> np.ndarray:
        """Return the filter matrix (n_stft, n_mels), computed in ``dtype``."""
        f_max: Any = self.f_max
        rate, count = self.sample_rate, self.n_mels
        return make_mel_filters(
            self.n_stft, self.f_min, f_max, count, rate, self.norm, self.mel_type, dtype
        )

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Apply the filters; raise RuntimeError unless the rows have ``n_stft`` frequencies."""
        if x.shape[-2] != self.n_stft:
            rule = f"be the number of frequencies, {x.shape[-2]}: it should be equal to 'freq'"
            raise self.make_error("n_stft", rule, self.n_stft)
        return np.matmul(np.ascontiguousarray(self.make_filters(x.dtype).T), x)


def _resolve_f_max(transform: object, f_min: float, f_max: float | None, sample_rate: int) -> float:
    """Return ``f_max``, by default half the sample rate, rounded down.

    Raises:
        ValueError: ``f_max`` is not above ``f_min``.
    """
    if f_max is None and f_min >= sample_rate // 2:
        detail = "sample_rate // 2 should be greater than f_min when f_max is set to None."
        raise ValueError(
            arguments.format_error(
                transform, "f_min", f"be below {sample_rate // 2}", f_min, detail
            )
        )
    if f_max is not None and f_min >= f_max:
        detail = "f_max should be greater than f_min."
        raise ValueError(
            arguments.format_error(transform, "f_min", f"be below f_max={f_max}", f_min, detail)
        )
    return sample_rate // 2 if f_max is None else f_max


class MelSpectrogram(AudioTransform):
    """:class:`MelScale` of :class:`Spectrogram`: (..., time) -> (..., n_mels, piece).

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, ``f_min`` is more than ``f_max``, or ``win_length``
            is more than ``n_fft``.
        RuntimeError: the row is not longer than half of ``n_fft``.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> tone = np.sin(np.arange(2000)).astype(np.float32)
        >>> audio.MelSpectrogram(n_mels=40)(tone).shape
        (40, 11)
    """

    sample_rate: int = 16000
    n_fft: int = 400
    win_length: int | None = None
    hop_length: int | None = None
    f_min: float = 0.0
    f_max: float | None = None
    pad: int = 0
    n_mels: int = 128
    window: WindowType = WindowType.HANN
    power: float = 2.0
    normalized: bool = False
    center: bool = True
    pad_mode: BorderType = BorderType.REFLECT
    onesided: bool = True
    norm: NormType = NormType.NONE
    mel_scale: MelType = MelType.HTK

    rules = {
        "sample_rate": natural,
        **STFT_RULES,
        "f_min": floating(-math.inf, math.inf),
        "f_max": optional(natural_real),
        "n_mels": natural,
        "power": positive_real,
        "norm": one_of(NormType),
        "mel_scale": one_of(MelType),
    }

    def check(self) -> None:
        """Check the arguments, and store the default lengths and the default ``f_max``.

        See the class for errors.
        """
        super().check()
        normalise_lengths(self)
        if self.f_max is None:
            f_max = _resolve_f_max(self, self.f_min, None, self.sample_rate)
            self.normalise(f_max=f_max)
        else:
            check_frequency_order(self, self.f_min, self.f_max)

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Apply the mel filters to the spectrogram; raise RuntimeError if ``n_fft`` is too long.

        It must be less than twice the length of a row.
        """
        if self.n_fft >= 2 * x.shape[-1]:
            detail = "Padding size should be less than the corresponding input dimension"
            rule = f"be less than twice the length {x.shape[-1]}"
            raise self.make_error("n_fft", rule, f"{self.n_fft}: {detail}")
        spec = Spectrogram(*[getattr(self, field) for field in Spectrogram.fields]).transform_waves(
            x
        )
        f_max: Any = self.f_max
        count, rate = self.n_mels, self.sample_rate
        filters = make_mel_filters(
            spec.shape[-2], self.f_min, f_max, count, rate, self.norm, self.mel_scale, x.dtype
        )
        return np.matmul(np.ascontiguousarray(filters.T), spec)


_SGD_RULES: dict[str, Rule] = {"sgd_lr": natural_real, "sgd_momentum": natural_real}


class _InverseMelScale(Transform):
    """Fits a spectrogram to mel magnitudes by SGD from a given start; drawn by InverseMelScale."""

    transform: Any  # an InverseMelScale
    start: Any

    __eq__ = object.__eq__  # the truth value of an array is ambiguous
    __hash__ = object.__hash__

    def infer(self, *specs: Spec) -> tuple[Spec, ...]:
        """Return the spec of the spectrogram; a row (n_mels, piece) gets a leading axis."""
        *leading_axes, _, time = specs[0].shape
        dtype = np.dtype(np.float64 if specs[0].dtype == np.float64 else np.float32)
        return (Spec((*(leading_axes or [1]), self.transform.n_stft, time), dtype),)

    def transform_batch(self, x: np.ndarray) -> np.ndarray:
        """Fit a spectrogram to the mels by SGD until the loss or its change is small.

        A row (n_mels, piece) gets a leading axis, as in ``infer``.

        Raises:
            RuntimeError: the rows do not have ``n_mels`` mels.
        """
        transform, x = self.transform, as_float(x)
        if x.shape[-2] != transform.n_mels:
            raise transform.make_error(
                "n_mels", f"be equal to the {x.shape[-2]} mels of the row", transform.n_mels
            )
        rows, filters = flatten_leading_axes(x, 2), transform.make_filters(np.float64)
        settings = dict(transform.sgdargs)
        rate, momentum = settings["sgd_lr"], settings["sgd_momentum"]
        out = flatten_leading_axes(self.start, 2).copy()
        for spec, mels in zip(out, rows.astype(np.float64)):
            loss, step = math.inf, np.zeros_like(spec)
            for _ in range(transform.max_iter):
                error = mels - filters.T @ spec
                new_loss = float(np.square(error).mean())
                change = abs(loss - new_loss)
                if new_loss < transform.tolerance_loss or change < transform.tolerance_change:
                    break
                loss, step = new_loss, step * momentum - filters @ error / spec.shape[1]
                np.maximum(spec - rate * step, 0, out=spec)
        out = restore_leading_axes(out.astype(x.dtype), x, 2)
        return out[:, None] if x.ndim == 3 else out


class InverseMelScale(RandomAudioTransform):
    """Invert :class:`MelScale`: (..., n_mels, piece) -> (..., n_stft, piece).

    From a random start, SGD minimises the mean squared error of the mels, with values clipped at
    zero. A row (n_mels, piece) gets a leading axis.

    Args:
        max_iter (int): the maximum number of steps.
        tolerance_loss (float): stop if the mean squared error is below this value.
        tolerance_change (float): stop if the mean squared error changes by less than this value.
        sgdargs (dict): ``sgd_lr``, the learning rate, and ``sgd_momentum``; None for 0.1 and 0.9.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or ``f_min`` is not below ``f_max``.
        KeyError: ``sgdargs`` lacks an argument.
        RuntimeError: the row does not have ``n_mels`` mels.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> mels = audio.MelScale(n_mels=4, n_stft=9)(np.ones((9, 3), np.float32))
        >>> spec = audio.InverseMelScale(n_stft=9, n_mels=4)(mels)
        >>> again = audio.MelScale(n_mels=4, n_stft=9)(spec)
        >>> spec.shape, bool(np.allclose(again, mels, atol=0.05))
        ((1, 9, 3), True)
    """

    n_stft: int
    n_mels: int = 128
    sample_rate: int = 16000
    f_min: float = 0.0
    f_max: float | None = None
    max_iter: int = 100000
    tolerance_loss: float = 1e-5
    tolerance_change: float = 1e-8
    sgdargs: Any = None
    norm: NormType = NormType.NONE
    mel_type: MelType = MelType.HTK

    axes, shape = 2, "<..., n_mels, time>"
    rules = {
        **MelScale.rules,
        "max_iter": positive,
        "tolerance_loss": positive_real,
        "tolerance_change": positive_real,
    }

    def check(self) -> None:
        """Check the arguments, and store ``f_max`` and ``sgdargs``, the latter as a tuple of pairs.

        Raises:
            TypeError, ValueError: an argument has a wrong type or is out of range.
            KeyError: ``sgdargs`` lacks an argument.
        """
        super().check()
        f_max = _resolve_f_max(self, self.f_min, self.f_max, self.sample_rate)
        settings = {"sgd_lr": 0.1, "sgd_momentum": 0.9} if self.sgdargs is None else self.sgdargs
        for name, rule in _SGD_RULES.items():
            if name not in settings:
                raise KeyError(f"{self.name}: sgdargs must have {name!r}, got {[*settings]}.")
            rule(self, name, settings[name])
        self.normalise(f_max=f_max, sgdargs=tuple((name, settings[name]) for name in _SGD_RULES))

    make_filters = MelScale.make_filters

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Draw a random start, and return the transform that fits a spectrogram from it."""
        *lead, _, time = specs[0].shape
        return [_InverseMelScale(self, rng.random((*lead, self.n_stft, time)))]
