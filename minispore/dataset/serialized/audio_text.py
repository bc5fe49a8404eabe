"""Audio transforms, and the text transforms whose arguments MindSpore writes, in its JSON.

Most arguments have the same names and values in JSON; members of enumerations are numbers, floats
are rounded to float32, and the spectrum arguments of LFCC and MFCC are merged with the others.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from minispore.dataset import audio, text
from minispore.dataset.transforms.base import Transform
from minispore.ir import dtype as mstype

Json = dict[str, Any]

_TEXT_TRANSFORMS = ("AddToken", "ToNumber", "Truncate")
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
_SPECTRUM_FIELDS = {"LFCC": "speckwargs", "MFCC": "melkwargs"}
_SPECTRUM_KEYS = {
    "speckwargs": "n_fft win_length hop_length pad window power normalized center pad_mode"
    " onesided",
    "melkwargs": "n_fft win_length hop_length f_min f_max pad n_mels window power normalized center"
    " pad_mode onesided norm mel_scale",
}


def find_class(name: str) -> type[Transform] | None:
    """Find the audio or text transform class of this name, if this module can serialize it."""
    if name in _TEXT_TRANSFORMS:
        return getattr(text, name)
    candidate = getattr(audio, name, None) if name in audio.__all__ else None
    return candidate if isinstance(candidate, type) and issubclass(candidate, Transform) else None


def serialize_params(operation: Transform) -> Json | None:
    """Return the arguments of a transform as JSON, None if it has none."""
    name = type(operation).__name__
    params: Json = {}
    for field in operation.fields:
        value = getattr(operation, field)
        if field == _SPECTRUM_FIELDS.get(name):
            params |= {
                _rename_spectrum_key(key): _serialize_value(v) for key, v in dict(value).items()
            }
        elif field == "sgdargs":
            params[field] = {key: _serialize_value(v) for key, v in dict(value).items()}
        else:
            params[_KEYS.get((name, field), field)] = _serialize_value(value)
    return params or None


def deserialize_transform(name: str, cls: type[Transform], params: Json) -> Transform:
    """Make a transform from its JSON arguments."""
    arguments: Json = {}
    for field in cls.fields:
        if field == _SPECTRUM_FIELDS.get(name):
            keys = _SPECTRUM_KEYS[field].split()
            arguments[field] = {
                key: _deserialize_value(key, params[_rename_spectrum_key(key)]) for key in keys
            }
            continue
        value = params.get(_KEYS.get((name, field), field))
        if value is not None:
            arguments[field] = _deserialize_value(field, value, name)
    return cls(**arguments)


def _rename_spectrum_key(key: str) -> str:
    """Rename a spectrum's argument ``norm`` to ``norm_mel``: a mel transform has both."""
    return "norm_mel" if key == "norm" else key


def _serialize_value(value: Any) -> Any:
    """Return an argument as JSON: enum members as numbers, arrays as dicts, floats as float32."""
    if type(value) in _MEMBERS:
        return _MEMBERS[type(value)].split().index(value.name)
    if isinstance(value, mstype.DType):
        return str(value.np)
    if isinstance(value, np.ndarray):
        data = value.ravel().tolist()
        return {"data": data, "shape": list(value.shape), "type": value.dtype.name}
    if isinstance(value, tuple | list):
        return [_serialize_value(v) for v in value]
    return float(np.float32(value)) if isinstance(value, float) else value


def _deserialize_value(field: str, value: Any, transform_name: str = "") -> Any:
    """Return the argument ``field`` of a transform from its JSON value."""
    if field == "data_type":
        return mstype.from_numpy(np.dtype(value))
    if isinstance(value, dict) and "shape" in value:
        return np.array(value["data"], value["type"]).reshape(value["shape"])
    if field in _ENUMS:
        enum_class = _ENUMS[field]
        if field == "norm" and transform_name in _SPECTRUM_FIELDS:
            enum_class = audio.NormMode
        return enum_class[_MEMBERS[enum_class].split()[value]]
    if transform_name == "TimeStretch" and field == "hop_length":
        return int(value)
    return value
