"""Transforms of sound, and those of text whose arguments MindSpore keeps, in its JSON.

Most arguments have their names and values there; members of enumerations are numbers, real numbers
those of float32, and the arguments for the spectrum of LFCC and MFCC stand beside the others.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.dataset import audio, text
from minispore.dataset.transforms.base import Transform

Json = dict[str, Any]

_TEXTS = ("AddToken", "ToNumber", "Truncate")
_MEMBERS: dict[type[Enum], str] = {  # in the order of their numbers
    audio.BorderType: "CONSTANT EDGE REFLECT SYMMETRIC",
    audio.DensityFunction: "TPDF RPDF GPDF",
    audio.FadeShape: "LINEAR EXPONENTIAL LOGARITHMIC QUARTER_SINE HALF_SINE",
    audio.GainType: "AMPLITUDE POWER DB",
    audio.Interpolation: "LINEAR QUADRATIC",
    audio.MelType: "HTK SLANEY",
    audio.Modulation: "SINUSOIDAL TRIANGULAR",
    audio.NormMode: "NONE ORTHO",
    audio.NormType: "NONE SLANEY",
    audio.ResampleMethod: "SINC_INTERPOLATION KAISER_WINDOW",
    audio.ScaleType: "MAGNITUDE POWER",
    audio.WindowType: "BARTLETT BLACKMAN HAMMING HANN KAISER",
}
_ENUMS: dict[str, type[Enum]] = {
    "density_function": audio.DensityFunction,
    "fade_shape": audio.FadeShape,
    "gain_type": audio.GainType,
    "interpolation": audio.Interpolation,
    "mel_scale": audio.MelType,
    "mel_type": audio.MelType,
    "modulation": audio.Modulation,
    "norm": audio.NormType,
    "pad_mode": audio.BorderType,
    "resample_method": audio.ResampleMethod,
    "stype": audio.ScaleType,
    "window": audio.WindowType,
    "window_type": audio.WindowType,
}
_KEYS = {("FrequencyMasking", "freq_mask_param"): "frequency_mask_param"}
_SPECTRA = {"LFCC": "speckwargs", "MFCC": "melkwargs"}
_OF_SPECTRA = {
    "speckwargs": "n_fft win_length hop_length pad window power normalized center pad_mode"
    " onesided",
    "melkwargs": "n_fft win_length hop_length f_min f_max pad n_mels window power normalized center"
    " pad_mode onesided norm mel_scale",
}


def known(name: str) -> type[Transform] | None:
    """The class of this name, if it has a form here."""
    if name in _TEXTS:
        return getattr(text, name)
    found = getattr(audio, name, None) if name in audio.__all__ else None
    return found if isinstance(found, type) and issubclass(found, Transform) else None


def written(operation: Transform) -> Json | None:
    """The arguments of a transform."""
    name = type(operation).__name__
    params: Json = {}
    for field in operation.fields:
        value = getattr(operation, field)
        if field == _SPECTRA.get(name):
            params |= {_inside(key): _value(v) for key, v in dict(value).items()}
        elif field == "sgdargs":
            params[field] = {key: _value(v) for key, v in dict(value).items()}
        else:
            params[_KEYS.get((name, field), field)] = _value(value)
    return params or None


def read(name: str, kind: type[Transform], params: Json) -> Transform:
    """The transform of these arguments."""
    given: Json = {}
    for field in kind.fields:
        if field == _SPECTRA.get(name):
            keys = _OF_SPECTRA[field].split()
            given[field] = {key: _made(key, params[_inside(key)]) for key in keys}
            continue
        value = params.get(_KEYS.get((name, field), field))
        if value is not None:
            given[field] = _made(field, value, name)
    return kind(**given)


def _inside(key: str) -> str:
    """The name of an argument for the spectrum beside the others."""
    return "norm_mel" if key == "norm" else key


def _value(value: Any) -> Any:
    if type(value) in _MEMBERS:
        return _MEMBERS[type(value)].split().index(value.name)
    if isinstance(value, mstype.DType):
        return str(value.np)
    if isinstance(value, np.ndarray):
        data = value.ravel().tolist()
        return {"data": data, "shape": list(value.shape), "type": value.dtype.name}
    if isinstance(value, tuple | list):
        return [_value(v) for v in value]
    return float(np.float32(value)) if isinstance(value, float) else value


def _made(field: str, value: Any, of: str = "") -> Any:
    if field == "data_type":
        return mstype.from_numpy(np.dtype(value))
    if isinstance(value, dict) and "shape" in value:
        return np.array(value["data"], value["type"]).reshape(value["shape"])
    if field in _ENUMS:
        kind = audio.NormMode if field == "norm" and of in _SPECTRA else _ENUMS[field]
        return kind[_MEMBERS[kind].split()[value]]
    if of == "TimeStretch" and field == "hop_length":
        return int(value)
    return value
