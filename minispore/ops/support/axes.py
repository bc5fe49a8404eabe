"""What ops ask of axes, shapes and other static arguments, with one wording for what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import checks
from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor, call
from minispore.core.value import Spec


def one_axis(op: str, axis: Any, ndim: int, name: str = "axis") -> int:
    """``axis`` counted from the front.

    Raises:
        TypeError: it is not an int.
        ValueError: it is out of range.
    """
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise TypeError(f"{op}: {name} must be an int, got {axis!r} ({type(axis).__name__}).")
    if not -ndim <= axis < ndim:
        raise ValueError(f"{op}: {name} must be in [{-ndim}, {ndim}), got {axis}.")
    return axis + ndim if axis < 0 else axis


def many_axes(op: str, axes: Any, ndim: int, name: str = "axis") -> tuple[int, ...]:
    """An int or tuple of ints as distinct axes counted from the front.

    Raises:
        TypeError: an axis is not an int.
        ValueError: an axis is out of range or comes twice.
    """
    found = tuple(
        one_axis(op, a, ndim, name) for a in (axes if isinstance(axes, tuple) else (axes,))
    )
    if len(set(found)) != len(found):
        raise ValueError(f"{op}: {name} must not hold an axis twice, got {axes}.")
    return found


def a_shape(op: str, shape: Any, name: str = "shape", least: int = 0) -> tuple[int, ...]:
    """An int or tuple of ints as a shape.

    Raises:
        TypeError: a length is not an int.
        ValueError: a length is below ``least``.
    """
    shape = shape if isinstance(shape, tuple) else (shape,)
    for d in shape:
        if isinstance(d, bool) or not isinstance(d, int):
            raise TypeError(
                f"{op}: {name} must be an int or a tuple of ints, got {d!r} ({type(d).__name__})."
            )
        if d < least:
            raise ValueError(f"{op}: every length in {name} must be >= {least}, got {shape}.")
    return shape


def a_tensor(op: str, x: Any, name: str = "input") -> Spec:
    """``x`` if it is the spec of a tensor.

    Raises:
        TypeError: it is a static argument.
    """
    if not isinstance(x, Spec):
        raise _no_tensor(op, name, x)
    return x


def all_tensors(op: str, **arguments: Any) -> None:
    """Raise a TypeError unless each argument of a function, given by its name, is a Tensor."""
    for name, x in arguments.items():
        if not isinstance(x, Tensor):
            raise _no_tensor(op, name, x)


def given_tensors(op: str, **arguments: Any) -> None:
    """Raise a TypeError unless each argument of a function is a Tensor, or None where left out."""
    for name, x in arguments.items():
        if x is not None and not isinstance(x, Tensor):
            raise _no_tensor(op, name, x)


def several_tensors(op: str, xs: Any, name: str = "tensors") -> tuple[Tensor, ...]:
    """A tuple or list of Tensors as a tuple.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(xs, tuple | list):
        rule = "be a tuple or list of Tensors"
        raise TypeError(checks.text(op, name, rule, checks.shown(xs)))
    all_tensors(op, **{f"{name}[{i}]": x for i, x in enumerate(xs)})
    return tuple(xs)


def a_number(op: str, x: Any, name: str) -> Any:
    """``x``, a number or a tensor of one element, as a Python number.

    Raises:
        TypeError: it is neither.
    """
    number = static(x)
    if isinstance(x, Tensor | np.ndarray) and x.size == 1 and x.ndim:
        (number,) = np.ravel(number).tolist()
    if not isinstance(number, int | float):
        raise TypeError(checks.text(op, name, "be a number", checks.shown(x)))
    return number


def all_arrays(op: str, **arguments: Any) -> None:
    """Raise a TypeError unless each argument of a function is a Tensor or an array."""
    for name, x in arguments.items():
        if not isinstance(x, Tensor | np.ndarray | np.generic):
            raise _no_tensor(op, name, x)


def all_operands(op: str, **arguments: Any) -> None:
    """Raise a TypeError unless each argument of a function is a Tensor, or a number, list or array,
    of which arithmetic makes one.
    """
    for name, x in arguments.items():
        if not _counts(x):
            raise TypeError(checks.text(op, name, "be a Tensor or a number", checks.shown(x)))


def _counts(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return all(_counts(e) for e in x)
    return isinstance(x, Tensor | int | float | complex | np.ndarray | np.generic)


def _no_tensor(op: str, name: str, x: Any) -> TypeError:
    hint = "Tensor(...) makes one of numbers, lists and arrays."
    return TypeError(checks.text(op, name, "be a Tensor", checks.shown(x), hint))


def holds(op: str, variable: Spec, value: Spec, name: str = "value") -> None:
    """Raise a TypeError if ``variable``, which keeps its data type, can't take ``value``: one of a
    higher kind, or a wider one of its own kind.
    """
    if mstype.promote(value.dtype, variable.dtype) != variable.dtype:
        raise TypeError(
            f"{op}: {name} must fit into the variable, which keeps its dtype, got {value} for "
            f"{variable}. Cast it first."
        )


def fitting(op: str, x: Tensor, value: Any, name: str, variable: str = "input_x") -> Tensor:
    """``value`` in the dtype of ``x``, if that can hold what it has; numbers as such have a kind
    alone, and no width.

    Raises:
        TypeError: ``x`` is no tensor, or ``value`` neither a tensor nor numbers.
    """
    all_tensors(op, **{variable: x})
    dtype = x.value_.spec.dtype
    if not isinstance(value, Tensor):
        given = np.asarray(value).dtype
        if given.kind not in "biufcV":
            rule = "be a Tensor or numbers"
            raise TypeError(checks.text(op, name, rule, checks.shown(value)))
        kind = given.type().item()
        return Tensor(value, x.dtype if mstype.promote_scalar(dtype, kind) == dtype else None)
    if mstype.promote(dtype, value.value_.spec.dtype) == dtype:
        return call("Cast", value, x.dtype)
    return value


def no_complex(op: str, *xs: Any) -> None:
    """Raise a TypeError if a tensor is complex, for formulas that know real numbers alone."""
    for x in xs:
        if getattr(getattr(x, "dtype", None), "kind", "") == "c":
            raise TypeError(f"{op}: inputs must be real, got {x.dtype}. Take the parts one by one.")


def an_array(op: str, x: Any, name: str = "input") -> np.ndarray:
    """``x`` if it is an array, for kernels of dynamic ops, which infer nothing.

    Raises:
        TypeError: it is a static argument.
    """
    if not isinstance(x, np.ndarray):
        raise _no_tensor(op, name, x)
    return x


def indices_spec(op: str, x: Any, name: str = "indices") -> Spec:
    """``x`` if it is the spec of an integer tensor.

    Raises:
        TypeError: it is none.
    """
    if a_tensor(op, x, name).dtype.kind not in "iu":
        raise TypeError(f"{op}: {name} must be an integer tensor, got {x}. Cast it to int32.")
    return x


def of_dtype(op: str, x: Any, name: str, *known: str) -> Any:
    """``x``, a tensor, its spec or its array, if its data type is one of ``known``.

    Raises:
        TypeError: it is another.
    """
    if getattr(getattr(x, "dtype", None), "name", None) not in known:
        said = x if isinstance(x, Spec) else getattr(x, "dtype", type(x).__name__)
        kinds = " or ".join(known)
        raise TypeError(f"{op}: {name} must be a Tensor of {kinds}, got {said}. Cast it.")
    return x


def along(channels: np.ndarray, axis: int, ndim: int) -> np.ndarray:
    """A vector as an array that broadcasts along ``axis``."""
    return channels.reshape(-1, *[1] * (ndim - 1 - axis))


def others(axis: int, ndim: int) -> tuple[int, ...]:
    """All axes but one."""
    return tuple(i for i in range(ndim) if i != axis)


def static(value: Any) -> Any:
    """A Tensor, array or list as the Python number or tuple it holds; anything else as it is."""
    if value.__class__ is int:
        return value
    if isinstance(value, Tensor):
        value = value.asnumpy()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return tuple([static(v) for v in value])
    return value
