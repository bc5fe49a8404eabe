"""What tells one compiled graph from another, and how to say in words what changed."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable, Iterable
from types import MethodType
from typing import Any

import numpy as np

from minispore.core.parameter import Parameter
from minispore.core.staged import Derivative
from minispore.core.tensor import Tensor
from minispore.core.tree import tensors_in
from minispore.errors import RepeatedName
from minispore.graph.state.outside import is_users


def inputs_of(tree: Any) -> list[Tensor]:
    """The tensors that go into a graph or come out of it: all but Parameters, which are state."""
    return [t for t in tensors_in(tree) if not isinstance(t, Parameter)]


def hooks_of(t: Tensor) -> tuple[int, ...]:
    """By what the functions are known that see the gradient of ``t``."""
    return () if t.hooks_ is None else t.hooks_.key()


def owner_of(fn: Any) -> tuple[Any, Any]:
    """What the cache of ``fn`` hangs on (weakly), and what else tells it apart."""
    if isinstance(fn, Derivative):
        owner, extra = owner_of(fn.fn)
        return owner, (extra, *[static_key(part) for part in fn.key])
    if isinstance(fn, MethodType):
        bound = fn.__self__
        try:
            weakref.ref(bound)
        except TypeError:
            return fn.__func__, id(bound)
        return bound, fn.__func__.__qualname__
    return fn, None


def check_names(fn: Any, args: Any, inside: Iterable[Parameter]) -> None:
    """The Parameters of a function's graph must have names of their own. Those of a Cell's need
    none: it computes what it does op by op.

    Raises:
        RepeatedName: two of them share one.
    """
    if hasattr(owner_of(fn)[0], "get_parameters"):
        return
    known: dict[str, Parameter] = {}
    given = [t for t in tensors_in(args) if isinstance(t, Parameter)]
    for p in (*given, *inside):
        if known.setdefault(p.name, p) is not p:
            raise RepeatedName(
                f"{name_of(fn)}: each parameter of a graph must have a name of its own, and its "
                f"name {p.name!r} already exists. Rename one of the two."
            )


def name_of(fn: Any) -> str:
    if isinstance(fn, Derivative):
        return f"grad of {name_of(fn.fn)}"
    return getattr(fn, "__name__", None) or type(fn).__name__


_PLAIN = frozenset({int, bool, str, type(None)})


class Itself:
    """One object, by which alone it is known; held weakly where that can be."""

    __slots__ = ("_get", "_id")

    def __init__(self, x: Any) -> None:
        self._id = id(x)
        self._get: Callable[[], Any]
        try:
            self._get = weakref.ref(x)
        except TypeError:
            self._get = lambda: x

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Itself) and (x := self._get()) is not None and x is other._get()


def static_key(x: Any) -> Any:
    """A hashable that tells static arguments apart: 1 from 1.0 and True, 0.0 from -0.0, and equal
    objects of a class whose ``__eq__`` may leave something out.
    """
    if isinstance(x, Tensor):
        return Itself(x) if isinstance(x, Parameter) else "tensor"
    if type(x) in _PLAIN:
        return (type(x), x)
    if isinstance(x, tuple | list | frozenset):
        return (type(x), *[static_key(v) for v in x])
    if isinstance(x, dict):
        return ("dict", *[(static_key(k), static_key(v)) for k, v in x.items()])
    if isinstance(x, float | complex | np.inexact):
        return (type(x), repr(x))
    try:
        hash(x)
    except TypeError:
        return Itself(x)
    own = type(x).__eq__ is not object.__eq__  # type: ignore[comparison-overlap]
    if not own or not is_users(type(x).__module__):
        return (type(x), x)
    if not dataclasses.is_dataclass(x):
        return Itself(x)
    held = [static_key(getattr(x, field.name)) for field in dataclasses.fields(x)]
    return (type(x), x, *held)


def difference(old: Any, new: Any) -> str:
    """What makes two cache keys differ, in words."""
    if old[1] != new[1]:
        if len(old[1]) != len(new[1]):
            return f"{len(new[1])} tensors, was {len(old[1])}"
        for i, (a, b) in enumerate(zip(old[1], new[1])):
            if a.dtype != b.dtype:
                return f"new dtype: input {i} became {b}, was {a}"
            if a != b:
                return f"new shape: input {i} became {b}, was {a}"
    if old[2] != new[2]:
        return "new constant: a static argument changed"
    if old[0] != new[0]:
        return "another derivative"
    if _lies(old) != _lies(new):
        return "new memory order: an input became, or was, a view of another tensor"
    return "one tensor for several arguments"


def _lies(key: Any) -> Any:
    """The strides of inputs in a key, if one of them is not in C order."""
    said = [part for part in key[4:] if isinstance(part, tuple)]
    return next((part for part in said if any(isinstance(x, tuple) for x in part)), None)


def state_change(cell: Any, old: Any, new: Any) -> str:
    name = type(cell).__name__
    if isinstance(old, tuple) and old and old[0] != new[0]:
        return f"train flag of {name} became {new[0]}"
    return f"an attribute of {name} changed"
