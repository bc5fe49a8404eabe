"""What goes into a graph and comes out of it: tensors in tuples, lists and dicts."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from types import (
    BuiltinFunctionType,
    EllipsisType,
    FunctionType,
    ModuleType,
    NoneType,
    NotImplementedType,
)
from typing import Any

import numpy as np

from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.rows import RowGradient
from minispore.core.tensor import Tensor, wrap
from minispore.core.tree import Mutable, map_tensors, mapped, tensors_in
from minispore.core.value import Value, no_content
from minispore.core.views import View, again, traced_back, view_of
from minispore.errors import GraphModeError
from minispore.graph.state.outside import is_users
from minispore.graph.trace import Untraceable, user_line
from minispore.ops.methods.sparse_tensors import SparseTensor


class _Open(tuple):
    """The parts of a gradient of rows, which they become again once they are tensors."""

    def __new__(cls, parts: Any) -> Any:
        return RowGradient(*parts) if isinstance(parts[1], Tensor) else super().__new__(cls, parts)


def opened(tree: Any) -> Any:
    """``tree`` with the parts of each gradient of rows in its place: they go in and come out of a
    graph as two tensors.
    """

    def parts(leaf: Any) -> Any:
        if not isinstance(leaf, RowGradient):
            return leaf
        return tuple.__new__(_Open, (leaf.indices, leaf.values, leaf.table))

    return mapped(parts, tree)


class Hole:
    """What stands for an output in a structure. One that shares its content with something else (an
    input, a Parameter, another output) does so in each call.

    Args:
        of: whose content it shows, by its number among the roots; None: it is alone.
        way: the views that lead from there to the output.
    """

    def __init__(self, of: int | Parameter | None = None, way: tuple[View, ...] = ()) -> None:
        self.of, self.way = of, way

    def filled(self, made: Value, roots: list[Tensor]) -> Tensor:
        """The output of a call in which ``made`` was computed for it."""
        if self.of is None:
            return wrap(made)
        root = roots[self.of] if isinstance(self.of, int) else self.of
        return again(wrap(made), root, self.way) if self.way else root


_PLAIN = Hole()


class Structure:
    """How a function's result is made of the outputs of its graph.

    Args:
        tree: the result, with holes for its tensors.
        holes: how many; their outputs come first.
        roots: how many of the last outputs are there for several holes to show.
    """

    def __init__(self, tree: Any, holes: int, roots: int) -> None:
        self.tree, self.holes, self.roots = tree, holes, roots

    def filled(self, made: list[Value], inputs: list[Tensor]) -> Any:
        """The result of a call with these outputs and inputs."""
        roots = [*inputs, *map(wrap, made[len(made) - self.roots :])]
        left = iter(made)
        return mapped(
            lambda leaf: leaf.filled(next(left), roots) if leaf.__class__ is Hole else leaf,
            self.tree,
        )


def structure_of(tree: Any, boxes: list[Tensor]) -> tuple[Structure, list[Tensor]]:
    """How ``tree`` is made again in each call with ``boxes`` for inputs, and the tensors that
    several of its tensors show; a Parameter stands for itself.
    """
    found = {id(t): traced_back(t) for t in tensors_in(tree) if not isinstance(t, Parameter)}
    bases = [found[id(t)][0] for t in tensors_in(tree) if id(t) in found]
    times = Counter(map(id, bases))
    numbers = {id(box): i for i, box in enumerate(boxes)}
    shared: list[Tensor] = []
    for base in bases:
        if times[id(base)] > 1 and id(base) not in numbers and not isinstance(base, Parameter):
            numbers[id(base)] = len(boxes) + len(shared)
            shared.append(base)

    def hole(t: Tensor) -> Any:
        if isinstance(t, Parameter):
            return t
        base, way = found[id(t)]
        root = base if isinstance(base, Parameter) else numbers.get(id(base))
        return _PLAIN if root is None else Hole(root, tuple([step.of_nothing() for step in way]))

    return Structure(map_tensors(hole, tree), len(bases), len(shared)), shared


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
        if t.has_init or any(n < 0 for n in t._value.spec.shape):
            raise no_content(t._value.spec)
        raise GraphModeError(
            f"Tensor: a traced tensor was passed to a graph at {user_line()}. Return it from "
            "construct instead of keeping it in a Python variable or attribute."
        )
    return data


_CONSTANTS = (
    *(int, float, complex, str, bytes, range, np.generic, np.dtype),
    *(NoneType, EllipsisType, NotImplementedType, ModuleType),
)


def check_returned(out: Any) -> None:
    """Let pass what a graph can return anew at each call: tensors in tuples, lists and
    dicts, and constants.
    """
    if isinstance(out, tuple | list | dict):
        exact = type(out) in (tuple, list, dict, ParameterTuple) or hasattr(out, "_fields")
        exact = exact or isinstance(out, Mutable)
        if not exact:
            raise Untraceable(f"it returns a {type(out).__name__}", user_line())
        for x in out.values() if isinstance(out, dict) else out:
            check_returned(x)
    elif not isinstance(out, Tensor) and not _is_constant(out):
        raise Untraceable(f"it returns a {type(out).__name__}", user_line())


def _is_constant(out: Any) -> bool:
    """Whether each call may return this very object, which can hold no tensor of one call."""
    kind = type(out)
    if isinstance(out, type | Enum) or hasattr(kind, "_graph_key_"):
        return True
    if isinstance(out, slice):
        return all(_is_constant(x) for x in (out.start, out.stop, out.step))
    if isinstance(out, FunctionType):
        return not (out.__closure__ or out.__defaults__ or out.__kwdefaults__)
    if isinstance(out, BuiltinFunctionType):
        return out.__self__ is None or isinstance(out.__self__, ModuleType)
    if kind.__module__.partition(".")[0] == __name__.partition(".")[0]:
        return not isinstance(out, Tensor | SparseTensor)
    return isinstance(out, _CONSTANTS) and not is_users(kind.__module__)


def alike(tensors: list[Tensor]) -> bool:
    """Whether two tensors share a content, one as a view of the other or both of a third."""
    if all(view_of(t) is None for t in tensors):
        return False
    return len({id(traced_back(t)[0]) for t in tensors}) < len(set(map(id, tensors)))


__all__ = [
    "Structure",
    "alike",
    "array_of",
    "check_returned",
    "firsts",
    "opened",
    "rebuilt",
    "structure_of",
]
