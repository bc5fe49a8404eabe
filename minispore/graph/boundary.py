"""What goes into a graph and comes out of it: tensors in tuples, lists and dicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from types import FunctionType
from typing import Any

import numpy as np

from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.tensor import Tensor, wrap
from minispore.core.tree import map_tensors, mapped
from minispore.core.value import Value, no_content
from minispore.core.views import View, again, traced_back, view_of
from minispore.errors import GraphModeError
from minispore.graph.reach import is_users
from minispore.graph.trace import Untraceable, user_line


@dataclass(frozen=True)
class Hole:
    """What stands for an output in a structure. One that is an input, or a view of it, shares its
    content in each call.
    """

    of: int | None = None  # the number of that input
    way: tuple[View, ...] = ()  # the views that lead from it to the output

    def filled(self, made: Value, inputs: list[Tensor]) -> Tensor:
        if self.of is None:
            return wrap(made)
        given = inputs[self.of]
        return again(wrap(made), given, self.way) if self.way else given


_PLAIN = Hole()


def holes(tree: Any, boxes: list[Tensor]) -> Any:
    """``tree`` with holes for its tensors; a Parameter stands for itself."""
    numbers = {id(box): i for i, box in enumerate(boxes)}

    def hole(t: Tensor) -> Any:
        if isinstance(t, Parameter):
            return t
        base, way = traced_back(t)
        number = numbers.get(id(base))
        if number is None:
            return _PLAIN
        return Hole(number, tuple([step.of_nothing() for step in way]))

    return map_tensors(hole, tree)


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
        if t.has_init:
            raise no_content(t._value.spec)
        raise GraphModeError(
            f"Tensor: a traced tensor was passed to a graph at {user_line()}. Return it from "
            "construct instead of keeping it in a Python variable or attribute."
        )
    return data


def check_returned(out: Any) -> None:
    """Let pass what a graph can return anew at each call: tensors in tuples, lists and
    dicts, and constants.
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


def filled(structure: Any, made: Iterator[Value], inputs: list[Tensor]) -> Any:
    """``structure`` with its holes filled by tensors, in order."""
    return mapped(
        lambda leaf: leaf.filled(next(made), inputs) if leaf.__class__ is Hole else leaf, structure
    )


def alike(tensors: list[Tensor]) -> bool:
    """Whether two tensors share a content, one as a view of the other or both of a third."""
    if all(view_of(t) is None for t in tensors):
        return False
    return len({id(traced_back(t)[0]) for t in tensors}) < len(set(map(id, tensors)))


__all__ = ["alike", "array_of", "check_returned", "filled", "firsts", "holes", "rebuilt"]
