"""Primitives by name, so that ``Tensor.__add__`` can say ``call("Add", ...)``: a name crosses, not
an import; and by their attributes, so that equal ones are one object.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from minispore.core.primitive import Primitive

# Operators that core calls by name, and `ops` where an import would go in a circle. A type checker
# sees a misspelt name; a test compares the list with the calls.
OpName = Literal[
    "Abs",
    "Add",
    "Cast",
    "Concat",
    "Conj",
    "Cos",
    "GatherGrad",
    "Gcd",
    "GetItem",
    "GetItemByMask",
    "Identity",
    "LogicalNot",
    "LogicalXor",
    "MatMulExt",
    "Maximum",
    "Minimum",
    "Neg",
    "OnesLike",
    "RealGcd",
    "ReduceMean",
    "ReduceSum",
    "Reshape",
    "Round",
    "Select",
    "SetItem",
    "Sign",
    "Sin",
    "StopGradient",
    "Sub",
    "Transpose",
    "ZerosLike",
]

registry: dict[str, type[Primitive]] = {}
_PLAIN = {bool, int, float, str, type(None)}
_MADE_BOUND = 4096
_made: dict[Any, Any] = {}
_defaults: dict[Interned, Any] = {}  # the instance of a class with default attributes


@cache
def primitive(name: str) -> Primitive:
    """The instance of the primitive ``name`` with default attributes."""
    return registry[name]()


class Interned(type):
    """Makes equal primitives of plain attributes the same object: values need no copies."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not args and not kwargs and cls in _defaults:
            return _defaults[cls]
        if "_by_name_" in cls.__dict__:
            return cls._by_name_(*args, **kwargs)  # type: ignore[attr-defined]  # the base of all
        given = (*args, *kwargs.values())
        kinds = tuple([kind_of(a) for a in given])
        if None in kinds:
            return super().__call__(*args, **kwargs)
        key = (cls, given, kinds, tuple(kwargs))
        found = _made.get(key)
        if found is None:
            found = super().__call__(*args, **kwargs)
            if found.distinct:
                return found
            if not given:
                _defaults[cls] = found
                return found
            if len(_made) >= _MADE_BOUND:
                _made.clear()
            _made[key] = found
        return found


def kind_of(value: Any) -> Any:
    """What tells 1, 1.0 and True apart in a key, and 0.0 from -0.0, also inside a tuple; None: not
    a plain value.
    """
    kind = type(value)
    if kind is tuple:
        kinds = tuple([kind_of(v) for v in value])
        return None if None in kinds or tuple in map(type, value) else kinds
    if kind is float and not value:
        return repr(value)
    return kind if kind in _PLAIN else None


def separated(op: Any) -> None:
    """Let equal ops that are made from now on be others than ``op``."""
    for instances in (_made, _defaults):
        for key in [key for key, made in list(instances.items()) if made is op]:
            instances.pop(key, None)  # another thread may make ops meanwhile


__all__ = ["Interned", "OpName", "kind_of", "primitive", "registry", "separated"]
