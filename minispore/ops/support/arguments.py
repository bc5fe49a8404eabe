"""Checks of axes, shapes, tensors and other arguments of ops, with one wording for their errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor, call
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec

# Kinds of NumPy dtypes; V is bfloat16.
FLOAT_KINDS = "fV"
ORDERED_KINDS = "iufV"  # ordered numbers, without bools
# Accepts every int as an axis, in ops that are created before they know the number of axes.
ANY_NDIM = 1 << 30


def check_axis(api_name: str, axis: Any, ndim: int, name: str = "axis") -> int:
    """Return ``axis`` counted from the front: an int in [0, ``ndim``).

    Raises:
        TypeError: it is not an int; a bool is not one.
        ValueError: it is not in [-ndim, ndim).
    """
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise TypeError(f"{api_name}: {name} must be an int, got {axis!r} ({type(axis).__name__}).")
    if not -ndim <= axis < ndim:
        raise ValueError(f"{api_name}: {name} must be in [{-ndim}, {ndim}), got {axis}.")
    return axis + ndim if axis < 0 else axis


def check_axes(api_name: str, axes: Any, ndim: int, name: str = "axis") -> tuple[int, ...]:
    """Return an int or tuple of ints (not a list) as distinct axes counted from the front.

    Raises:
        TypeError: an axis is not an int.
        ValueError: an axis is out of range or occurs twice.
    """
    checked = tuple(
        check_axis(api_name, a, ndim, name) for a in (axes if isinstance(axes, tuple) else (axes,))
    )
    if len(set(checked)) != len(checked):
        raise ValueError(f"{api_name}: {name} must not hold an axis twice, got {axes}.")
    return checked


def check_shape(api_name: str, shape: Any, name: str = "shape", least: int = 0) -> tuple[int, ...]:
    """Return an int or tuple of ints (not a list) as a shape; an int is a shape of one axis.

    Raises:
        TypeError: a length is not an int.
        ValueError: a length is below ``least``.
    """
    shape = shape if isinstance(shape, tuple) else (shape,)
    for d in shape:
        if isinstance(d, bool) or not isinstance(d, int):
            raise TypeError(
                f"{api_name}: {name} must be an int or a tuple of ints, got {d!r} "
                f"({type(d).__name__})."
            )
        if d < least:
            raise ValueError(f"{api_name}: every length in {name} must be >= {least}, got {shape}.")
    return shape


def check_tensor_spec(api_name: str, x: Any, name: str = "input") -> Spec:
    """Return ``x`` if it is a :class:`Spec`, as inference gets it for a tensor.

    Raises:
        TypeError: it is anything else: a static argument, such as a number.
    """
    if not isinstance(x, Spec):
        raise _make_tensor_error(api_name, name, x)
    return x


def check_tensors(api_name: str, **arguments: Any) -> None:
    """Raise a TypeError unless each keyword argument is a Tensor; errors use the keyword as its
    name.
    """
    for name, x in arguments.items():
        if not isinstance(x, Tensor):
            raise _make_tensor_error(api_name, name, x)


def check_optional_tensors(api_name: str, **arguments: Any) -> None:
    """Raise a TypeError unless each keyword argument is a Tensor or None."""
    for name, x in arguments.items():
        if x is not None and not isinstance(x, Tensor):
            raise _make_tensor_error(api_name, name, x)


def check_tensor_list(api_name: str, xs: Any, name: str = "tensors") -> tuple[Tensor, ...]:
    """Return a tuple or list of Tensors as a tuple.

    Raises:
        TypeError: ``xs`` is neither, or contains something else.
    """
    if not isinstance(xs, tuple | list):
        rule = "be a tuple or list of Tensors"
        raise TypeError(checks.format_error(api_name, name, rule, checks.format_value(xs)))
    check_tensors(api_name, **{f"{name}[{i}]": x for i, x in enumerate(xs)})
    return tuple(xs)


def check_number(api_name: str, x: Any, name: str) -> Any:
    """Return ``x``, a real number, bool or one-element tensor, as a Python scalar.

    Raises:
        TypeError: ``x`` is neither.
    """
    number = to_static(x)
    if isinstance(x, Tensor | np.ndarray) and x.size == 1 and x.ndim:
        (number,) = np.ravel(number).tolist()
    if not isinstance(number, int | float):
        raise TypeError(checks.format_error(api_name, name, "be a number", checks.format_value(x)))
    return number


def check_whole_number(api_name: str, x: Any, name: str) -> int:
    """Return ``x``, an int, a bool or a one-element tensor of one of them, as an int.

    Raises:
        TypeError: ``x`` is something else, or a float, whose fraction would be lost.
    """
    number = check_number(api_name, x, name)
    if not isinstance(number, int):
        raise TypeError(checks.format_error(api_name, name, "be an int", checks.format_value(x)))
    return int(number)


def check_arrays(api_name: str, **arguments: Any) -> None:
    """Raise a TypeError unless each keyword argument is a Tensor, a NumPy array or a NumPy
    scalar.
    """
    for name, x in arguments.items():
        if not isinstance(x, Tensor | np.ndarray | np.generic):
            raise _make_tensor_error(api_name, name, x)


def check_arithmetic_operands(api_name: str, **arguments: Any) -> None:
    """Check that each argument is a Tensor, or a number, list or array that arithmetic converts to
    one.

    Raises:
        TypeError: an argument is something else.
    """
    for name, x in arguments.items():
        if not _is_operand(x):
            raise TypeError(
                checks.format_error(
                    api_name, name, "be a Tensor or a number", checks.format_value(x)
                )
            )


def _is_operand(x: Any) -> bool:
    """Whether ``x`` is a Tensor, a number, an array, or a list or tuple of them."""
    if isinstance(x, list | tuple):
        return all(_is_operand(e) for e in x)
    return isinstance(x, Tensor | int | float | complex | np.ndarray | np.generic)


def _make_tensor_error(api_name: str, name: str, x: Any) -> TypeError:
    """Return the error for an argument that is not a Tensor."""
    hint = "Tensor(...) makes one of numbers, lists and arrays."
    return TypeError(
        checks.format_error(api_name, name, "be a Tensor", checks.format_value(x), hint)
    )


def check_dtype_fits(api_name: str, variable: Spec, value: Spec, name: str = "value") -> None:
    """Check that ``value`` can be stored in ``variable``, which keeps its dtype.

    Raises:
        TypeError: ``value`` has a dtype of a higher kind, or a wider one of the same kind.
    """
    if mstype.promote(value.dtype, variable.dtype) != variable.dtype:
        raise TypeError(
            f"{api_name}: {name} must fit into the variable, which keeps its dtype, got {value} "
            f"for {variable}. Cast it first."
        )


def cast_to_fit(
    api_name: str, x: Tensor, value: Any, name: str, variable: str = "input_x"
) -> Tensor:
    """Return ``value`` as a Tensor in the dtype of ``x`` if that can hold it, else in its own
    dtype.

    Python scalars, lists and arrays have only a kind (bool, int, float, complex), no width.

    Raises:
        TypeError: ``x`` is not a tensor, or ``value`` is neither a tensor nor numbers.
    """
    check_tensors(api_name, **{variable: x})
    dtype = x.value_.spec.dtype
    if not isinstance(value, Tensor):
        array_dtype = np.asarray(value).dtype
        if array_dtype.kind not in "biufcV":
            rule = "be a Tensor or numbers"
            raise TypeError(checks.format_error(api_name, name, rule, checks.format_value(value)))
        kind = array_dtype.type().item()
        return Tensor(value, x.dtype if mstype.promote_scalar(dtype, kind) == dtype else None)
    if mstype.promote(dtype, value.value_.spec.dtype) == dtype:
        return call("Cast", value, x.dtype)
    return value


def check_real(api_name: str, *xs: Any) -> None:
    """Check that none of the inputs is complex, for formulas that are valid only for real numbers.

    What has no dtype passes.

    Raises:
        TypeError: a tensor is complex.
    """
    for x in xs:
        if getattr(getattr(x, "dtype", None), "kind", "") == "c":
            raise TypeError(
                f"{api_name}: inputs must be real, got {x.dtype}. Take the parts one by one."
            )


def check_array(api_name: str, x: Any, name: str = "input") -> np.ndarray:
    """Return ``x`` if it is a NumPy array; called by kernels of dynamic ops, which have no
    inference step.

    Raises:
        TypeError: it is a static argument.
    """
    if not isinstance(x, np.ndarray):
        raise _make_tensor_error(api_name, name, x)
    return x


def check_indices(api_name: str, x: Any, name: str = "indices") -> Spec:
    """Return ``x`` if it is the spec of an integer tensor.

    Raises:
        TypeError: it is not a tensor, or its dtype is not an integer.
    """
    if check_tensor_spec(api_name, x, name).dtype.kind not in "iu":
        raise TypeError(f"{api_name}: {name} must be an integer tensor, got {x}. Cast it to int32.")
    return x


def check_dtype(api_name: str, x: Any, name: str, *allowed: str) -> Any:
    """Return ``x``, a tensor, a spec or an array, if the name of its dtype is one of ``allowed``.

    Raises:
        TypeError: its dtype is not allowed, or it has none.
    """
    if getattr(getattr(x, "dtype", None), "name", None) not in allowed:
        received = x if isinstance(x, Spec) else getattr(x, "dtype", type(x).__name__)
        kinds = " or ".join(allowed)
        raise TypeError(f"{api_name}: {name} must be a Tensor of {kinds}, got {received}. Cast it.")
    return x


def broadcast_along(channels: np.ndarray, axis: int, ndim: int) -> np.ndarray:
    """Reshape a vector so that its elements lie along ``axis`` of ``ndim`` axes and broadcast along
    the others.
    """
    return channels.reshape(-1, *[1] * (ndim - 1 - axis))


def get_other_axes(axis: int, ndim: int) -> tuple[int, ...]:
    """Return all axes below ``ndim`` but ``axis``, in order."""
    return tuple(i for i in range(ndim) if i != axis)


def to_static(value: Any) -> Any:
    """Convert a Tensor, array or list to a Python scalar or nested tuple; return anything else
    unchanged.
    """
    if value.__class__ is int:
        return value
    if isinstance(value, Tensor):
        value = value.asnumpy()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return tuple([to_static(v) for v in value])
    return value
