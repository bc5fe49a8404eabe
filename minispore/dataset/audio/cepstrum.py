"""Cepstral coefficients, their deltas and their normalisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.dataset.audio.banks import linear_fbanks, make_dct
from minispore.dataset.audio.base import (
    AudioTransform,
    Rule,
    flag,
    integer,
    natural,
    natural_real,
    one_of,
    optional,
    positive,
    real,
)
from minispore.dataset.audio.enums import BorderType, MelType, NormMode, NormType, WindowType
from minispore.dataset.audio.fourier import pad_signal
from minispore.dataset.audio.level import to_decibels
from minispore.dataset.audio.mel import MelSpectrogram
from minispore.dataset.audio.spectrum import STFT_RULES, Spectrogram
from minispore.dataset.transforms import arguments

__all__ = ["LFCC", "MFCC", "ComputeDeltas", "SlidingWindowCmn"]


def _compute_cepstrum(spec: np.ndarray, count: int, norm: NormMode, use_log: bool) -> np.ndarray:
    """Return the cosine transform of the logarithm: (..., filter, frame) -> (..., count, frame).

    The result is float32. The logarithm is natural with ``use_log``, else in decibels.
    """
    spec = np.log(spec + spec.dtype.type(1e-6)) if use_log else to_decibels(spec, 10.0)
    dct = np.ascontiguousarray(make_dct(count, spec.shape[-2], norm).T)
    return np.matmul(dct, spec.astype(np.float32, copy=False))


def _check_options(
    transform: Any, name: str, rules: dict[str, Rule], options: Any
) -> dict[str, Any]:
    """Check each option of a dict that has a rule, and return a copy of all.

    Raises:
        KeyError: an option that has a rule is missing.
        TypeError, ValueError: ``options`` is not a dict, or an option is wrong.
    """
    arguments.instance(transform, name, options, (dict,))
    for key, rule in rules.items():
        if key not in options:
            raise KeyError(
                f"{type(transform).__name__}: {name} must have {key!r}, got {[*options]}."
            )
        rule(transform, key, options[key])
    return dict(options)


def _check_dct_type(api_name: object, name: str, value: Any) -> None:
    """Raise ValueError unless ``value`` is 2, the only supported type of cosine transform."""
    if value != 2:
        detail = "Input dct_type must be 2."
        raise ValueError(arguments.format_error(api_name, name, "be 2", value, detail))


class MFCC(AudioTransform):
    """The cosine transform of a mel spectrogram in decibels: (..., time) -> (..., n_mfcc, piece).

    Args:
        log_mels (bool): whether to use natural logarithms instead of decibels.
        melkwargs (dict): all arguments of :class:`MelSpectrogram` except the sample rate; None for
            the defaults.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or ``n_mfcc`` is more than ``n_mels``, which is 128
            without ``melkwargs``.
        KeyError: ``melkwargs`` lacks an argument.
        RuntimeError: the row is not longer than half of ``n_fft``.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.MFCC(n_mfcc=13)(np.sin(np.arange(2000)).astype(np.float32)).shape
        (13, 11)
    """

    sample_rate: int = 16000
    n_mfcc: int = 40
    dct_type: int = 2
    norm: NormMode = NormMode.ORTHO
    log_mels: bool = False
    melkwargs: Any = None

    rules = {
        "sample_rate": natural,
        "log_mels": flag,
        "norm": one_of(NormMode),
        "n_mfcc": natural,
        "dct_type": _check_dct_type,
    }

    def check(self) -> None:
        """Check the arguments, and store ``melkwargs`` as a tuple of pairs, including ``f_min``.

        See the class for errors.
        """
        super().check()
        options = {}
        if self.melkwargs is not None:
            options = _check_options(self, "melkwargs", _MEL_RULES, self.melkwargs)
        n_mels = options.get("n_mels", MelSpectrogram.n_mels)
        if n_mels < self.n_mfcc:
            detail = "Input n_mels should be greater than or equal to n_mfcc."
            rule = f"be at most n_mels={n_mels}"
            raise ValueError(arguments.format_error(self, "n_mfcc", rule, self.n_mfcc, detail))
        options["f_min"] = float(options.get("f_min", 0.0))
        MelSpectrogram(self.sample_rate, **options)
        self.normalise(melkwargs=tuple(options.items()))

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        mel = MelSpectrogram(self.sample_rate, **dict(self.melkwargs)).transform_waves(x)
        return _compute_cepstrum(mel, self.n_mfcc, self.norm, self.log_mels)


_MEL_RULES: dict[str, Rule] = {
    "n_fft": positive,
    "win_length": optional(natural),
    "hop_length": optional(positive),
    "f_min": real(),
    "f_max": optional(natural_real),
    "pad": natural,
    "power": natural_real,
    "normalized": flag,
    "center": flag,
    "onesided": flag,
    "window": one_of(WindowType),
    "pad_mode": one_of(BorderType),
    "norm": one_of(NormType),
    "mel_scale": one_of(MelType),
    "n_mels": positive,
}
_LINEAR_RULES = {n: STFT_RULES[n] for n in ("n_fft", "win_length", "pad", "window", "pad_mode")}


class LFCC(AudioTransform):
    """The cosine transform of linear filters in decibels: (..., time) -> (..., n_lfcc, piece).

    Args:
        n_filter (int): the number of filters.
        n_lfcc (int): the number of coefficients.
        log_lf (bool): whether to use natural logarithms instead of decibels.
        speckwargs (dict): arguments of :class:`Spectrogram`, at least ``n_fft``, ``win_length``,
            ``pad``, ``window``, ``power`` and ``pad_mode``; None for the defaults.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, ``f_min`` is more than ``f_max``, or ``n_lfcc`` is
            more than ``n_fft``, which is 400 without ``speckwargs``.
        KeyError: ``speckwargs`` lacks an argument.
        RuntimeError: the row with its padding is shorter than ``n_fft``.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.LFCC(n_lfcc=13)(np.sin(np.arange(2000)).astype(np.float32)).shape
        (13, 11)
    """

    sample_rate: int = 16000
    n_filter: int = 128
    n_lfcc: int = 40
    f_min: float = 0.0
    f_max: float | None = None
    dct_type: int = 2
    norm: NormMode = NormMode.ORTHO
    log_lf: bool = False
    speckwargs: Any = None

    rules = {
        "sample_rate": natural,
        "n_filter": positive,
        "n_lfcc": positive,
        "log_lf": flag,
        "norm": one_of(NormMode),
        "f_min": natural_real,
        "f_max": optional(natural_real),
        "dct_type": _check_dct_type,
    }

    def check(self) -> None:
        """Check the arguments, and store the default ``f_max``, and ``speckwargs`` as pairs.

        Raises:
            TypeError, ValueError: an argument or option has a wrong type or is out of range.
            KeyError: ``speckwargs`` lacks an argument.
        """
        super().check()
        f_max = self.sample_rate // 2 if self.f_max is None else self.f_max
        if self.f_min > f_max or (self.f_max is None and self.f_min == f_max):
            detail = "f_max should be greater than or equal to f_min."
            raise ValueError(
                arguments.format_error(self, "f_min", f"be below {f_max}", self.f_min, detail)
            )
        options = {}
        if self.speckwargs is not None:
            options = _check_options(self, "speckwargs", _LINEAR_RULES, self.speckwargs)
            if not isinstance(options.get("power"), float):
                raise arguments.wrong_type(self, "power", "be a float", options.get("power"), float)
        n_fft = options.get("n_fft", Spectrogram.n_fft)
        if n_fft < self.n_lfcc:
            detail = "n_fft should be greater than or equal to n_lfcc."
            rule = f"be at most n_fft={n_fft}"
            raise ValueError(arguments.format_error(self, "n_lfcc", rule, self.n_lfcc, detail))
        Spectrogram(**options)
        self.normalise(f_max=f_max, speckwargs=tuple(options.items()))

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Return the cepstrum of the linear filters: (..., time) -> (..., n_lfcc, piece)."""
        spec = Spectrogram(**dict(self.speckwargs)).transform_waves(x)
        f_max: Any = self.f_max
        filters = linear_fbanks(spec.shape[-2], self.f_min, f_max, self.n_filter, self.sample_rate)
        filtered = np.matmul(np.ascontiguousarray(filters.T.astype(x.dtype)), spec)
        return _compute_cepstrum(filtered, self.n_lfcc, self.norm, self.log_lf)


class ComputeDeltas(AudioTransform):
    """The slope of the line fitted to ``win_length`` pieces, sum_n n x[t + n] / sum_n n^2.

    Args:
        win_length (int): the number of pieces; an even number counts as one less.
        pad_mode (BorderType): the padding beyond the ends of the row.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``win_length`` is below 3.
        RuntimeError: the row is not (..., freq, piece).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.ComputeDeltas(3)(np.array([[0.0, 2.0, 4.0, 4.0]])).tolist()
        [[1.0, 2.0, 1.0, 0.0]]
    """

    win_length: int = 5
    pad_mode: BorderType = BorderType.EDGE

    axes, shape = 2, "<..., freq, time>"
    rules = {"pad_mode": one_of(BorderType), "win_length": integer(3)}

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Return the slope at each piece, a weighted sum over the padded last axis."""
        n = (self.win_length - 1) // 2
        steps = np.arange(-n, n + 1)
        extended = pad_signal(x, n, n, self.pad_mode)
        out = np.zeros(x.shape)
        for i, step in enumerate(steps.tolist()):
            out += extended[..., i : i + x.shape[-1]] * step
        return (out / np.square(steps).sum()).astype(x.dtype)


class SlidingWindowCmn(AudioTransform):
    """x minus its mean over a sliding window of pieces: rows are (..., piece, feature).

    Args:
        cmn_window (int): the number of pieces before the current piece, or around it.
        min_cmn_window (int): the minimum number of pieces at the beginning, without ``center``.
        center (bool): whether the window is centred at the current piece; else it ends there.
        norm_vars (bool): whether the result is divided by the standard deviation.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a length is negative.
        RuntimeError: the row is not (..., piece, feature), or a window is empty.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.SlidingWindowCmn(3, center=True)(np.array([[1.0], [2.0], [6.0]])).tolist()
        [[-2.0], [-1.0], [3.0]]
    """

    cmn_window: int = 600
    min_cmn_window: int = 100
    center: bool = False
    norm_vars: bool = False

    axes, shape = 2, "<..., freq, time>"
    rules = {
        "cmn_window": natural,
        "min_cmn_window": natural,
        "center": flag,
        "norm_vars": flag,
    }

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Subtract each window's mean; with ``norm_vars`` divide by its deviation.

        A window of one piece then gives 0.

        Raises:
            RuntimeError: a window is empty.
        """
        count = x.shape[-2]
        frame = np.arange(count)
        start = frame - (self.cmn_window // 2 if self.center else self.cmn_window)
        if self.center:
            stop = np.maximum(start, 0) + self.cmn_window
        else:
            stop = np.maximum(frame + 1, self.min_cmn_window)
        start = np.maximum(np.maximum(start, 0) - np.maximum(stop - count, 0), 0)
        stop = np.minimum(stop, count)
        size = (stop - start)[:, None].astype(np.float64)
        if not size.all():
            raise self.make_error(
                "cmn_window", "hold a piece: 'cmn_window_frames' can not be zero", 0
            )
        mean = _sum_windows(x, start, stop) / size
        out = x - mean
        if self.norm_vars:
            variance = _sum_windows(np.square(x, dtype=np.float64), start, stop) / size - mean**2
            with np.errstate(divide="ignore", invalid="ignore"):  # equal pieces have variance 0
                out = np.where(size == 1, 0.0, out / np.sqrt(variance))
        return out.astype(x.dtype)


def _sum_windows(x: np.ndarray, start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Return the float64 sums of ``x`` over [start, stop) along the second to last axis.

    ``start`` and ``stop`` are the bounds of each window.
    """
    total = np.zeros((*x.shape[:-2], x.shape[-2] + 1, x.shape[-1]))
    np.cumsum(x, axis=-2, dtype=np.float64, out=total[..., 1:, :])
    return total[..., stop, :] - total[..., start, :]
