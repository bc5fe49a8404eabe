"""Conversion of a call's arguments: to arrays, static values and tensors of a common dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core import interpreter
from minispore.core.tensor_base import TensorBase
from minispore.errors import SliceError
from minispore.execution.half import is_half
from minispore.ir import dtype as mstype
from minispore.ir.operator import Operator
from minispore.ir.registry import primitive
from minispore.ir.value import Spec, Value


def check_operands(name: str, x: Any, y: Any) -> None:
    """Raise a TypeError if a tensor's arithmetic or ordering operator ``name`` refuses an operand.

    As in MindSpore, it refuses text, a NumPy array on the right, a complex number beside a real
    tensor, and a list or tuple with tensors of a dtype other than that of the other operand.
    """
    for operand, other in ((x, y), (y, x)):
        for element in operand if isinstance(operand, list | tuple) else ():
            if isinstance(element, TensorBase) and element.dtype is not other.dtype:
                raise TypeError(
                    f"{name}: tensors in a {type(operand).__name__} must have the dtype "
                    f"{other.dtype} of the other operand, got {element.dtype}. Cast them."
                )
    if isinstance(y, np.ndarray):
        description = f"a numpy.ndarray of shape {y.shape}"
    elif isinstance(y, complex) and x.dtype.kind != "c":
        description = repr(y)
    elif isinstance(x, complex) and y.dtype.kind != "c":
        description = repr(x)
    elif isinstance(x, str | bytes) or isinstance(y, str | bytes):  # as in "ab" * 2
        description = repr(x if isinstance(y, TensorBase) else y)
    else:
        return
    raise TypeError(
        f"{name}: an operand must be a Tensor, bool, int or float, got {description}. Wrap it: "
        "Tensor(...)."
    )


# MindSpore's dtype of a tensor of Python scalars, by NumPy's, where they differ.
_LIST_DTYPES = {np.dtype(np.float64): np.float32, np.dtype(np.int32): np.int64}


def to_array(data: Any, dtype: Any = None) -> np.ndarray:
    """Return a new C-ordered array of ``data``, of ``dtype`` if that is given.

    Otherwise Python scalars get MindSpore's default dtypes. NumPy text and bytes stay text.

    Raises:
        TypeError: ``data`` is not a number, array or Tensor, or a list with rows of unequal length,
            or the dtype is one that tensors do not support.
    """
    if isinstance(data, TensorBase):
        data = data.asnumpy()
    is_numpy = isinstance(data, np.ndarray | np.generic)
    if isinstance(data, list | tuple) and any(isinstance(x, TensorBase) for x in data):
        data = [x.asnumpy() if isinstance(x, TensorBase) else x for x in data]
    try:
        array = np.array(data, order="C")
    except ValueError as exc:
        raise TypeError(
            f"Tensor: input_data must be a regular nested list, got rows of unequal length ({exc})."
        ) from None
    if array.dtype.kind in "US" and isinstance(data, np.ndarray | bytes):
        return array  # NumPy text stays text, whatever dtype is given
    if array.dtype.kind not in "biufc" and array.dtype.name != "bfloat16":
        raise TypeError(
            "Tensor: input_data must be numbers, a NumPy array of numbers or a Tensor, got "
            f"{type(data).__name__} ({array.dtype})."
        )
    if dtype is mstype.string:
        return array
    if dtype is not None:
        return array.astype(mstype.to_numpy(dtype), copy=False)
    if not is_numpy and array.dtype in _LIST_DTYPES:
        return array.astype(_LIST_DTYPES[array.dtype])
    mstype.from_numpy(array.dtype)
    return array


def check_text_conversion(data: np.ndarray, dtype: Any) -> np.ndarray:
    """Return the content of a tensor after checking that it may be converted to ``dtype``.

    Raises:
        TypeError: the conversion would turn text into numbers, or numbers into text.
    """
    if dtype is not None and (data.dtype.kind in "US") != (dtype is mstype.string):
        raise TypeError(
            f"Tensor: input_data must not be text that becomes numbers, nor numbers that become "
            f"text, got {mstype.from_numpy(data.dtype)} for {dtype}."
        )
    return data


def cast(value: Value, dtype: Any) -> Value:
    """Return ``value`` converted to ``dtype`` by the op Cast."""
    return interpreter.bind(primitive("Cast"), (value, dtype))  # type: ignore[return-value]


def make_value(array: np.ndarray) -> Value:
    """Return a Value whose data is ``array`` itself."""
    return Value(Spec(array.shape, array.dtype), array)


def to_slice_bound(bound: Any) -> int | None:
    """Return the start, stop or step of a slice in an index as an int or None.

    Raises:
        SliceError: it is not an int.
    """
    if bound is None:
        return None
    is_integer = isinstance(bound, int | np.integer | np.bool_) or (
        isinstance(bound, TensorBase) and bound.value_.spec.dtype.kind in "iub"
    )
    if not is_integer:
        raise SliceError(
            "Tensor: a slice in an index must have ints, integer tensors or None as its bounds and "
            f"step, got {bound!r} ({type(bound).__name__})."
        )
    return int(bound)


_PLAIN_TYPES = frozenset({bool, int, float, str, type(None)})


def is_default(value: Any, default: Any) -> bool:
    """Whether ``value`` is ``default``, or a tuple with ``default`` for each axis."""
    if isinstance(value, tuple) and value and not isinstance(default, tuple):
        return all(v == default for v in value)
    return bool(value == default)


def to_static(prim: Operator, arg: Any) -> Any:
    """Return a static argument of ``prim`` as a hashable plain value, for a node's key.

    NumPy scalars become Python scalars, lists become tuples, and a Tensor inside a list becomes a
    Python scalar.

    Raises:
        TypeError: the argument is a NumPy array.
    """
    if arg.__class__ in _PLAIN_TYPES:
        return arg
    if isinstance(arg, np.generic):
        return arg.item()
    if isinstance(arg, list | tuple):
        return tuple([to_static(prim, a.item() if isinstance(a, TensorBase) else a) for a in arg])
    if isinstance(arg, np.ndarray):
        raise TypeError(
            f"{prim.name}: an input must be a Tensor or a Python value, got a numpy.ndarray of "
            f"shape {arg.shape}. Wrap it: Tensor(array)."
        )
    return arg


_SCALAR_TYPES: dict[str, Any] = {"b": bool, "i": int, "u": int, "c": complex}


def _wrap_integer(number: int, dtype: np.dtype) -> int:
    """Return ``number`` wrapped around to the range of ``dtype``: -1 is 255 for uint8."""
    if -128 <= number <= 127 and (number >= 0 or dtype.kind == "i"):
        return number
    bits = 8 * dtype.itemsize
    number &= (1 << bits) - 1
    return number - (1 << bits) if dtype.kind == "i" and number >> (bits - 1) else number


def _round_to_half(number: float, dtype: np.dtype) -> float:
    """Return ``number`` rounded to float16 or bfloat16; values outside its range become
    infinite.
    """
    with np.errstate(over="ignore"):
        return float(dtype.type(number))


def bind_promoted(prim: Operator, values: tuple[Any, ...]) -> Value | tuple[Value, ...]:
    """Cast ``values`` to their common dtype, as ``prim.promotion`` specifies, bind ``prim`` to
    them, and return its outputs.

    Python scalars become elements of that dtype. Where the promotion retains an input's dtype, a
    single result is cast back.

    Raises:
        TypeError: a promoted input is neither a Value nor a Python scalar.
    """
    promotion = prim.promotion
    assert promotion is not None
    positions = range(len(values)) if promotion.positions is None else promotion.positions
    # First the common dtype of the tensors alone: a Python scalar changes it only if it has a
    # higher category, such as a float beside integers.
    common: np.dtype | None = None
    has_common_dtype = True
    for i in positions:
        value = values[i]
        if value.__class__ is not Value:
            has_common_dtype = False
        elif common is None:
            common = value.spec.dtype
        elif value.spec.dtype is not common:
            has_common_dtype, common = False, mstype.promote(common, value.spec.dtype)
    if has_common_dtype and common is not None:
        return interpreter.bind(prim, values)
    if common is None:  # Python scalars only
        converted = tuple(
            [make_value(to_array(v)) if isinstance(v, bool | int | float) else v for v in values]
        )
        if converted == values:
            return interpreter.bind(prim, converted)
        return bind_promoted(prim, converted)
    for i in positions:
        if isinstance(values[i], bool | int | float | complex):
            common = mstype.promote_scalar(common, values[i])
    retained_kinds = promotion.retained_kinds
    retained_dtype = _find_retained_dtype(values, retained_kinds) if retained_kinds else None
    if retained_dtype is not None and retained_dtype.kind not in "iu":
        common = retained_dtype if retained_dtype.itemsize > 2 else np.dtype(np.float32)
    promoted = list(values)
    for i in positions:
        value = values[i]
        if value.__class__ is Value:
            if value.spec.dtype is not common and value.spec.dtype != common:
                promoted[i] = cast(value, mstype.from_numpy(common))
        elif isinstance(value, bool | int | float | complex):
            number = _SCALAR_TYPES.get(common.kind, float)(value)
            if is_half(common) and not (
                promotion.keeps_scalar_precision or interpreter.state().deriving
            ):
                number = _round_to_half(number, common)
            wraps_around = promotion.casts_int_scalars and common.kind in "iu"
            promoted[i] = _wrap_integer(number, common) if wraps_around else number
        elif not isinstance(value, Value):
            raise TypeError(
                f"{prim.name}: input {i} must be a Tensor or a number, got {value!r} "
                f"({type(value).__name__})."
            )
    result = interpreter.bind(prim, tuple(promoted))
    if retained_dtype is None or retained_dtype == common or not isinstance(result, Value):
        return result
    return cast(result, mstype.from_numpy(retained_dtype))


def _find_retained_dtype(values: tuple[Any, ...], kinds: str) -> np.dtype | None:
    """Return the dtype that the result of an array and a 0-d tensor keeps from the array, or None.

    Both must be integers, or both floats, and ``kinds`` must contain the array's dtype kind.
    """
    if not all(isinstance(v, Value) for v in values):
        return None
    scalar_spec, array_spec = sorted((v.spec for v in values), key=lambda spec: spec.ndim)
    if scalar_spec.ndim or not array_spec.ndim or array_spec.dtype.kind not in kinds:
        return None
    is_same_category = mstype.category(scalar_spec.dtype) == mstype.category(array_spec.dtype)
    return array_spec.dtype if is_same_category else None


def check_device(api_name: str, device: Any) -> str | None:
    """Return ``device`` after checking that it names a device or is None; it has no effect.

    Raises:
        ValueError: ``device`` is neither.
    """
    targets = ("CPU", "GPU", "Ascend")
    if device is not None and str(device).partition(":")[0] not in targets:
        raise ValueError(f"{api_name}: device must be one of {', '.join(targets)}, got {device!r}.")
    return device
