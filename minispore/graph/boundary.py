"""What goes into a graph and comes out of it: tensors in tuples, lists and dicts."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from types import FunctionType
from typing import Any

import numpy as np

from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.tensor import Tensor, wrap
from minispore.core.tree import map_tensors, mapped
from minispore.core.value import Value
from minispore.errors import GraphModeError
from minispore.graph.reach import is_users
from minispore.graph.trace import Untraceable, user_line

_HOLE = object()


def hole(t: Tensor) -> Any:
    """What stands for an output in a structure; a Parameter stands for itself."""
    return t if isinstance(t, Parameter) else _HOLE


def firsts(tensors: list[Tensor]) -> tuple[int, ...]:
    """For each tensor the place where it comes first."""
    seen: dict[int, int] = {}
    return tuple([seen.setdefault(id(t), i) for i, t in enumerate(tensors)])


def rebuilt(tree: Any, boxes: list[Tensor]) -> Any:
    """``tree`` with its input tensors replaced by ``boxes``, in order."""
    left = iter(boxes)

    def taken(given: Tensor) -> Tensor:
        if isinstance(given, Parameter):
            return given
        box = next(left)
        if given.hooks_ is not None:
            box.hooks_ = given.hooks_
        return box

    return map_tensors(taken, tree)


def array_of(t: Tensor) -> np.ndarray:
    data = t._value.data
    if data is None:
        raise GraphModeError(
            f"Tensor: a traced tensor was passed to a graph at {user_line()}. Return it from "
            "construct instead of keeping it in a Python variable or attribute."
        )
    return data


def check_returned(out: Any) -> None:
    """Let pass what a graph can return anew at each call: tensors in tuples, lists and dicts, and
    constants.
    """
    if isinstance(out, tuple | list | dict):
        exact = type(out) in (tuple, list, dict, ParameterTuple) or hasattr(out, "_fields")
        if not exact:
            raise Untraceable(f"it returns a {type(out).__name__}", user_line())
        for x in out.values() if isinstance(out, dict) else out:
            check_returned(x)
    elif (
        isinstance(out, np.ndarray | set | Iterator)
        or (isinstance(out, FunctionType) and out.__closure__)
        or (is_users(type(out).__module__) and not hasattr(type(out), "graph_key"))
    ) and not isinstance(out, type | Enum):
        raise Untraceable(f"it returns a {type(out).__name__}", user_line())


def filled(structure: Any, made: Iterator[Value]) -> Any:
    """``structure`` with its holes filled by tensors, in order; a Parameter stands for itself."""
    return mapped(lambda leaf: wrap(next(made)) if leaf is _HOLE else leaf, structure)


__all__ = ["array_of", "check_returned", "filled", "firsts", "hole", "rebuilt"]
