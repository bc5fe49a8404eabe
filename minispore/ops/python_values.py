"""Plain Python functions on numbers, strings and containers, as in ``mindspore.ops.functional``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import Any

from minispore.core.tensor import Tensor
from minispore.core.tree import Mutable, tensors_in

scalar_add = operator.add
scalar_sub = operator.sub
scalar_mul = operator.mul
scalar_div = operator.truediv
scalar_floordiv = operator.floordiv
scalar_mod = operator.mod
scalar_pow = operator.pow
scalar_log = log
scalar_uadd = operator.pos
scalar_usub = operator.neg
scalar_eq = operator.eq
scalar_ne = operator.ne
scalar_lt = operator.lt
scalar_le = operator.le
scalar_gt = operator.gt
scalar_ge = operator.ge
scalar_max = max
scalar_min = min

is_ = operator.is_
is_not = operator.is_not
string_eq = operator.eq
string_concat = operator.concat

tuple_getitem = list_getitem = dict_getitem = operator.getitem
tuple_equal = list_equal = operator.eq
list_len = len
make_slice = slice


def bool_not(x: Any) -> bool:
    """Whether ``x`` is not true."""
    return not x


def bool_and(x: Any, y: Any) -> bool:
    """Whether both arguments are true."""
    return bool(x) and bool(y)


def bool_or(x: Any, y: Any) -> bool:
    """Whether at least one argument is true."""
    return bool(x) or bool(y)


def bool_eq(x: Any, y: Any) -> bool:
    """Whether both arguments are true or both are false."""
    return bool(x) is bool(y)


def make_tuple(*items: Any) -> tuple[Any, ...]:
    """Return the arguments as a tuple."""
    return items


def make_list(*items: Any) -> list[Any]:
    """Return the arguments as a list."""
    return list(items)


def make_dict(keys: Sequence[Any], values: Sequence[Any]) -> dict[Any, Any]:
    """Return a dict of the keys and values, paired by index; raise ValueError if their numbers
    differ.

    >>> make_dict(("a", "b"), (1, 2))
    {'a': 1, 'b': 2}
    """
    return dict(zip(keys, values, strict=True))


def tuple_setitem(x: Sequence[Any], index: int, value: Any) -> tuple[Any, ...]:
    """Return the items of ``x`` as a tuple, with ``value`` at ``index``.

    >>> tuple_setitem((1, 2, 3), -1, 5)
    (1, 2, 5)
    """
    return tuple(list_setitem(x, index, value))


def list_setitem(x: Sequence[Any], index: int, value: Any) -> list[Any]:
    """Return the items of ``x`` as a list, with ``value`` at ``index``; ``x`` does not change."""
    items = list(x)
    items[index] = value
    return items


def dict_setitem(x: Mapping[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
    """Return a copy of the dict ``x`` with ``value`` at ``key``; ``x`` does not change."""
    return {**x, key: value}


def in_dict(key: Any, x: Mapping[Any, Any]) -> bool:
    """Whether the dict has the key."""
    return key in x


def not_in_dict(key: Any, x: Mapping[Any, Any]) -> bool:
    """Whether the dict lacks the key."""
    return key not in x


def tuple_reversed(x: Sequence[Any]) -> tuple[Any, ...]:
    """Return a tuple of the items of ``x`` in reverse order."""
    return tuple(x[::-1])


def tuple_div(x: Sequence[int], y: Sequence[int]) -> tuple[int, ...]:
    """Return the element-wise quotients of ``x`` and ``y``; raise ValueError unless each divisor
    divides its item and the lengths are equal.

    >>> tuple_div((4, 6), (2, 3))
    (2, 2)
    """
    if len(x) != len(y) or any(not b or a % b for a, b in zip(x, y)):
        raise ValueError(f"tuple_div: y must divide x, item by item, got {x} and {y}.")
    return tuple([a // b for a, b in zip(x, y)])


def switch(cond: Any, true_branch: Any, false_branch: Any) -> Any:
    """Return ``true_branch`` if ``cond`` is true, else ``false_branch``."""
    return true_branch if cond else false_branch


def switch_layer(index: Any, layers: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """Return the function at ``index``, an int or a one-element tensor, in ``layers``."""
    return layers[int(index)]


def isconstant(x: Any) -> bool:
    """Whether the values of all tensors in ``x`` are known while a graph is traced; always True
    outside a graph.
    """
    return all(t._value.data is not None for t in tensors_in(x))


def is_sequence_value_unknown(x: Any) -> bool:
    """Whether the tuple or list ``x`` holds tensors or is ``mutable``, so that its values are
    unknown; raise TypeError for anything else.
    """
    return isinstance(x, Mutable) or any(
        isinstance(item, Tensor) for item in _check_sequence("is_sequence_value_unknown", x)
    )


def is_sequence_shape_unknown(x: Any) -> bool:
    """Whether the tuple or list ``x`` is ``mutable`` with a dynamic length.

    Any other sequence has a length known while a graph is traced. Anything but a tuple or list
    raises a TypeError.
    """
    return getattr(_check_sequence("is_sequence_shape_unknown", x), "dynamic", False)


def _check_sequence(api_name: str, x: Any) -> Sequence[Any]:
    """Return ``x`` if it is a tuple or list, else raise TypeError."""
    if not isinstance(x, tuple | list):
        raise TypeError(f"{api_name}: x must be a tuple or list, got {x!r}.")
    return x


__all__ = [
    "Tensor",  # user scripts import it from here
    "bool_and",
    "bool_eq",
    "bool_not",
    "bool_or",
    "dict_getitem",
    "dict_setitem",
    "in_dict",
    "is_",
    "is_not",
    "is_sequence_shape_unknown",
    "is_sequence_value_unknown",
    "isconstant",
    "list_equal",
    "list_getitem",
    "list_len",
    "list_setitem",
    "make_dict",
    "make_list",
    "make_slice",
    "make_tuple",
    "not_in_dict",
    "scalar_add",
    "scalar_div",
    "scalar_eq",
    "scalar_floordiv",
    "scalar_ge",
    "scalar_gt",
    "scalar_le",
    "scalar_log",
    "scalar_lt",
    "scalar_max",
    "scalar_min",
    "scalar_mod",
    "scalar_mul",
    "scalar_ne",
    "scalar_pow",
    "scalar_sub",
    "scalar_uadd",
    "scalar_usub",
    "string_concat",
    "string_eq",
    "switch",
    "switch_layer",
    "tuple_div",
    "tuple_equal",
    "tuple_getitem",
    "tuple_reversed",
    "tuple_setitem",
]
