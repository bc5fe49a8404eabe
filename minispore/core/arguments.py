"""What the arguments of a call become: arrays, static values, tensors of one data type, and in
which order those stand that are given by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core import interpreter
from minispore.core.box import Box
from minispore.core.half import is_half
from minispore.core.registry import primitive
from minispore.core.value import Spec, Value
from minispore.errors import SliceError

if TYPE_CHECKING:
    from minispore.core.primitive import Primitive


def check_operands(name: str, x: Any, y: Any) -> None:
    """Raise a TypeError if an operator takes one of them beside no tensor."""
    for given, beside in ((x, y), (y, x)):
        for part in given if isinstance(given, list | tuple) else ():
            if isinstance(part, Box) and part.dtype is not beside.dtype:
                raise TypeError(
                    f"{name}: tensors in a {type(given).__name__} must have the dtype "
                    f"{beside.dtype} of the other operand, got {part.dtype}. Cast them."
                )
    if isinstance(y, np.ndarray):
        what = f"a numpy.ndarray of shape {y.shape}"
    elif isinstance(y, complex) and x.dtype.kind != "c":
        what = repr(y)
    elif isinstance(x, complex) and y.dtype.kind != "c":
        what = repr(x)
    elif isinstance(x, str | bytes) or isinstance(y, str | bytes):  # which would repeat itself
        what = repr(x if isinstance(y, Box) else y)
    else:
        return
    raise TypeError(
        f"{name}: an operand must be a Tensor, bool, int or float, got {what}. Wrap it: "
        "Tensor(...)."
    )


# What lists of numbers are, and of tensors and arrays, too.
_OF_LISTS = {np.dtype(np.float64): np.float32, np.dtype(np.int32): np.int64}


def to_array(data: Any, dtype: Any = None) -> np.ndarray:
    """A new C-ordered array of ``data``, with MindSpore's default dtypes for Python numbers."""
    if isinstance(data, Box):
        data = data.asnumpy()
    given = isinstance(data, np.ndarray | np.generic)
    if isinstance(data, list | tuple) and any(isinstance(x, Box) for x in data):
        data = [x.asnumpy() if isinstance(x, Box) else x for x in data]
    try:
        array = np.array(data, order="C")
    except ValueError as exc:
        raise TypeError(
            f"Tensor: input_data must be a regular nested list, got rows of unequal length ({exc})."
        ) from None
    if array.dtype.kind in "US" and isinstance(data, np.ndarray | bytes):
        return array  # text of NumPy stays text, whatever dtype says
    if array.dtype.kind not in "biufc" and array.dtype.name != "bfloat16":
        raise TypeError(
            "Tensor: input_data must be numbers, a NumPy array of numbers or a Tensor, got "
            f"{type(data).__name__} ({array.dtype})."
        )
    if dtype is mstype.string:
        return array
    if dtype is not None:
        return array.astype(mstype.to_numpy(dtype), copy=False)
    if not given and array.dtype in _OF_LISTS:
        return array.astype(_OF_LISTS[array.dtype])
    mstype.from_numpy(array.dtype)
    return array


def held(data: np.ndarray, dtype: Any) -> np.ndarray:
    """The content of a tensor that becomes one of ``dtype``.

    Raises:
        TypeError: it is text that shall be numbers, or numbers that shall be text.
    """
    if dtype is not None and (data.dtype.kind in "US") != (dtype is mstype.string):
        raise TypeError(
            f"Tensor: input_data must not be text that becomes numbers, nor numbers that become "
            f"text, got {mstype.from_numpy(data.dtype)} for {dtype}."
        )
    return data


def cast(value: Value, dtype: Any) -> Value:
    """The value as another data type."""
    return interpreter.bind(primitive("Cast"), (value, dtype))  # type: ignore[return-value]


def of_array(array: np.ndarray) -> Value:
    """The value that an array holds."""
    return Value(Spec(array.shape, array.dtype), array)


def slice_bound(bound: Any) -> int | None:
    """The start, stop or step of a slice in an index.

    Raises:
        SliceError: it is no int.
    """
    if bound is None:
        return None
    whole = isinstance(bound, int | np.integer | np.bool_) or (
        isinstance(bound, Box) and bound.value_.spec.dtype.kind in "iub"
    )
    if not whole:
        raise SliceError(
            "Tensor: a slice in an index must have ints, integer tensors or None as its bounds and "
            f"step, got {bound!r} ({type(bound).__name__})."
        )
    return int(bound)


_PLAIN = frozenset({bool, int, float, str, type(None)})


def is_default(value: Any, default: Any) -> bool:
    """Whether ``value`` is ``default``, or that repeated for each axis."""
    if isinstance(value, tuple) and value and not isinstance(default, tuple):
        return all(v == default for v in value)
    return bool(value == default)


def static(prim: Primitive, arg: Any) -> Any:
    """An argument that is no tensor, as part of a node's key."""
    if arg.__class__ in _PLAIN:
        return arg
    if isinstance(arg, np.generic):
        return arg.item()
    if isinstance(arg, list | tuple):
        return tuple([static(prim, a.item() if isinstance(a, Box) else a) for a in arg])
    if isinstance(arg, np.ndarray):
        raise TypeError(
            f"{prim.name}: an input must be a Tensor or a Python value, got a numpy.ndarray of "
            f"shape {arg.shape}. "
            "Wrap it: Tensor(array)."
        )
    return arg


_PYTHON_NUMBER: dict[str, Any] = {"b": bool, "i": int, "u": int, "c": complex}


def _wrapped(number: int, dtype: np.dtype) -> int:
    """``number`` as an element of ``dtype`` would hold it: a uint8 takes -1 for 255."""
    if -128 <= number <= 127 and (number >= 0 or dtype.kind == "i"):
        return number
    bits = 8 * dtype.itemsize
    number &= (1 << bits) - 1
    return number - (1 << bits) if dtype.kind == "i" and number >> (bits - 1) else number


def _half(number: float, dtype: np.dtype) -> float:
    """``number`` as an element of the half floats ``dtype`` holds it: infinite beyond their end."""
    with np.errstate(over="ignore"):
        return float(dtype.type(number))


def bind_alike(prim: Primitive, values: tuple[Any, ...]) -> Value | tuple[Value, ...]:
    """Bind ``prim`` to the values, of which those at ``prim.promotes`` (-1: all of them) are first
    cast to their common dtype.
    """
    where = range(len(values)) if prim.promotes == (-1,) else prim.promotes
    common: np.dtype | None = None
    alike = True
    for i in where:
        v = values[i]
        if v.__class__ is not Value:
            alike = False
        elif common is None:
            common = v.spec.dtype
        elif v.spec.dtype is not common:
            alike, common = False, mstype.promote(common, v.spec.dtype)
    if alike and common is not None:
        return interpreter.bind(prim, values)
    if common is None:  # Python numbers only
        made = tuple(
            [of_array(to_array(v)) if isinstance(v, bool | int | float) else v for v in values]
        )
        return (bind_alike if made != values else interpreter.bind)(prim, made)
    for i in where:
        if isinstance(values[i], bool | int | float | complex):
            common = mstype.promote_scalar(common, values[i])
    kept = _of_axes(values, prim.keeps_dtype) if prim.keeps_dtype else None
    if kept is not None and kept.kind not in "iu":
        common = kept if kept.itemsize > 2 else np.dtype(np.float32)
    out = list(values)
    for i in where:
        v = values[i]
        if v.__class__ is Value:
            if v.spec.dtype is not common and v.spec.dtype != common:
                out[i] = cast(v, mstype.from_numpy(common))
        elif isinstance(v, bool | int | float | complex):
            number = _PYTHON_NUMBER.get(common.kind, float)(v)
            if is_half(common) and not (prim.exact or interpreter.state().deriving):
                number = _half(number, common)
            wraps = prim.wraps and common.kind in "iu"
            out[i] = _wrapped(number, common) if wraps else number
        elif not isinstance(v, Value):
            raise TypeError(
                f"{prim.name}: input {i} must be a Tensor or a number, got {v!r} "
                f"({type(v).__name__})."
            )
    result = interpreter.bind(prim, tuple(out))
    if kept is None or kept == common or not isinstance(result, Value):
        return result
    return cast(result, mstype.from_numpy(kept))


def _of_axes(values: tuple[Any, ...], kinds: str) -> np.dtype | None:
    """Of two tensors, one of them without axes, the dtype of the other, if both are of integers or
    both of floats, and ``kinds`` has those.
    """
    if not all(isinstance(v, Value) for v in values):
        return None
    few, many = sorted((v.spec for v in values), key=lambda spec: spec.ndim)
    if few.ndim or not many.ndim or many.dtype.kind not in kinds:
        return None
    alike = mstype.category(few.dtype) == mstype.category(many.dtype)
    return many.dtype if alike else None


def a_device(who: str, device: Any) -> str | None:
    """Raise unless it is the name of a device, or None; all tensors lie in one memory."""
    known = ("CPU", "GPU", "Ascend")
    if device is not None and str(device).partition(":")[0] not in known:
        raise ValueError(f"{who}: device must be one of {', '.join(known)}, got {device!r}.")
    return device


# What MindSpore calls the inputs of its ops, where they may be given by name. An op with a
# ``__call__`` of its own says it there.
_INPUTS = {
    "input": """
        ACos Abs Acosh Angle ArgMaxWithValue ArgMinWithValue Asin Asinh Atan Atanh
        BroadcastTo Ceil Conj Cos Cosh Cummax Cummin Diag Erf Erfc Erfinv Exp Expm1 Floor
        GeLU Geqrf HShrink HSigmoid HSwish IsFinite IsInf Log Log1p LogMatrixDeterminant
        LogicalNot Logit MatrixDeterminant MatrixExp NanToNum Neg NonZero ReLU Real
        Reciprocal ReverseV2 Roll Rsqrt Sigmoid Sign Sin Sinc Sinh SoftShrink Softmax Square
        Squeeze Svd Tanh Trace Triu Trunc UniqueConsecutive
    """,
    "input_x": "Argmax Cholesky Elu Flatten Identity Split",
    "inputs": "Meshgrid",
    "tensors": "Concat",
    "logits": "LogSoftmax",
    "x": "Argmin AvgPool CeLU Dropout Eig FastGeLU OnesLike Qr ReLU6 Sqrt ZerosLike",
    "file input_x": "TensorDump",
    "input decimals": "Round",
    "input exponent": "Pow",
    "input mask": "MaskedSelect",
    "input mat2": "MatMul",
    "input other": """
        Add Atan2 Div Equal FloorDiv Gcd Greater GreaterEqual IsClose Less LessEqual
        LogicalXor Maximum Minimum Mul NextAfter NotEqual Xlogy
    """,
    "input target": "SoftMarginLoss",
    "input weight": "PReLU",
    "input_x bias": "BiasAdd",
    "input_x indices": "GatherNd",
    "input_x input_y": "RightShift",
    "prediction target": "SmoothL1Loss",
    "real imag": "Complex",
    "x y": "BatchMatMul FloorMod LogicalAnd LogicalOr RealDiv",
    "x1 x2": "LeftShift",
    "a b x": "Betainc",
    "condition input other": "Select",
    "data indices updates": "TensorScatterElements",
    "input end weight": "Lerp LerpScalar",
    "input mask source": "MaskedScatter",
    "input_x gamma beta": "LayerNorm",
    "input_x indices updates": "TensorScatterAdd",
    "input_x mask value": "MaskedFill",
    "logits labels weight": "NLLLoss",
    "n m dtype": "Eye",
    "input tensor1 tensor2 value": "Addcdiv Addcmul",
    "var m v lr beta1 beta2 epsilon decay gradient": "AdamWeightDecay",
}


def inputs_of(op: str) -> tuple[str, ...]:
    """The names of the inputs of ``op``; none if they are taken by position alone."""
    return next((tuple(n.split()) for n, ops in _INPUTS.items() if op in ops.split()), ())


def in_order(op: str, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The inputs of ``op`` by position, of which some were given by name.

    Raises:
        TypeError: there is none of a name, it was given twice, or one before it is missing.
    """
    names = inputs_of(op)
    if not names:
        raise TypeError(
            f"{op}: inputs must be given by position, got {next(iter(named))!r} by name. Leave out "
            "the names."
        )
    given = dict(zip(names, args, strict=False))
    for name, value in named.items():
        if name not in names:
            raise TypeError(f"{op}: has no input {name!r}. It has {', '.join(names)}.")
        if name in given or len(args) > len(names):
            raise TypeError(f"{op}: {name} must be given once, got it by position, too.")
        given[name] = value
    for name in names[: len(given)]:
        if name not in given:
            raise TypeError(f"{op}: missing input {name!r}.")
    return tuple([given[name] for name in names if name in given])
