"""Cache keys of compiled graphs, and descriptions of the difference between two keys."""

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
from minispore.graph.state.code_origin import is_user_code


def is_cell(x: Any) -> bool:
    """Whether ``x`` is a Cell, which this layer recognises by its interface alone."""
    return hasattr(type(x), "_graph_key_")


def find_input_tensors(tree: Any) -> list[Tensor]:
    """Return the tensors in ``tree`` that a graph takes or returns: all but Parameters.

    Parameters are state of the graph.
    """
    return [t for t in tensors_in(tree) if not isinstance(t, Parameter)]


def get_hook_key(t: Tensor) -> tuple[int, ...]:
    """Return a key of the hooks on the gradient of ``t``; () if there are none."""
    return () if t.hooks_ is None else t.hooks_.key()


def get_cache_owner(fn: Any) -> tuple[Any, Any]:
    """Return the object to which the cached programs of ``fn`` belong, and an extra key.

    The owner of a method is its instance; the owner of a derivative is that of its function. The
    cache holds the owner by a weak reference. The extra key tells the owner's methods and
    derivatives apart.
    """
    if isinstance(fn, Derivative):
        owner, extra = get_cache_owner(fn.fn)
        return owner, (extra, *[make_static_key(part) for part in fn.key])
    if isinstance(fn, MethodType):
        instance = fn.__self__
        try:
            weakref.ref(instance)
        except TypeError:
            return fn.__func__, id(instance)
        return instance, fn.__func__.__qualname__
    return fn, None


def check_parameter_names(fn: Any, args: Any, graph_params: Iterable[Parameter]) -> None:
    """Check that the Parameters among ``args`` and in the graph of ``fn`` have different names.

    A Cell, its methods and their derivatives are not checked: Parameters of one Cell may share
    names, as they may when it runs op by op.

    Raises:
        RepeatedName: two different Parameters have the same name.
    """
    if hasattr(get_cache_owner(fn)[0], "get_parameters"):
        return
    params_by_name: dict[str, Parameter] = {}
    argument_params = [t for t in tensors_in(args) if isinstance(t, Parameter)]
    for p in (*argument_params, *graph_params):
        if params_by_name.setdefault(p.name, p) is not p:
            raise RepeatedName(
                f"{name_of(fn)}: each parameter of a graph must have a name of its own, and its "
                f"name {p.name!r} already exists. Rename one of the two."
            )


def name_of(fn: Any) -> str:
    """Return the name of a function or of a Cell's class, for messages."""
    if isinstance(fn, Derivative):
        return f"grad of {name_of(fn.fn)}"
    return getattr(fn, "__name__", None) or type(fn).__name__


_PLAIN = frozenset({int, bool, str, type(None)})


class IdentityKey:
    """A key that is equal only for the same object; holds a weak reference to it where possible."""

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
        """Whether both keys refer to the same object and it still exists."""
        if self is other:
            return True
        return (
            isinstance(other, IdentityKey) and (x := self._get()) is not None and x is other._get()
        )


def make_static_key(x: Any) -> Any:
    """Return a hashable key of a static argument. It distinguishes 1 from 1.0 and True, 0.0 from
    -0.0, and equal objects of a class whose ``__eq__`` may ignore attributes.
    """
    if isinstance(x, Tensor):
        return IdentityKey(x) if isinstance(x, Parameter) else "tensor"
    if type(x) in _PLAIN:
        return (type(x), x)
    if isinstance(x, tuple | list | frozenset):
        return (type(x), *[make_static_key(v) for v in x])
    if isinstance(x, dict):
        return ("dict", *[(make_static_key(k), make_static_key(v)) for k, v in x.items()])
    if isinstance(x, float | complex | np.inexact):
        return (type(x), repr(x))
    try:
        hash(x)
    except TypeError:
        return IdentityKey(x)
    has_custom_eq = type(x).__eq__ is not object.__eq__  # type: ignore[comparison-overlap]
    if not has_custom_eq or not is_user_code(type(x).__module__):
        return (type(x), x)
    if not dataclasses.is_dataclass(x):
        return IdentityKey(x)
    field_keys = [make_static_key(getattr(x, field.name)) for field in dataclasses.fields(x)]
    return (type(x), x, *field_keys)


def format_key_difference(old: Any, new: Any) -> str:
    """Describe the first difference of two cache keys of one function, as the reason of a
    recompile.
    """
    old_extra, old_specs, old_arguments, *_ = old
    new_extra, new_specs, new_arguments, *_ = new
    if len(old_specs) != len(new_specs):
        return f"{len(new_specs)} tensors, was {len(old_specs)}"
    for i, (old_spec, spec) in enumerate(zip(old_specs, new_specs)):
        if old_spec.dtype != spec.dtype:
            return f"new dtype: input {i} became {spec}, was {old_spec}"
        if old_spec != spec:
            return f"new shape: input {i} became {spec}, was {old_spec}"
    if old_arguments != new_arguments:
        return "new constant: a static argument changed"
    if old_extra != new_extra:
        return "another derivative"
    if _find_input_strides(old) != _find_input_strides(new):
        return "new memory order: an input became, or was, a view of another tensor"
    return "one tensor for several arguments"


def _find_input_strides(key: Any) -> Any:
    """Return the strides of the inputs in a key, if one of them is not in C order; else None."""
    first_optional = 4  # after the extra key, the specs, the static arguments and a setting
    tuples = [field for field in key[first_optional:] if isinstance(field, tuple)]
    return next((field for field in tuples if any(isinstance(x, tuple) for x in field)), None)


def format_state_change(cell: Any, old: Any, new: Any) -> str:
    """Describe the difference between two keys of a Cell's state."""
    name = type(cell).__name__
    if isinstance(old, tuple) and old and old[0] != new[0]:
        return f"train flag of {name} became {new[0]}"
    return f"an attribute of {name} changed"
