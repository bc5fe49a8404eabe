"""Checks of arguments, as scripts use MindSpore's own: the value comes back, or an error says why.

The functions are those of 2.x; :class:`Validator` and :class:`Rel` are how 1.x spelled the same.
A wrong type is a TypeError, a wrong value a ValueError. A bool is no number.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any, TypeVar

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class Rel(IntEnum):
    """How a value stands to another one, to a range (which ends belong to it) or to a collection.

    >>> Rel.INC_LEFT.holds(0, 0, 1), Rel.INC_LEFT.text(0, 1)
    (True, '[0, 1)')
    """

    EQ = 1
    NE = 2
    LT = 3
    LE = 4
    GT = 5
    GE = 6
    INC_NEITHER = 7
    INC_LEFT = 8
    INC_RIGHT = 9
    INC_BOTH = 10
    IN = 11
    NOT_IN = 12

    def holds(self, value: Any, *bounds: Any) -> bool:
        """Whether ``value`` stands to ``bounds`` in this relation."""
        if self in _COMPARED:
            return bool(_COMPARED[self][1](value, *bounds))
        lower, upper = bounds
        above = lower <= value if self in (Rel.INC_LEFT, Rel.INC_BOTH) else lower < value
        below = value <= upper if self in (Rel.INC_RIGHT, Rel.INC_BOTH) else value < upper
        return bool(above and below)

    def text(self, *bounds: Any) -> str:
        """The relation to ``bounds`` as people write it."""
        if self in _COMPARED:
            return f"{_COMPARED[self][0]} {bounds[0]}"
        left = "[" if self in (Rel.INC_LEFT, Rel.INC_BOTH) else "("
        right = "]" if self in (Rel.INC_RIGHT, Rel.INC_BOTH) else ")"
        return f"{left}{bounds[0]}, {bounds[1]}{right}"


_COMPARED: dict[Rel, tuple[str, Callable[[Any, Any], bool]]] = {
    Rel.EQ: ("=", operator.eq),
    Rel.NE: ("!=", operator.ne),
    Rel.LT: ("<", operator.lt),
    Rel.LE: ("<=", operator.le),
    Rel.GT: (">", operator.gt),
    Rel.GE: (">=", operator.ge),
    Rel.IN: ("in", lambda value, values: value in values),
    Rel.NOT_IN: ("not in", lambda value, values: value not in values),
}

EQ, NE, LT, LE, GT, GE = Rel.EQ, Rel.NE, Rel.LT, Rel.LE, Rel.GT, Rel.GE
INC_NEITHER, INC_LEFT = Rel.INC_NEITHER, Rel.INC_LEFT
INC_RIGHT, INC_BOTH = Rel.INC_RIGHT, Rel.INC_BOTH
IN, NOT_IN = Rel.IN, Rel.NOT_IN


def _subject(arg_name: str | None, prim_name: str | None) -> str:
    return f"{prim_name or 'check'}: {arg_name or 'input value'}"


def _name(kind: Any) -> str:
    return getattr(kind, "__name__", None) or str(kind)


def _all_of(kinds: Any) -> tuple[Any, ...]:
    return tuple(kinds) if isinstance(kinds, Iterable) else (kinds,)


def _one_of(kinds: tuple[Any, ...]) -> str:
    return ("one of " if len(kinds) > 1 else "") + ", ".join(_name(kind) for kind in kinds)


# -- numbers --------------------------------------------------------------------------------------


def check_is_number(
    arg_value: T, arg_type: type, arg_name: str | None = None, prim_name: str | None = None
) -> T:
    """``arg_value``, which must be a finite number of type ``arg_type``."""
    subject = _subject(arg_name, prim_name)
    if not isinstance(arg_value, arg_type) or isinstance(arg_value, bool):
        raise TypeError(f"{subject} must be {arg_type.__name__}, got {arg_value!r}.")
    if not math.isfinite(arg_value):  # type: ignore[arg-type]
        raise ValueError(f"{subject} must be finite, got {arg_value}.")
    return arg_value


def _related(
    arg_value: T, value: Any, rel: int, kind: type, arg_name: str | None, prim_name: str | None
) -> T:
    check_is_number(arg_value, kind, arg_name, prim_name)
    if not Rel(rel).holds(arg_value, value):
        subject = _subject(arg_name, prim_name)
        rule = f"be {kind.__name__} and {Rel(rel).text(value)}"
        raise ValueError(f"{subject} must {rule}, got {arg_value!r}.")
    return arg_value


def check_number_range(
    arg_value: T,
    lower_limit: Any,
    upper_limit: Any,
    rel: int,
    value_type: type,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> T:
    """``arg_value``, which must be of ``value_type`` and between the limits."""
    subject = _subject(arg_name, prim_name)
    array = hasattr(arg_value, "dtype")  # NumPy's scalars and arrays are taken, too
    if not (array or isinstance(arg_value, value_type)) or isinstance(arg_value, bool):
        raise TypeError(f"{subject} must be {value_type.__name__}, got {arg_value!r}.")
    if not Rel(rel).holds(arg_value, lower_limit, upper_limit):
        within = Rel(rel).text(lower_limit, upper_limit)
        raise ValueError(f"{subject} must be in {within}, got {arg_value!r}.")
    return arg_value


def check_int(
    arg_value: int, value: int, rel: int, arg_name: str | None = None, prim_name: str | None = None
) -> int:
    """``arg_value``, which must be an int that stands to ``value`` in the relation ``rel``.

    >>> check_int(3, 1, GE, "kernel_size", "Conv2d")
    3
    """
    return _related(arg_value, value, rel, int, arg_name, prim_name)


def check_float(
    arg_value: float,
    value: float,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> float:
    """``arg_value``, which must be a float that stands to ``value`` in the relation ``rel``."""
    return _related(arg_value, value, rel, float, arg_name, prim_name)


def check_is_int(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """``arg_value``, which must be an int."""
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_is_float(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """``arg_value``, which must be a finite float."""
    return check_is_number(arg_value, float, arg_name, prim_name)


def check_equal_int(
    arg_value: int, value: int, arg_name: str | None = None, prim_name: str | None = None
) -> int:
    """``arg_value``, which must be the int ``value``."""
    return check_int(arg_value, value, EQ, arg_name, prim_name)


def _against_zero(check: Callable[..., Any], rel: Rel, says: str) -> Callable[..., Any]:
    """A check of one number against 0."""

    def checked(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
        return check(arg_value, 0, rel, arg_name, prim_name)

    kind = "int" if check is check_int else "float"
    checked.__name__ = checked.__qualname__ = f"check_{says}_{kind}"
    checked.__doc__ = f"``arg_value``, which must be {kind} and {rel.text(0)}."
    return checked


check_positive_int = _against_zero(check_int, GT, "positive")
check_negative_int = _against_zero(check_int, LT, "negative")
check_non_positive_int = _against_zero(check_int, LE, "non_positive")
check_non_negative_int = _against_zero(check_int, GE, "non_negative")
check_positive_float = _against_zero(check_float, GT, "positive")
check_negative_float = _against_zero(check_float, LT, "negative")
check_non_positive_float = _against_zero(check_float, LE, "non_positive")
check_non_negative_float = _against_zero(check_float, GE, "non_negative")


def _each(check: Callable[..., Any], says: str) -> Callable[..., Any]:
    """``check`` for every element of a sequence."""

    def checked(sequence: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
        for i, element in enumerate(sequence):
            check(element, f"{arg_name or 'sequence'}[{i}]", prim_name)
        return sequence

    checked.__name__ = checked.__qualname__ = says
    checked.__doc__ = f":func:`{check.__name__}` for every element of ``sequence``."
    return checked


check_positive_int_sequence = _each(check_positive_int, "check_positive_int_sequence")
check_non_negative_int_sequence = _each(check_non_negative_int, "check_non_negative_int_sequence")
check_positive_float_sequence = _each(check_positive_float, "check_positive_float_sequence")


def check_int_range(
    arg_value: int,
    lower_limit: int,
    upper_limit: int,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> int:
    """``arg_value``, which must be an int between the limits."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(
    arg_value: float,
    lower_limit: float,
    upper_limit: float,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> float:
    """``arg_value``, which must be a float between the limits.

    >>> check_float_range(0.5, 0.0, 1.0, INC_BOTH, "keep_prob", "Dropout")
    0.5
    """
    return check_number_range(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def check_number(arg_name: str, arg_value: T, value: Any, rel: int, prim_name: str | None) -> T:
    """``arg_value``, which must stand to ``value`` in the relation ``rel``; of any type."""
    return check(arg_name, arg_value, "", value, rel, prim_name)


def check(
    arg_name: str,
    arg_value: T,
    value_name: str,
    value: Any,
    rel: int = EQ,
    prim_name: str | None = None,
    excp_cls: type[Exception] = ValueError,
) -> T:
    """``arg_value``, which must stand to ``value`` (called ``value_name``) in the relation."""
    if not Rel(rel).holds(arg_value, value):
        other = f"{value_name}: {value}" if value_name else value
        rule = f"be {Rel(rel).text(other)}"
        raise excp_cls(f"{_subject(arg_name, prim_name)} must {rule}, got {arg_value}.")
    return arg_value


# -- other kinds ----------------------------------------------------------------------------------


def check_bool(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """``arg_value``, which must be a bool."""
    if not isinstance(arg_value, bool):
        raise TypeError(f"{_subject(arg_name, prim_name)} must be a bool, got {arg_value!r}.")
    return arg_value


def check_string(
    arg_value: T,
    valid_values: Iterable[str],
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> T:
    """``arg_value``, which must be one of the strings ``valid_values``."""
    if not (isinstance(arg_value, str) and arg_value in valid_values):
        choice = ", ".join(map(repr, valid_values))
        raise ValueError(
            f"{_subject(arg_name, prim_name)} must be one of {choice}, got {arg_value!r}."
        )
    return arg_value


def check_str_by_regular(
    target: str,
    reg: str | None = None,
    flag: int = re.ASCII,
    prim_name: str | None = None,
) -> bool:
    """True if ``target`` is a name: word characters and dots (or what ``reg`` says)."""
    reg = reg or r"^\w+[0-9a-zA-Z\_\.]*$"
    if not re.match(reg, target, flag):
        raise ValueError(f"{_subject(None, prim_name)} must match {reg}, got {target!r}.")
    return True


def check_file_name_by_regular(
    target: str, reg: str | None = None, prim_name: str | None = None
) -> bool:
    """True if ``target`` is the path of a file in plain characters (or what ``reg`` says)."""
    subject = _subject("file name", prim_name)
    if not isinstance(target, str):
        raise TypeError(f"{subject} must be a str, got {target!r}.")
    if target.endswith(("/", "\\")):
        raise ValueError(f"{subject} must be no folder, got {target!r}.")
    reg = reg or r"^[0-9a-zA-Z@\_\-\.\:\/\\]+$"
    if not re.match(reg, target):
        raise ValueError(f"{subject} must match {reg}, got {target!r}.")
    return True


def check_isinstance(arg_name: str, arg_value: T, classes: Any) -> T:
    """``arg_value``, which must be of one of ``classes``; a ValueError otherwise."""
    if not isinstance(arg_value, classes):
        raise ValueError(f"check: {arg_name} must be an instance of {classes}, got {arg_value!r}.")
    return arg_value


def check_value_type(
    arg_name: str, arg_value: T, valid_types: Any, prim_name: str | None = None
) -> Any:
    """``arg_value``, which must be of one of ``valid_types``; True is no int.

    >>> check_value_type("axis", True, [int], "Concat")
    Traceback (most recent call last):
    TypeError: Concat: axis must be int, got True of type bool.
    """
    kinds = _all_of(valid_types)
    wrong_bool = isinstance(arg_value, bool) and bool not in kinds
    if wrong_bool or not isinstance(arg_value, kinds):
        raise TypeError(
            f"{_subject(arg_name, prim_name)} must be {_one_of(kinds)}, "
            f"got {arg_value!r} of type {type(arg_value).__name__}."
        )
    return arg_value


def check_element_type_of_iterable(
    arg_name: str, arg_value: Any, valid_types: Any, prim_name: str | None = None
) -> None:
    """Raise unless ``arg_value`` is a list or tuple of elements of ``valid_types``."""
    check_value_type(arg_name, arg_value, (list, tuple), prim_name)
    for i, element in enumerate(arg_value):
        if not isinstance(element, _all_of(valid_types)):
            raise TypeError(
                f"{_subject(f'{arg_name}[{i}]', prim_name)} must be "
                f"{_one_of(_all_of(valid_types))}, got {element!r}."
            )


def check_type_name(
    arg_name: str, arg_type: T, valid_types: Any, prim_name: str | None = None
) -> T:
    """``arg_type``, a data type, which must be one of ``valid_types``."""
    if arg_type not in _all_of(valid_types):
        raise TypeError(
            f"{_subject(arg_name, prim_name)} must be {_one_of(_all_of(valid_types))}, "
            f"got {_name(arg_type)}."
        )
    return arg_type


def check_subclass(
    arg_name: str,
    type_: Any,
    template_types: Any,
    prim_name: str | None,
    addition_error_info: str | None = None,
) -> None:
    """Raise unless the type ``type_`` is one of ``template_types``, or of a class below one."""
    kinds = _all_of(template_types)

    def fits(kind: Any) -> bool:
        below = isinstance(type_, type) and isinstance(kind, type) and issubclass(type_, kind)
        return below or type_ is kind or type_ == kind

    if not any(fits(kind) for kind in kinds):
        more = f" {addition_error_info}" if addition_error_info else ""
        raise TypeError(
            f"{_subject(arg_name, prim_name)} must be {_one_of(kinds)}, got {_name(type_)}.{more}"
        )


def check_types_same_and_valid(args: Mapping[str, Any], valid_values: Any, prim_name: str) -> None:
    """Raise unless all types in ``args`` (by name) are one, and one of ``valid_values``."""
    for name, kind in args.items():
        check_subclass(name, kind, valid_values, prim_name)
    if len(set(args.values())) > 1:
        shown = ", ".join(f"{name}: {_name(kind)}" for name, kind in args.items())
        raise TypeError(f"{prim_name}: {', '.join(args)} must be of the same type, got {shown}.")


check_tensors_dtypes_same_and_valid = check_types_same_and_valid


def check_valid_input(arg_name: str, arg_value: T, prim_name: str | None) -> T:
    """``arg_value``, which must not be None."""
    if arg_value is None:
        raise ValueError(f"{_subject(arg_name, prim_name)} must be given, got None.")
    return arg_value


def args_type_check(*type_args: Any, **type_kwargs: Any) -> Callable[[F], F]:
    """Let a function check the types of its arguments; None is taken for each.

    >>> @args_type_check(rate=float)
    ... def decay(rate):
    ...     return rate
    >>> decay("fast")
    Traceback (most recent call last):
    TypeError: decay: rate must be float, got 'fast'.
    """

    def adapt(function: F) -> F:
        signature = inspect.signature(function)
        kinds = signature.bind_partial(*type_args, **type_kwargs).arguments
        kinds = kinds.get("kwargs", kinds)

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs).arguments
            for name, value in given.get("kwargs", given).items():
                if name in kinds and value is not None and not isinstance(value, kinds[name]):
                    wanted = _one_of(_all_of(kinds[name]))
                    raise TypeError(f"{function.__name__}: {name} must be {wanted}, got {value!r}.")
            return function(*args, **kwargs)

        return called  # type: ignore[return-value]

    return adapt


def _repeated(n: int) -> Callable[[Any], Any]:
    """Make one value ``n`` of them; a tuple or list of ``n`` stays."""

    def repeated(data: Any) -> tuple[Any, ...]:
        if isinstance(data, tuple | list):
            if len(data) != n:
                raise ValueError(f"check: the sequence must have {n} elements, got {data}.")
            return tuple(data)
        return (data,) * n

    return repeated


once, twice, triple = _repeated(1), _repeated(2), _repeated(3)


class Validator:
    """The checks as 1.x spelled them: ``Validator.check_positive_int(n, "n", "Net")``."""

    check = staticmethod(check)
    check_bool = staticmethod(check_bool)
    check_equal_int = staticmethod(check_equal_int)
    check_file_name_by_regular = staticmethod(check_file_name_by_regular)
    check_float = staticmethod(check_float)
    check_float_range = staticmethod(check_float_range)
    check_int = staticmethod(check_int)
    check_int_range = staticmethod(check_int_range)
    check_is_float = staticmethod(check_is_float)
    check_is_int = staticmethod(check_is_int)
    check_isinstance = staticmethod(check_isinstance)
    check_negative_float = staticmethod(check_negative_float)
    check_negative_int = staticmethod(check_negative_int)
    check_non_negative_float = staticmethod(check_non_negative_float)
    check_non_negative_int = staticmethod(check_non_negative_int)
    check_non_negative_int_sequence = staticmethod(check_non_negative_int_sequence)
    check_non_positive_float = staticmethod(check_non_positive_float)
    check_non_positive_int = staticmethod(check_non_positive_int)
    check_number = staticmethod(check_number)
    check_number_range = staticmethod(check_number_range)
    check_positive_float = staticmethod(check_positive_float)
    check_positive_float_sequence = staticmethod(check_positive_float_sequence)
    check_positive_int = staticmethod(check_positive_int)
    check_positive_int_sequence = staticmethod(check_positive_int_sequence)
    check_str_by_regular = staticmethod(check_str_by_regular)
    check_string = staticmethod(check_string)
    check_subclass = staticmethod(check_subclass)
    check_tensor_dtype_valid = staticmethod(check_subclass)
    check_tensors_dtypes_same_and_valid = staticmethod(check_tensors_dtypes_same_and_valid)
    check_type_name = staticmethod(check_type_name)
    check_types_same_and_valid = staticmethod(check_types_same_and_valid)
    check_value_type = staticmethod(check_value_type)


def check_input_format(input_param: str) -> str:
    """The layout of images, which must be ``"NCHW"``.

    Raises:
        ValueError: it is another one.
    """
    if input_param != "NCHW":
        raise ValueError(f"input_param must be 'NCHW', got {input_param!r}.")
    return input_param


def _expand_tuple(n_dimensions: int) -> Callable[[Any], tuple[int, ...]]:
    """A function that makes a tuple of ``n_dimensions`` ints of an int, and checks a tuple.

    Raises:
        TypeError: it is called with something else.
    """

    def expanded(value: Any) -> tuple[int, ...]:
        parts = value if isinstance(value, tuple) else (value,) * n_dimensions
        for part in parts:
            if isinstance(part, bool) or not isinstance(part, int):
                raise TypeError(f"a size must be an int or a tuple of ints, got {value!r}.")
        return parts

    return expanded
