"""Map operations in MindSpore's JSON: a name and its arguments, in the form of its C++ side.

Most arguments have the same names and normal forms in JSON. The numbers of enumerations, sizes
given as one number and a few names differ. A user's function has a name but no arguments, so it
can't be restored.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from minispore.dataset import transforms, vision
from minispore.dataset.serialized import audio_text
from minispore.dataset.transforms.base import Transform
from minispore.dataset.vision.enums import (
    AutoAugmentPolicy,
    Border,
    ConvertMode,
    ImageBatchFormat,
    Inter,
    SliceMode,
)

Json = dict[str, Any]

_PY_VISION = "mindspore.dataset.vision.transforms"
_PY_TRANSFORMS = "mindspore.dataset.transforms.transforms"
_PY_FUNCTION = "mindspore.dataset.transforms.py_transforms_util"
_PYTHON_ONLY = frozenset(  # operations that MindSpore computes only in Python
    name
    for family in (
        "FiveCrop Grayscale HsvToRgb RandomErasing RandomGrayscale RandomOrder RandomPerspective",
        "RgbToHsv TenCrop ToNumpy ToPIL",
    )
    for name in family.split()
)
_ON_DEVICES = frozenset(  # operations that MindSpore may compute on an Ascend
    name
    for family in (
        "AdjustBrightness AdjustContrast AdjustHue AdjustSaturation AdjustSharpness Affine",
        "AutoContrast ConvertColor Crop Decode Equalize Erase GaussianBlur HorizontalFlip Invert",
        "Normalize Pad Perspective Posterize Resize ResizedCrop Rotate Solarize VerticalFlip",
    )
    for name in family.split()
)
_TRANSFORMS_PACKAGE = frozenset(  # operations of the package transforms
    name
    for family in (
        "Compose Duplicate Fill OneHot PadEnd RandomApply RandomChoice RandomOrder",
        "TypeCast Unique",
    )
    for name in family.split()
)
_ARRAY_ARGUMENTS = {"LinearTransformation"}  # operations whose arguments MindSpore can't write
_NAMES = {"HWC2CHW": "HwcToChw", "ToType": "TypeCast"}
_KEYS = {("Rotate", "degrees"): "degree"}
_ONE_SIZE = {"RandomResize", "RandomResizeWithBBox", "Resize", "ResizeWithBBox"}

_ENUM_NUMBERS: dict[type[Enum], dict[Any, int]] = {
    Inter: {Inter.LINEAR: 0, Inter.NEAREST: 1, Inter.CUBIC: 2, Inter.AREA: 3, Inter.PILCUBIC: 4},
    Border: {Border.CONSTANT: 0, Border.EDGE: 1, Border.REFLECT: 2, Border.SYMMETRIC: 3},
    AutoAugmentPolicy: {policy: i for i, policy in enumerate(AutoAugmentPolicy)},
    ConvertMode: {mode: int(mode) for mode in ConvertMode},
    ImageBatchFormat: {form: int(form) for form in ImageBatchFormat},
    SliceMode: {mode: int(mode) for mode in SliceMode},
}
_ENUMS: dict[str, type[Enum]] = {
    "convert_mode": ConvertMode,
    "image_batch_format": ImageBatchFormat,
    "interpolation": Inter,
    "padding_mode": Border,
    "resample": Inter,
    "slice_mode": SliceMode,
}


def serialize_operation(operation: Any) -> list[Json]:
    """Return the entries of an operation; for a Compose, the entries of all its operations.

    Raises:
        RuntimeError: the operation can't be written as JSON.
        TypeError: the arguments are arrays.
    """
    if not isinstance(operation, Transform):
        name = getattr(operation, "__name__", None) or type(operation).__name__
        return [{"python_module": _PY_FUNCTION, "tensor_op_name": name}]
    if isinstance(operation, transforms.Compose):
        return [op for part in operation.transforms for op in serialize_operation(part)]
    op_name = type(operation).__name__
    if audio_text.find_class(op_name) is type(operation):
        return [
            {"tensor_op_name": op_name, "tensor_op_params": audio_text.serialize_params(operation)}
        ]
    if op_name in _ARRAY_ARGUMENTS:
        raise TypeError(
            f"serialize: {op_name} has no form in JSON: ndarray is not JSON serializable."
        )
    if _find_transform_class(_NAMES.get(op_name, op_name)) is None and op_name != "ToType":
        raise RuntimeError(
            f"serialize: the operations must be built-in ones of vision or transforms that have a "
            f"form in JSON, got {operation!r:.80}. Leave {op_name} to the program that reads "
            "the file."
        )
    arguments = {field: getattr(operation, field) for field in operation.fields}
    if op_name in _PYTHON_ONLY or arguments.get("to_pil"):
        params = {field: _serialize_python_value(value) for field, value in arguments.items()}
        params = {"implementation": 1, "output_type": "float64", "transforms": [], **params}
        if not operation.random:
            params["random"] = False
        module = _PY_TRANSFORMS if op_name in _TRANSFORMS_PACKAGE else _PY_VISION
        return [{"python_module": module, "tensor_op_name": op_name, "tensor_op_params": params}]
    return [
        {
            "tensor_op_name": _NAMES.get(op_name, op_name),
            "tensor_op_params": _serialize_params(op_name, arguments),
        }
    ]


def _serialize_params(name: str, arguments: Json) -> Json | None:
    """Return the arguments of an operation with MindSpore's names and normal forms.

    Returns None if there are no arguments.
    """
    if name == "Decode":
        arguments = {"rgb": True}
    elif name == "Fill":
        return _serialize_scalar(arguments["fill_value"])
    elif name == "PadEnd":
        shape = [-1 if size is None else size for size in arguments["pad_shape"]]
        fill = arguments["pad_value"]
        return {"pad_shape": shape, "pad_value": _serialize_scalar(0 if fill is None else fill)}
    elif name == "Crop":  # from the left, from the top
        arguments = {**arguments, "coordinates": arguments["coordinates"][::-1]}
    elif name == "RandomSelectSubpolicy":
        return {
            "policy": [
                [
                    {"prob": float(chance), "tensor_op": serialize_operation(op)[0]}
                    for op, chance in choice
                ]
                for choice in arguments["policy"]
            ]
        }
    params = {
        _KEYS.get((name, field), field): _serialize_value(v) for field, v in arguments.items()
    }
    if name in _ONE_SIZE and isinstance(params["size"], int):
        params["size"] = [params["size"]]
    for optional in ("center", "offset"):
        if optional in params and params[optional] is None:
            params[optional] = []
    if name == "GaussianBlur":
        params = {f: _serialize_pair(v) for f, v in params.items()}
    if name in _ON_DEVICES:
        params["device_target"] = "CPU"
    return params or None


def _serialize_pair(value: Any) -> list[Any]:
    """Return a size or sigma of GaussianBlur as a list, of one number if it is for both axes.

    Two zeros stay two: they are the default sigma of each axis, one 0 that of the width for both.
    """
    if not isinstance(value, list):
        return [value]
    return value[:1] if value[0] == value[1] != 0 else value


def _serialize_value(value: Any) -> Any:
    """Return an argument as JSON: enum members as numbers, dtypes as names.

    Raises:
        RuntimeError: the argument can't be written as JSON.
    """
    if type(value) in _ENUM_NUMBERS:
        numbers = _ENUM_NUMBERS[type(value)]
        if value not in numbers:
            raise RuntimeError(f"serialize: {value} has no form in JSON, as in MindSpore.")
        return numbers[value]
    if isinstance(value, Transform):
        return serialize_operation(value)[0]
    if isinstance(value, np.dtype):
        return "string" if value.kind == "U" else value.name
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return [_serialize_value(v) for v in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise RuntimeError(f"serialize: arguments must be numbers or texts, got {value!r:.80}.")


def _serialize_python_value(value: Any) -> Any:
    """Return as JSON an argument of an operation that MindSpore computes in Python.

    There an interpolation is written as its own value, not as the number of the C++ side.
    """
    return int(value) if isinstance(value, Inter) else _serialize_value(value)


def _serialize_scalar(value: Any) -> Json:
    """Return a number or string as a tensor entry."""
    array = np.asarray(value)
    kind = "string" if array.dtype.kind == "U" else array.dtype.name
    return {"data": [array.item()], "shape": [], "type": kind}


def deserialize_operations(operations: list[Json]) -> list[Transform]:
    """Make operations from their entries.

    Raises:
        RuntimeError: an operation is a function, or unknown.
    """
    return [_deserialize_operation(operation) for operation in operations]


def _deserialize_operation(operation: Json) -> Transform:
    """Make one operation from its entry.

    Raises:
        RuntimeError: the operation is a function, or unknown.
    """
    name = operation["tensor_op_name"]
    if "python_module" in operation and "tensor_op_params" not in operation:
        raise RuntimeError(
            f"deserialize: operations must be built-in ones, got the function {name!r}, of which a "
            "file holds nothing but the name: it has no tensor_op_params."
        )
    if (sound := audio_text.find_class(name)) is not None:
        return audio_text.deserialize_transform(
            name, sound, operation.get("tensor_op_params") or {}
        )
    cls = _find_transform_class(name)
    if cls is None:
        raise RuntimeError(
            f"deserialize: operations must be built-in ones of vision or transforms, got {name!r}, "
            "an unsupported operation."
        )
    return cls(**_restore_arguments(name, cls, operation.get("tensor_op_params") or {}, operation))


def _restore_arguments(name: str, cls: type[Transform], params: Json, operation: Json) -> Json:
    """Return the constructor arguments of an operation from the params in its entry."""
    is_python = "python_module" in operation
    if name == "Fill":
        return {"fill_value": params["data"][0]}
    if name == "PadEnd":
        shape = [None if size == -1 else size for size in params["pad_shape"]]
        return {"pad_shape": shape, "pad_value": params["pad_value"]["data"][0]}
    if name == "RandomSelectSubpolicy":
        policy = [
            [(_deserialize_operation(entry["tensor_op"]), entry["prob"]) for entry in choice]
            for choice in params["policy"]
        ]
        return {"policy": policy}
    if is_python and "py_size" in params:
        params = {**params, "size": params["py_size"]}
    arguments = {}
    for field in cls.fields:
        key = _KEYS.get((name, field), field)
        if key not in params or params[key] in ([], None):
            continue
        arguments[field] = _CONVERTERS.get(field, _to_tuples)(params[key])
        if is_python and field == "interpolation":
            arguments[field] = Inter(params[key])
    if name == "Crop" and not is_python:
        arguments["coordinates"] = arguments["coordinates"][::-1]
    if name in _ONE_SIZE and isinstance(size := arguments["size"], tuple) and len(size) == 1:
        arguments["size"] = size[0]
    if name == "GaussianBlur":  # MindSpore writes one number for both
        arguments = {f: v[0] if len(v) == 1 else v for f, v in arguments.items()}
    if name == "AutoAugment":
        arguments["policy"] = _make_member_lookup(AutoAugmentPolicy)(params["policy"])
    if name == "TypeCast":
        arguments["data_type"] = _parse_data_type(arguments["data_type"])
    return arguments


def _to_tuples(value: Any) -> Any:
    """Return a value with lists converted to tuples."""
    return tuple(_to_tuples(v) for v in value) if isinstance(value, list) else value


def _make_member_lookup(enum_class: type[Enum]) -> Callable[[int], Enum]:
    """Return the function from MindSpore's number to the member of an enumeration."""
    return {number: member for member, number in _ENUM_NUMBERS[enum_class].items()}.__getitem__


def _parse_data_type(name: str) -> np.dtype:
    return np.dtype(np.str_ if name == "string" else name)


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    **{field: _make_member_lookup(kind) for field, kind in _ENUMS.items()},
    "output_type": np.dtype,
    "transforms": deserialize_operations,
    "transform": _deserialize_operation,
}


def _find_transform_class(name: str) -> type[Transform] | None:
    """Find the class of a vision or general transform by its name in MindSpore's JSON."""
    for ours, theirs in _NAMES.items():
        if name == theirs and ours != "ToType":
            name = ours
    if name in _TRANSFORMS_PACKAGE:
        return getattr(transforms, name)
    if name in _ARRAY_ARGUMENTS or name not in vision.__all__:
        return None
    candidate = getattr(vision, name)
    return candidate if isinstance(candidate, type) and issubclass(candidate, Transform) else None
