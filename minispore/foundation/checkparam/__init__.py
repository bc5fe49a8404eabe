"""Checks of arguments with MindSpore's names: each returns the value, or raises an error.

The functions are those of 2.x; :class:`Validator` and :class:`Rel` are the 1.x interface to them. A
wrong type is a TypeError, a wrong value a ValueError. A bool does not count as a number. Errors
begin with ``prim_name`` (``check`` if it is None) and ``arg_name``.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from minispore.foundation.checkparam.numbers import EQ as EQ
from minispore.foundation.checkparam.numbers import GE as GE
from minispore.foundation.checkparam.numbers import GT as GT
from minispore.foundation.checkparam.numbers import IN as IN
from minispore.foundation.checkparam.numbers import INC_BOTH as INC_BOTH
from minispore.foundation.checkparam.numbers import INC_LEFT as INC_LEFT
from minispore.foundation.checkparam.numbers import INC_NEITHER as INC_NEITHER
from minispore.foundation.checkparam.numbers import INC_RIGHT as INC_RIGHT
from minispore.foundation.checkparam.numbers import LE as LE
from minispore.foundation.checkparam.numbers import LT as LT
from minispore.foundation.checkparam.numbers import NE as NE
from minispore.foundation.checkparam.numbers import NOT_IN as NOT_IN
from minispore.foundation.checkparam.numbers import Rel as Rel
from minispore.foundation.checkparam.numbers import _get_type_name as _get_type_name
from minispore.foundation.checkparam.numbers import _make_subject as _make_subject
from minispore.foundation.checkparam.numbers import _name_types as _name_types
from minispore.foundation.checkparam.numbers import _to_tuple as _to_tuple
from minispore.foundation.checkparam.numbers import check as check
from minispore.foundation.checkparam.numbers import check_equal_int as check_equal_int
from minispore.foundation.checkparam.numbers import check_float as check_float
from minispore.foundation.checkparam.numbers import check_float_range as check_float_range
from minispore.foundation.checkparam.numbers import check_int as check_int
from minispore.foundation.checkparam.numbers import check_int_range as check_int_range
from minispore.foundation.checkparam.numbers import check_is_float as check_is_float
from minispore.foundation.checkparam.numbers import check_is_int as check_is_int
from minispore.foundation.checkparam.numbers import check_is_number as check_is_number
from minispore.foundation.checkparam.numbers import check_negative_float as check_negative_float
from minispore.foundation.checkparam.numbers import check_negative_int as check_negative_int
from minispore.foundation.checkparam.numbers import (
    check_non_negative_float as check_non_negative_float,
)
from minispore.foundation.checkparam.numbers import check_non_negative_int as check_non_negative_int
from minispore.foundation.checkparam.numbers import (
    check_non_negative_int_sequence as check_non_negative_int_sequence,
)
from minispore.foundation.checkparam.numbers import (
    check_non_positive_float as check_non_positive_float,
)
from minispore.foundation.checkparam.numbers import check_non_positive_int as check_non_positive_int
from minispore.foundation.checkparam.numbers import check_number as check_number
from minispore.foundation.checkparam.numbers import check_number_range as check_number_range
from minispore.foundation.checkparam.numbers import check_positive_float as check_positive_float
from minispore.foundation.checkparam.numbers import (
    check_positive_float_sequence as check_positive_float_sequence,
)
from minispore.foundation.checkparam.numbers import check_positive_int as check_positive_int
from minispore.foundation.checkparam.numbers import (
    check_positive_int_sequence as check_positive_int_sequence,
)

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


# -- other kinds ----------------------------------------------------------------------------------


def check_bool(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Return ``arg_value``; raise a TypeError unless it is a bool."""
    if not isinstance(arg_value, bool):
        raise TypeError(f"{_make_subject(arg_name, prim_name)} must be a bool, got {arg_value!r}.")
    return arg_value


def check_string(
    arg_value: T,
    valid_values: Iterable[str],
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> T:
    """Return ``arg_value``; raise a ValueError unless it is one of the strings ``valid_values``."""
    if not (isinstance(arg_value, str) and arg_value in valid_values):
        choice = ", ".join(map(repr, valid_values))
        raise ValueError(
            f"{_make_subject(arg_name, prim_name)} must be one of {choice}, got {arg_value!r}."
        )
    return arg_value


def check_str_by_regular(
    target: str,
    reg: str | None = None,
    flag: int = re.ASCII,
    prim_name: str | None = None,
) -> bool:
    """Return True if ``target`` matches the pattern ``reg``, else raise a ValueError.

    By default it must be a name: word characters and dots.
    """
    reg = reg or r"^\w+[0-9a-zA-Z\_\.]*$"
    if not re.match(reg, target, flag):
        raise ValueError(f"{_make_subject(None, prim_name)} must match {reg}, got {target!r}.")
    return True


def check_file_name_by_regular(
    target: str, reg: str | None = None, prim_name: str | None = None
) -> bool:
    """Return True if ``target`` matches the pattern ``reg``, else raise a ValueError.

    By default it must be a file path of ASCII letters, digits and ``@_-.:/\\``. A path that ends
    like a folder is a ValueError, too; anything but a str is a TypeError.
    """
    subject = _make_subject("file name", prim_name)
    if not isinstance(target, str):
        raise TypeError(f"{subject} must be a str, got {target!r}.")
    if target.endswith(("/", "\\")):
        raise ValueError(f"{subject} must be no folder, got {target!r}.")
    reg = reg or r"^[0-9a-zA-Z@\_\-\.\:\/\\]+$"
    if not re.match(reg, target):
        raise ValueError(f"{subject} must match {reg}, got {target!r}.")
    return True


def check_isinstance(arg_name: str, arg_value: T, classes: Any) -> T:
    """Return ``arg_value``; raise a ValueError unless it is an instance of ``classes``."""
    if not isinstance(arg_value, classes):
        raise ValueError(f"check: {arg_name} must be an instance of {classes}, got {arg_value!r}.")
    return arg_value


def check_value_type(
    arg_name: str, arg_value: T, valid_types: Any, prim_name: str | None = None
) -> Any:
    """Return ``arg_value``; raise a TypeError unless it has one of ``valid_types``. A bool does not
    count as an int.

    >>> check_value_type("axis", True, [int], "Concat")
    Traceback (most recent call last):
    TypeError: Concat: axis must be int, got True of type bool.
    """
    kinds = _to_tuple(valid_types)
    is_unwanted_bool = isinstance(arg_value, bool) and bool not in kinds
    if is_unwanted_bool or not isinstance(arg_value, kinds):
        raise TypeError(
            f"{_make_subject(arg_name, prim_name)} must be {_name_types(kinds)}, "
            f"got {arg_value!r} of type {type(arg_value).__name__}."
        )
    return arg_value


def check_element_type_of_iterable(
    arg_name: str, arg_value: Any, valid_types: Any, prim_name: str | None = None
) -> None:
    """Raise a TypeError unless ``arg_value`` is a list or tuple whose elements have
    ``valid_types``.
    """
    check_value_type(arg_name, arg_value, (list, tuple), prim_name)
    for i, element in enumerate(arg_value):
        if not isinstance(element, _to_tuple(valid_types)):
            raise TypeError(
                f"{_make_subject(f'{arg_name}[{i}]', prim_name)} must be "
                f"{_name_types(valid_types)}, got {element!r}."
            )


def check_type_name(
    arg_name: str, arg_type: T, valid_types: Any, prim_name: str | None = None
) -> T:
    """Return the data type ``arg_type``; raise a TypeError unless it is one of ``valid_types``."""
    if arg_type not in _to_tuple(valid_types):
        raise TypeError(
            f"{_make_subject(arg_name, prim_name)} must be {_name_types(valid_types)}, "
            f"got {_get_type_name(arg_type)}."
        )
    return arg_type


def check_subclass(
    arg_name: str,
    type_: Any,
    template_types: Any,
    prim_name: str | None,
    addition_error_info: str | None = None,
) -> None:
    """Raise a TypeError unless the type ``type_`` is, or derives from, one of ``template_types``.

    ``addition_error_info`` is added to the message.
    """
    kinds = _to_tuple(template_types)

    def is_same_or_subclass(kind: Any) -> bool:
        """Whether the type equals a class or data type, or derives from the class."""
        are_classes = isinstance(type_, type) and isinstance(kind, type)
        return type_ is kind or type_ == kind or (are_classes and issubclass(type_, kind))

    if not any(is_same_or_subclass(kind) for kind in kinds):
        ending = f" {addition_error_info}" if addition_error_info else ""
        raise TypeError(
            f"{_make_subject(arg_name, prim_name)} must be {_name_types(kinds)}, "
            f"got {_get_type_name(type_)}.{ending}"
        )


def check_types_same_and_valid(args: Mapping[str, Any], valid_values: Any, prim_name: str) -> None:
    """Raise a TypeError unless all types in ``args`` (by name) are the same, and derive from one of
    ``valid_values``.
    """
    for name, kind in args.items():
        check_subclass(name, kind, valid_values, prim_name)
    if len(set(args.values())) > 1:
        types = ", ".join(f"{name}: {_get_type_name(kind)}" for name, kind in args.items())
        raise TypeError(f"{prim_name}: {', '.join(args)} must be of the same type, got {types}.")


check_tensors_dtypes_same_and_valid = check_types_same_and_valid


def check_valid_input(arg_name: str, arg_value: T, prim_name: str | None) -> T:
    """Return ``arg_value``; raise a ValueError if it is None."""
    if arg_value is None:
        raise ValueError(f"{_make_subject(arg_name, prim_name)} must be given, got None.")
    return arg_value


def args_type_check(*type_args: Any, **type_kwargs: Any) -> Callable[[F], F]:
    """Return a decorator that makes a function raise a TypeError if an argument has the wrong type.

    Arguments that are None pass.

    >>> @args_type_check(rate=float)
    ... def decay(rate):
    ...     return rate
    >>> decay("fast")
    Traceback (most recent call last):
    TypeError: decay: rate must be float, got 'fast'.
    """

    def add_type_check(function: F) -> F:
        """Wrap the function; the types are bound to its parameters like the values of a call."""
        signature = inspect.signature(function)
        kinds = signature.bind_partial(*type_args, **type_kwargs).arguments
        kinds = kinds.get("kwargs", kinds)

        @functools.wraps(function)
        def check_and_call(*args: Any, **kwargs: Any) -> Any:
            """Check the arguments, and call the function."""
            arguments = signature.bind(*args, **kwargs).arguments
            for name, value in arguments.get("kwargs", arguments).items():
                if name in kinds and value is not None and not isinstance(value, kinds[name]):
                    rule = _name_types(kinds[name])
                    raise TypeError(f"{function.__name__}: {name} must be {rule}, got {value!r}.")
            return function(*args, **kwargs)

        return check_and_call  # type: ignore[return-value]

    return add_type_check


def _make_repeater(n: int) -> Callable[[Any], Any]:
    """Return a function that makes a tuple of ``n`` values, or repeats one value ``n`` times.

    It raises a TypeError for a list or tuple of a different length.
    """

    def repeat(data: Any) -> tuple[Any, ...]:
        """Return the tuple for ``data``."""
        if isinstance(data, tuple | list):
            if len(data) != n:
                raise TypeError(f"check: the sequence must have {n} elements, got {data}.")
            return tuple(data)
        return (data,) * n

    return repeat


once, twice, triple = _make_repeater(1), _make_repeater(2), _make_repeater(3)


class Validator:
    """The checks as methods, as in MindSpore 1: ``Validator.check_positive_int(n, "n", "Net")``."""

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
    """Return the layout of images; raise a ValueError unless it is ``"NCHW"``."""
    if input_param != "NCHW":
        raise ValueError(f"input_param must be 'NCHW', got {input_param!r}.")
    return input_param


def _expand_tuple(n_dimensions: int) -> Callable[[Any], tuple[int, ...]]:
    """Return a function that repeats an int ``n_dimensions`` times, and returns a tuple unchanged.

    It raises a TypeError for anything but an int or a tuple of ``n_dimensions`` ints.
    """

    def expand(value: Any) -> tuple[int, ...]:
        """Return a tuple with one int per dimension."""
        sizes = value if isinstance(value, tuple) else (value,) * n_dimensions
        are_ints = (isinstance(size, int) and not isinstance(size, bool) for size in sizes)
        if len(sizes) != n_dimensions or not all(are_ints):
            rule = f"an int or a tuple of {n_dimensions} ints"
            raise TypeError(f"a size must be {rule}, got {value!r}.")
        return sizes

    return expand
