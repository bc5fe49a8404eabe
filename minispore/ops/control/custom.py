"""Custom: a Python function as an op with its own gradient, and the builders of op descriptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from minispore.core.primitive import Cotangents, Effect, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec

F = TypeVar("F", bound=Callable[..., Any])


class Custom(Primitive):
    """A function of NumPy arrays as an op, whose gradient is the function ``bprop``.

    Args:
        func: takes a NumPy array for each input tensor, and Python scalars unchanged; returns an
            array or a tuple of arrays.
        out_shape: the output's shape, or a tuple of them for several outputs; or a function of the
            inputs' shapes that returns this.
        out_dtype: the output's dtype, or a tuple of them for several outputs; or a function of the
            inputs' dtypes that returns this. ``()``: ``func`` is called for its effects, and the
            output is an int32 0 of shape (1,).
        func_type: ``"pyfunc"``.
        bprop: takes the inputs, the output and its gradient as tensors, and returns a gradient for
            each input, computed by ops; without it the op has no gradient.
        reg_info: the description that CustomRegOp builds; stored without effect.

    Raises:
        ValueError: ``func_type`` is not ``"pyfunc"``; other types are compiled for a device.
        TypeError: ``func`` is not a function; ``out_shape`` or ``out_dtype`` is missing.
        RuntimeError: when the op runs: ``func`` returned a wrong number of elements, or elements of
            a wrong size; when differentiated: there is no ``bprop``.

    >>> from minispore.core.autograd import grad
    >>> square = Custom(
    ...     np.square, lambda x: x, lambda x: x, bprop=lambda x, out, dout: (2 * x * dout,)
    ... )
    >>> print(square(Tensor([1.0, 3.0])), grad(square)(Tensor([1.0, 3.0])))
    [1. 9.] [2. 6.]
    """

    func: Any
    out_shape: Any = None
    out_dtype: Any = None
    func_type: str = "pyfunc"
    bprop: Any = None
    reg_info: Any = None
    effect = Effect.EXTERNAL  # the function may have effects
    vjp_rule = VjpRule(user_defined=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Store a dict ``reg_info`` as its repr, since attributes must be hashable."""
        if isinstance(kwargs.get("reg_info"), dict):
            kwargs["reg_info"] = repr(kwargs["reg_info"])  # attributes must be hashable
        super().__init__(*args, **kwargs)

    def check(self) -> None:
        """Check that ``func_type`` is "pyfunc", and that ``func`` and ``bprop`` (or None) are
        functions.
        """
        if self.func_type != "pyfunc":
            hint = "Write the function in NumPy, with bprop for its gradient."
            rule = "be 'pyfunc', for others are compiled for a device"
            message = checks.format_error(self.name, "func_type", rule, repr(self.func_type), hint)
            raise ValueError(message)
        checks.function(self.name, "func", self.func)
        if self.bprop is not None:
            checks.function(self.name, "bprop", self.bprop)

    def infer(self, *xs: Any) -> Any:
        """Return the specs of the declared outputs; one int32 for the dtype ``()``, which declares
        no result.
        """
        shapes = self._resolve_declaration(
            "out_shape", [list(x.shape) if isinstance(x, Spec) else [] for x in xs]
        )
        dtypes = self._resolve_declaration("out_dtype", [_infer_dtype(x) for x in xs])
        if not isinstance(dtypes, tuple | list):
            return Spec(_convert_shape(shapes), mstype.to_numpy(dtypes))
        if not dtypes:  # called for its effects alone
            return Spec((1,), np.dtype(np.int32))
        return tuple(
            Spec(_convert_shape(shape), mstype.to_numpy(dtype))
            for shape, dtype in zip(shapes, dtypes, strict=True)
        )

    def _resolve_declaration(self, field: str, inputs: list[Any]) -> Any:
        """Return the attribute ``out_shape`` or ``out_dtype``; if it is a function, its result for
        the shapes or dtypes ``inputs``.

        Raises:
            TypeError: it is None.
        """
        declared = getattr(self, field)
        declared = declared(*inputs) if callable(declared) else declared
        if declared is None:
            hint = f"Say what comes out: {self.name}(func, out_shape, out_dtype)."
            raise TypeError(checks.format_error(self.name, field, "be given", "None", hint))
        return declared

    def _declares_no_result(self, xs: tuple[Any, ...], outs: tuple[np.ndarray, ...]) -> bool:
        """Whether ``out_dtype``, or what it returns for the dtypes of the inputs ``xs``, is
        ``()``.
        """
        if not callable(self.out_dtype):
            return self.out_dtype == ()
        if len(outs) != 1 or outs[0].shape != (1,) or outs[0].dtype != np.int32:
            return False  # not the output that infer() gives to ()
        dtypes = self._resolve_declaration("out_dtype", [_infer_dtype(x) for x in xs])
        return isinstance(dtypes, tuple | list) and not dtypes

    def kernel(self, *xs: np.ndarray, out: Any) -> None:
        """Call ``func`` with copies of the inputs, and copy its results to the outputs.

        With an ``out_dtype`` of ``()``, also one that a function returns, the results are ignored
        and the output is 0. Raises RuntimeError if a result is missing or does not fit its output,
        see :func:`_fits_output`.
        """
        # The function may store its inputs or write into them.
        returned = self.func(*[x.copy() if isinstance(x, np.ndarray) else x for x in xs])
        outs = out if isinstance(out, tuple) else (out,)
        if self._declares_no_result(xs, outs):
            outs[0][...] = 0
            return
        results = returned if isinstance(returned, tuple) else (returned,)
        if len(results) != len(outs) or not all(map(_fits_output, results, outs)):
            raise RuntimeError(
                f"{self.name}: func must return arrays of shapes {[o.shape for o in outs]} and "
                f"dtypes {[str(o.dtype) for o in outs]}, got "
                f"{[np.shape(result) for result in results]} and "
                f"{[str(getattr(result, 'dtype', type(result).__name__)) for result in results]}."
            )
        for result, o in zip(results, outs, strict=True):
            np.copyto(o, np.reshape(result, o.shape), casting="same_kind")

    def vjp(self, *xs: Tensor, out: Any, dout: Any) -> Cotangents:
        """Return the gradients that ``bprop`` computes, without those beyond the inputs.

        Without ``bprop``, returns functions that raise RuntimeError. Raises RuntimeError if
        ``bprop`` returns fewer gradients than there are inputs.
        """
        if self.bprop is None:
            return (self._raise_no_gradient,) * len(xs)
        grads = self.bprop(*xs, out, dout)
        grads = tuple(grads) if isinstance(grads, tuple | list) else (grads,)
        if len(grads) < len(xs):
            raise RuntimeError(
                f"{self.name}: bprop must return {len(xs)} gradients, got {len(grads)}."
            )
        return grads[: len(xs)]

    def _raise_no_gradient(self) -> Any:
        """Raise a RuntimeError: a gradient needs ``bprop``."""
        raise RuntimeError(
            f"{self.name}: bprop must be given for a gradient, got None. "
            f"{self.name}(..., bprop=f), where f takes the inputs, the output and its gradient."
        )


def _infer_dtype(x: Any) -> mstype.DType:
    """Return the MindSpore dtype of a Spec, an array or a Python scalar; raise TypeError for
    others.
    """
    if isinstance(x, Spec | np.ndarray):
        return mstype.from_numpy(x.dtype)
    for scalar_type, dtype in ((bool, mstype.bool_), (int, mstype.int64), (float, mstype.float32)):
        if isinstance(x, scalar_type):
            return dtype
    raise TypeError(f"Custom: an input must be a tensor or a number, got {x!r}.")


def _fits_output(result: Any, out: np.ndarray) -> bool:
    """Whether ``result`` can be copied to ``out``: it has as many elements and is not a list, and
    an array also has the same item size; the shapes may differ.
    """
    if isinstance(result, list) or np.size(result) != out.size:
        return False
    return not isinstance(result, np.ndarray) or result.itemsize == out.itemsize


def _convert_shape(lengths: Any) -> tuple[int, ...]:
    """Return a shape, given by ints or 0-d arrays, as a tuple of ints."""
    return tuple(int(n) for n in lengths)


class CustomOpBuilder:
    """Not supported: the constructor raises NotImplementedError, because there is no C++ interface.

    Raises:
        NotImplementedError: always; the message names the alternative.

    >>> try:
    ...     CustomOpBuilder("add", ["add.cc"])
    ... except NotImplementedError as exc:
    ...     print("ops.Custom" in str(exc))
    True
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "CustomOpBuilder: is not here, for there is no C++ interface to compile against. Use "
            "ops.Custom, which takes the op as a function of NumPy arrays."
        )


class CustomRegOp:
    """A builder of the description of a custom op's inputs, outputs and attributes.

    Args:
        op_name: the op's name.

    >>> told = CustomRegOp("add").input(0, "x").output(0, "y").target("CPU").get_op_info()
    >>> told["op_name"], told["inputs"], told["target"]
    ('add', [{'index': 0, 'name': 'x', 'paramType': 'required'}], 'CPU')
    """

    def __init__(self, op_name: str = "Custom") -> None:
        """Start an empty description of the op ``op_name``."""
        self._op_info: dict[str, Any] = {
            "op_name": checks.string(self, "op_name", op_name),
            "inputs": [],
            "outputs": [],
            "attr": [],
            "dtype_format": [],
            "target": "UnknownTarget",
        }

    def _add_operand(
        self, section: str, index: int | None, name: str | None, param_type: str, extra: Any
    ) -> Any:
        """Add an operand to ``section``, "inputs" or "outputs"; return this object.

        By default, ``index`` is the next one, and ``name`` is made of section and index.
        """
        operands = self._op_info[section]
        index = len(operands) if index is None else index
        name = name or f"{section[:-1]}_{index}"
        operands.append({"index": index, "name": name, "paramType": param_type, **extra})
        return self

    def input(
        self,
        index: int | None = None,
        name: str | None = None,
        param_type: str = "required",
        **kwargs: Any,
    ) -> Any:
        """Add an input; returns this object."""
        return self._add_operand("inputs", index, name, param_type, kwargs)

    def output(
        self,
        index: int | None = None,
        name: str | None = None,
        param_type: str = "required",
        **kwargs: Any,
    ) -> Any:
        """Add an output; returns this object."""
        return self._add_operand("outputs", index, name, param_type, kwargs)

    def dtype_format(self, *args: Any) -> Any:
        """Add a combination of types of all inputs and outputs; returns this object."""
        self._op_info["dtype_format"].append(args)
        return self

    def attr(
        self,
        name: str | None = None,
        param_type: str | None = None,
        value_type: str | None = None,
        default_value: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Add an attribute; returns this object."""
        attr = {"name": name, "paramType": param_type, "type": value_type, **kwargs}
        self._op_info["attr"].append({**attr, "defaultValue": default_value})
        return self

    def target(self, target: str | None = None) -> Any:
        """Set the device; returns this object."""
        self._op_info["target"] = target
        return self

    def get_op_info(self) -> dict[str, Any]:
        """Return a shallow copy of the description: its lists are those of this object."""
        return dict(self._op_info)


_TYPES = {
    "None": "", "BOOL": "bool", "I8": "int8", "U8": "uint8", "I16": "int16", "U16": "uint16",
    "I32": "int32", "U32": "uint32", "I64": "int64", "U64": "uint64", "F16": "float16",
    "F32": "float32", "F64": "float64", "BF16": "bfloat16", "C64": "complex64",
    "C128": "complex128",
}  # fmt: skip
_FORMATS = {
    "None": "", "Default": "DefaultFormat", "5HD": "NC1HWC0", "FracZ": "FRACTAL_Z",
    "FracNZ": "FRACTAL_NZ", "C1HWNCoC0": "C1HWNCoC0", "NCHW": "NCHW", "NHWC": "NHWC",
    "HWCN": "HWCN", "NDHWC": "NDHWC", "ChannelLast": "ChannelLast",
}  # fmt: skip


class _DataTypeMeta(type):
    """Metaclass of DataType: an attribute such as ``F32_Default`` is a pair of dtype and format."""

    def __getattr__(cls, name: str) -> tuple[str, str]:
        """Return the pair of an attribute such as ``F32_Default``; raise AttributeError for unknown
        types or formats.
        """
        type_name, _, format_name = name.partition("_")
        if type_name not in _TYPES or format_name not in _FORMATS:
            raise AttributeError(
                f"DataType: has no {name!r}. Write one such as DataType.F32_Default."
            )
        return _TYPES[type_name], _FORMATS[format_name]


class DataType(metaclass=_DataTypeMeta):
    """The dtype and memory order of an input or output, as ``DataType.F32_Default``.

    >>> DataType.F32_Default, DataType.I32_None
    (('float32', 'DefaultFormat'), ('int32', ''))
    """


def custom_info_register(*reg_info: Any) -> Callable[[F], F]:
    """Return a decorator that returns its function unchanged; nothing is registered.

    Args:
        reg_info: descriptions from CustomRegOp.

    >>> @custom_info_register(CustomRegOp().get_op_info())
    ... def twice(x):
    ...     return 2 * x
    >>> twice(3)
    6
    """

    def return_unchanged(function: F) -> F:
        """Return ``function`` itself: the decorator registers nothing."""
        return function

    return return_unchanged


__all__ = ["Custom", "CustomOpBuilder", "CustomRegOp", "DataType", "custom_info_register"]
