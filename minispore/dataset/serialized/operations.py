"""Operations of a map in MindSpore's JSON: a name and its arguments, in the form of its C++ side.

Most arguments have the same names and normal forms there. The numbers of enumerations, sizes of one
number and a few names differ. A user's function has a name and no arguments: it can't come back.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from minispore.dataset import transforms, vision
from minispore.dataset.serialized import sounds
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
_PYTHON = frozenset(  # what MindSpore computes in Python alone
    name
    for family in (
        "FiveCrop Grayscale HsvToRgb RandomErasing RandomGrayscale RandomOrder RandomPerspective",
        "RgbToHsv TenCrop ToNumpy ToPIL",
    )
    for name in family.split()
)
_ON_DEVICES = frozenset(  # what MindSpore may compute on an Ascend
    name
    for family in (
        "AdjustBrightness AdjustContrast AdjustHue AdjustSaturation AdjustSharpness Affine",
        "AutoContrast ConvertColor Crop Decode Equalize Erase GaussianBlur HorizontalFlip Invert",
        "Normalize Pad Perspective Posterize Resize ResizedCrop Rotate Solarize VerticalFlip",
    )
    for name in family.split()
)
_PLAIN = frozenset(  # of the package transforms
    name
    for family in (
        "Compose Duplicate Fill OneHot PadEnd RandomApply RandomChoice RandomOrder",
        "TypeCast Unique",
    )
    for name in family.split()
)
_ARRAYS = {"LinearTransformation"}  # whose arguments MindSpore can't write
_NAMES = {"HWC2CHW": "HwcToChw", "ToType": "TypeCast"}
_KEYS = {("Rotate", "degrees"): "degree"}
_ONE_SIZE = {"RandomResize", "RandomResizeWithBBox", "Resize", "ResizeWithBBox"}

_NUMBERS: dict[type[Enum], dict[Any, int]] = {
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


def written(operation: Any) -> list[Json]:
    """An operation as MindSpore writes it; those of a Compose stand side by side.

    Raises:
        RuntimeError: there is no form for it.
        TypeError: its arguments are arrays.
    """
    if not isinstance(operation, Transform):
        name = getattr(operation, "__name__", None) or type(operation).__name__
        return [{"python_module": _PY_FUNCTION, "tensor_op_name": name}]
    if isinstance(operation, transforms.Compose):
        return [op for part in operation.transforms for op in written(part)]
    ours = type(operation).__name__
    if sounds.known(ours) is type(operation):
        return [{"tensor_op_name": ours, "tensor_op_params": sounds.written(operation)}]
    if ours in _ARRAYS:
        raise TypeError(f"serialize: {ours} has no form in JSON: ndarray is not JSON serializable.")
    if _class_of(_NAMES.get(ours, ours)) is None and ours != "ToType":
        raise RuntimeError(
            f"serialize: the operations must be built-in ones of vision or transforms that have a "
            f"form in JSON, got {operation!r:.80}. Leave {ours} to the program that reads the file."
        )
    arguments = {field: getattr(operation, field) for field in operation.fields}
    if ours in _PYTHON or arguments.get("to_pil"):
        params = {field: _python_value(value) for field, value in arguments.items()}
        params = {"implementation": 1, "output_type": "float64", "transforms": [], **params}
        if not operation.random:
            params["random"] = False
        module = _PY_TRANSFORMS if ours in _PLAIN else _PY_VISION
        return [{"python_module": module, "tensor_op_name": ours, "tensor_op_params": params}]
    return [
        {"tensor_op_name": _NAMES.get(ours, ours), "tensor_op_params": _params(ours, arguments)}
    ]


def _params(ours: str, arguments: Json) -> Json | None:
    if ours == "Decode":
        arguments = {"rgb": True}
    elif ours == "Fill":
        return _scalar(arguments["fill_value"])
    elif ours == "PadEnd":
        shape = [-1 if size is None else size for size in arguments["pad_shape"]]
        fill = arguments["pad_value"]
        return {"pad_shape": shape, "pad_value": _scalar(0 if fill is None else fill)}
    elif ours == "Crop":  # from the left, from the top
        arguments = {**arguments, "coordinates": arguments["coordinates"][::-1]}
    elif ours == "RandomSelectSubpolicy":
        return {
            "policy": [
                [{"prob": float(chance), "tensor_op": written(op)[0]} for op, chance in choice]
                for choice in arguments["policy"]
            ]
        }
    params = {_KEYS.get((ours, field), field): _value(v) for field, v in arguments.items()}
    if ours in _ONE_SIZE and isinstance(params["size"], int):
        params["size"] = [params["size"]]
    for optional in ("center", "offset"):
        if optional in params and params[optional] is None:
            params[optional] = []
    if ours == "GaussianBlur":
        params = {f: v[:1] if len({*v}) == 1 else v for f, v in params.items()}
    if ours in _ON_DEVICES:
        params["device_target"] = "CPU"
    return params or None


def _value(value: Any) -> Any:
    if type(value) in _NUMBERS:
        numbers = _NUMBERS[type(value)]
        if value not in numbers:
            raise RuntimeError(f"serialize: {value} has no form in JSON, as in MindSpore.")
        return numbers[value]
    if isinstance(value, Transform):
        return written(value)[0]
    if isinstance(value, np.dtype):
        return "string" if value.kind == "U" else value.name
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return [_value(v) for v in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise RuntimeError(f"serialize: arguments must be numbers or texts, got {value!r:.80}.")


def _python_value(value: Any) -> Any:
    return int(value) if isinstance(value, Inter) else _value(value)


def _scalar(value: Any) -> Json:
    array = np.asarray(value)
    kind = "string" if array.dtype.kind == "U" else array.dtype.name
    return {"data": [array.item()], "shape": [], "type": kind}


def read(operations: list[Json]) -> list[Transform]:
    """The operations that MindSpore wrote.

    Raises:
        RuntimeError: one is a function, or none that is known.
    """
    return [_read(operation) for operation in operations]


def _read(operation: Json) -> Transform:
    name = operation["tensor_op_name"]
    if "python_module" in operation and "tensor_op_params" not in operation:
        raise RuntimeError(
            f"deserialize: operations must be built-in ones, got the function {name!r}, of which a "
            "file holds nothing but the name: it has no tensor_op_params."
        )
    if (sound := sounds.known(name)) is not None:
        return sounds.read(name, sound, operation.get("tensor_op_params") or {})
    kind = _class_of(name)
    if kind is None:
        raise RuntimeError(
            f"deserialize: operations must be built-in ones of vision or transforms, got {name!r}, "
            "an unsupported operation."
        )
    return kind(**_arguments(name, kind, operation.get("tensor_op_params") or {}, operation))


def _arguments(name: str, kind: type[Transform], params: Json, operation: Json) -> Json:
    python = "python_module" in operation
    if name == "Fill":
        return {"fill_value": params["data"][0]}
    if name == "PadEnd":
        shape = [None if size == -1 else size for size in params["pad_shape"]]
        return {"pad_shape": shape, "pad_value": params["pad_value"]["data"][0]}
    if name == "RandomSelectSubpolicy":
        policy = [
            [(_read(each["tensor_op"]), each["prob"]) for each in choice]
            for choice in params["policy"]
        ]
        return {"policy": policy}
    if python and "py_size" in params:
        params = {**params, "size": params["py_size"]}
    arguments = {}
    for field in kind.fields:
        key = _KEYS.get((name, field), field)
        if key not in params or params[key] in ([], None):
            continue
        arguments[field] = _READ.get(field, _same)(params[key])
        if python and field == "interpolation":
            arguments[field] = Inter(params[key])
    if name == "Crop" and not python:
        arguments["coordinates"] = arguments["coordinates"][::-1]
    if name in _ONE_SIZE and isinstance(size := arguments["size"], tuple) and len(size) == 1:
        arguments["size"] = size[0]
    if name == "GaussianBlur":  # MindSpore keeps one number for both
        arguments = {f: v[0] if len(v) == 1 else v for f, v in arguments.items()}
    if name == "AutoAugment":
        arguments["policy"] = _member(AutoAugmentPolicy)(params["policy"])
    if name == "TypeCast":
        arguments["data_type"] = _data_type(arguments["data_type"])
    return arguments


def _same(value: Any) -> Any:
    return tuple(_same(v) for v in value) if isinstance(value, list) else value


def _member(kind: type[Enum]) -> Callable[[int], Enum]:
    return {number: member for member, number in _NUMBERS[kind].items()}.__getitem__


def _data_type(name: str) -> np.dtype:
    return np.dtype(np.str_ if name == "string" else name)


_READ: dict[str, Callable[[Any], Any]] = {
    **{field: _member(kind) for field, kind in _ENUMS.items()},
    "output_type": np.dtype,
    "transforms": read,
    "transform": _read,
}


def _class_of(name: str) -> type[Transform] | None:
    """The class of an operation that MindSpore calls so."""
    for ours, theirs in _NAMES.items():
        if name == theirs and ours != "ToType":
            name = ours
    if name in _PLAIN:
        return getattr(transforms, name)
    if name in _ARRAYS or name not in vision.__all__:
        return None
    found = getattr(vision, name)
    return found if isinstance(found, type) and issubclass(found, Transform) else None
