"""Primitives by name and by attributes.

By name, so that ``Tensor.__add__`` can use ``call("Add", ...)`` without importing a higher layer;
by attributes, so that equal primitives are the same object.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from minispore.ir.operator import Operator

# Operators that core calls by name, and that `ops` calls by name to avoid circular imports. A type
# checker detects a misspelt name; a test compares the list with the calls.
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

registry: dict[str, type[Operator]] = {}
_PLAIN_TYPES = {bool, int, float, str, type(None)}
_MAX_INSTANCES = 4096
_instances: dict[Any, Any] = {}
_defaults: dict[Interned, Any] = {}  # the instance of a class with default attributes


@cache
def primitive(name: str) -> Operator:
    """Return the primitive ``name`` with default attributes, the same object each time."""
    return registry[name]()


class Interned(type):
    """Metaclass that returns the same object for equal primitives with plain attributes."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Return the existing instance with these arguments, or create it.

        With arguments that are not plain values, and for ops with private state, each call creates
        an instance. The stored instances are dropped when there are too many.
        """
        if not args and not kwargs and cls in _defaults:
            return _defaults[cls]
        if "_by_name_" in cls.__dict__:
            return cls._by_name_(*args, **kwargs)  # type: ignore[attr-defined]  # Primitive itself
        arguments = (*args, *kwargs.values())
        kinds = tuple([get_type_key(a) for a in arguments])
        if None in kinds:
            return super().__call__(*args, **kwargs)
        key = (cls, arguments, kinds, tuple(kwargs))
        instance = _instances.get(key)
        if instance is None:
            instance = super().__call__(*args, **kwargs)
            if instance.is_distinct:
                return instance
            if not arguments:
                _defaults[cls] = instance
                return instance
            if len(_instances) >= _MAX_INSTANCES:
                _instances.clear()
            _instances[key] = instance
        return instance


def get_type_key(value: Any) -> Any:
    """Return a key that distinguishes 1, 1.0 and True, and 0.0 and -0.0, also inside a tuple.

    Returns:
        None if it is neither a plain value nor a tuple of plain values.
    """
    kind = type(value)
    if kind is tuple:
        kinds = tuple([get_type_key(v) for v in value])
        is_nested = tuple in map(type, value)
        return None if is_nested or None in kinds else kinds
    if kind is float and not value:
        return repr(value)
    return kind if kind in _PLAIN_TYPES else None


def forget_instance(op: Any) -> None:
    """Forget ``op``, so that the next call with its arguments creates a new object."""
    for instances in (_instances, _defaults):
        for key in [key for key, instance in list(instances.items()) if instance is op]:
            instances.pop(key, None)  # with a default: another thread may have cleared it


__all__ = ["Interned", "OpName", "forget_instance", "get_type_key", "primitive", "registry"]
