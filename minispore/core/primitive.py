"""Primitive: the base class of all ops.

A subclass declares its attributes by annotations (MindSpore's constructor arguments, in order),
defines inference, computation and differentiation, and is registered by its name::

    class LogSoftmax(Primitive):
        axis: int = -1
        reuse = (0,)

        def infer(self, x): ...
        def kernel(self, x, *, out): ...
        def vjp(self, x, *, out, dout): ...

Instances are immutable values. Their attributes define equality, hash and repr;
common-subexpression elimination and the inference cache compare them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minispore.context.parallel import note_shard_call
from minispore.core.arguments import is_default
from minispore.core.tensor import Tensor, apply
from minispore.errors import did_you_mean
from minispore.execution import layout as layouts
from minispore.execution.kernels import bound_kernel, steps
from minispore.execution.threads import tiles
from minispore.foundation import checks
from minispore.foundation.field_signature import FieldSignature
from minispore.ir.input_names import order_inputs
from minispore.ir.operator import (
    Arithmetic,
    Calls,
    Cotangents,
    Effect,
    Operator,
    OperatorTraits,
    Promotion,
    UnknownShape,
    VjpRule,
    WorkSplit,
)
from minispore.ir.registry import Interned, forget_instance, get_type_key, registry
from minispore.ir.value import Spec

_REQUIRED = object()


class Primitive(Operator, metaclass=Interned):
    """Base class of all ops.

    An op defines ``infer``, ``kernel`` and, if it has a gradient, ``vjp``. It may set these class
    attributes:

    * ``name``: the name under which the op is registered. Default: that of the class. If the
      package has an op of that name, a script's op is registered with its module before the name.
    * ``effect``: its side effects, an :class:`Effect`.
    * ``arithmetic``: how it computes elements, an :class:`Arithmetic`.
    * ``pointwise``: element i of the output depends only on element i of the (broadcast) inputs.
    * ``reuse``: the inputs whose buffer the first output may reuse.
    * ``mutates``: output i is the new content of input ``mutates[i]``; implies ``Effect.UPDATE``.
    * ``variadic``: it is called with one tuple of tensors; ``kernel`` gets them as separate
      arguments.
    * ``promotion``: which inputs are cast to their common dtype, a :class:`Promotion`, or None.
    * ``dynamic``: output shapes depend on values: ``kernel(*arrays)`` allocates and returns.
    * ``layout``: the memory order of the outputs, see :mod:`minispore.execution.layout`.
    * ``vjp_rule``: how the tape calls ``vjp``, a :class:`VjpRule`.
    * ``work_split``: how threads may share its work, a :class:`WorkSplit`.

    It may also define these methods, most of them for speed:

    * ``check`` validates the constructor's arguments, and may replace one by its normal form, such
      as an int by a tuple of ints. The other methods see only the normal form.
    * ``calls`` replaces ``kernel`` by a list of calls that a graph binds once, and ``scratch``
      returns the arrays that they need.
    * ``view`` returns the output as a view of the first input. An op with a ``scatter_view`` is a
      view for the user, too: a write to the output changes the input.
    * ``bind_in_place`` returns the kernel of an update, bound to the arrays of a Parameter.
    * ``rowwise`` returns the axes of independent rows, which threads can share.
    * ``lower_to_steps`` replaces ``kernel`` by a sequence of other ops.
    * ``flops`` counts its operations, if they are not one per output element.

    Raises:
        TypeError: an argument is missing or unknown.
    """

    __signature__ = FieldSignature(_REQUIRED)
    layout: ClassVar[str] = layouts.ROW_MAJOR

    _added_attributes: ClassVar[dict[str, Any]] = {}  # set by add_prim_attr
    _key: tuple[Any, ...]
    _hash: int

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Set the fields, effect and traits of the op class, and register it unless private."""
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            cls.name = cls.__name__
        if not _is_of_package(cls) and _is_of_package(registry.get(cls.name, cls)):
            cls.name = f"{cls.__module__}.{cls.name}"  # the package calls its own op by its name
        class_fields = {
            f: cls.__dict__.get(f, _REQUIRED)
            for f, annotation in cls.__annotations__.items()
            if str(annotation)[:8] != "ClassVar" and f[0] != "_"
        }
        # A subclass that redeclares all attributes also redefines their order.
        if class_fields:
            declares_all = class_fields.keys() >= cls.fields.keys()
            cls.fields = class_fields if declares_all else {**cls.fields, **class_fields}
        if cls.mutates and cls.effect is Effect.NONE:
            cls.effect = Effect.UPDATE
        if "calls" in cls.__dict__ and "kernel" not in cls.__dict__:
            cls.kernel = Primitive.kernel  # the base's kernel computes another function
        lowers_to_steps = cls.lower_to_steps is not Primitive.lower_to_steps
        has_scratch = cls.scratch is not Primitive.scratch
        cls.traits = OperatorTraits(
            has_view=cls.view is not Primitive.view,
            has_scratch=has_scratch,
            has_calls=_find_nearest_definition(cls, "calls", "kernel") == "calls",
            has_rowwise=cls.rowwise is not Primitive.rowwise,
            can_bind_in_place=cls.bind_in_place is not Primitive.bind_in_place,
            lowers_to_steps=lowers_to_steps,
            has_many_calls=cls.kernel is Primitive.kernel and (lowers_to_steps or has_scratch),
        )
        if cls.__name__[0] != "_":
            registry[cls.name] = cls

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        fields = self.fields
        if len(args) > len(fields):
            if "__init__" in vars(type(self)) and not _is_of_package(type(self)):
                raise TypeError(
                    f"Primitive: {type(self).__name__} must declare its arguments by annotations, "
                    "got an __init__. To describe an op as MindSpore does, derive it from "
                    "ops.PrimitiveWithInfer."
                )
            raise TypeError(
                f"{self.name}: takes at most {len(fields)} arguments "
                f"({', '.join(fields) or 'none'}), got {len(args)}."
            )
        values = dict(fields)
        values.update(zip(fields, args, strict=False))
        for key, value in kwargs.items():
            if key not in fields:
                raise TypeError(f"{self.name}: has no argument {key!r}.{did_you_mean(key, fields)}")
            values[key] = value
        for field, value in values.items():
            if value is _REQUIRED:
                raise TypeError(f"{self.name}: missing argument {field!r}.")
            object.__setattr__(self, field, _make_hashable(value))
        self.check()
        attributes = tuple([getattr(self, f) for f in fields])
        object.__setattr__(self, "_key", attributes)
        object.__setattr__(self, "_hash", hash((self.name, attributes)))

    def check(self) -> None:
        """Validate the attributes that the constructor set; a subclass overrides it, and may
        normalise one with ``self.normalise(axis=...)``.
        """

    def normalise(self, **attributes: Any) -> None:
        """Replace attributes by their normal form, although the op is immutable; for use in
        ``check`` only.
        """
        for key, value in attributes.items():
            object.__setattr__(self, key, value)

    if not TYPE_CHECKING:  # each op has its own parameters

        def kernel(self, *args: Any, out: Any) -> Any:
            """Compute with NumPy: write every element of ``out``.

            This base method runs the steps or calls of an op that defines those instead of a
            kernel.

            Raises TypeError if the op defines neither.
            """
            if self.traits.lowers_to_steps:
                steps.run(self, args, out)
            elif self.traits.has_calls:
                work = bound_kernel.make_scratch_arrays(self, args)
                tiles.run(self.calls(*args, out=out, work=work))
            else:
                raise TypeError(f"{self.name}: has no kernel.")

    @staticmethod
    def _by_name_(name: str) -> Operator:
        """Return the op ``name`` with default attributes, for a call ``Primitive(name)``.

        An unknown name gives an op that raises when it is called.
        """
        if not isinstance(name, str):
            raise TypeError(f"Primitive: name must be a str, got {name!r} ({type(name).__name__}).")
        return registry[name]() if name in registry else _UnknownPrimitive(name)

    # -- use --------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Apply the op to ``args``; inputs given by name are put in order."""
        return apply(self, order_inputs(self.name, args, named) if named else args)

    def __eq__(self, other: object) -> bool:
        """Whether both ops have the same class and attributes of equal values and types; a distinct
        op equals only itself.
        """
        if self is other or type(self) is not type(other) or self.is_distinct:
            return self is other
        return self._key == other._key and [*map(get_type_key, self._key)] == [
            *map(get_type_key, other._key)
        ]

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        """Return the constructor call with the arguments that differ from their defaults."""
        arguments = ", ".join(
            f"{f}={getattr(self, f)!r}"
            for f, d in self.fields.items()
            if not is_default(getattr(self, f), d)
        )
        return f"{self.name}({arguments})"

    def __setattr__(self, key: str, value: Any) -> None:
        """Raise an AttributeError, as an op is immutable."""
        raise AttributeError(
            f"{self.name}: is immutable, so {key!r} can't be set. Make a new {self.name}(...)."
        )

    @property
    def attrs(self) -> dict[str, Any]:
        """The constructor's arguments and the added attributes, by name."""
        return {field: getattr(self, field) for field in self.fields} | self._added_attributes

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        """Add an attribute that does not change the result. An equal op that is made later does not
        have it.

        Raises:
            AttributeError: the op was constructed with a different ``value`` of this attribute.
        """
        if name in self.fields and getattr(self, name) != _make_hashable(value):
            setattr(self, name, value)
        forget_instance(self)
        new_attribute = {} if hasattr(self, name) else {name: value}
        self.normalise(_added_attributes={**self._added_attributes, name: value}, **new_attribute)
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        """Remove an attribute that :meth:`add_prim_attr` added."""
        self.normalise(
            _added_attributes={k: v for k, v in self._added_attributes.items() if k != name}
        )
        if name not in self.fields:
            self.__dict__.pop(name, None)
        return self

    def set_prim_instance_name(self, name: str) -> Primitive:
        """Set the attribute ``instance_name``; it does not change the result."""
        forget_instance(self)
        self.normalise(instance_name=name)
        return self

    def set_device(self, device_target: str) -> Primitive:
        """Accepted for compatibility: the op runs where the program runs."""
        return self

    def set_stage(self, stage: int) -> Primitive:
        """Accepted for compatibility: there is one pipeline stage."""
        return self

    def shard(self, in_strategy: Any = None, out_strategy: Any = None) -> Primitive:
        """Accepted for compatibility: nothing is split on one device.

        Raises:
            RuntimeError: there are several ranks, in a mode that splits networks.
        """
        note_shard_call(f"{self.name}.shard")
        return self

    def place(self, role: str, rank_id: int) -> Primitive:
        """Accepted for compatibility where there is one rank.

        Raises:
            RuntimeError: there are several ranks, in a mode that splits networks.
        """
        note_shard_call(f"{self.name}.place")
        return self

    def recompute(self, mode: bool = True) -> Primitive:
        """Accepted for compatibility: the memory planner decides which values are kept."""
        checks.boolean(f"{self.name}.recompute", "mode", mode)
        return self


def _is_of_package(cls: type) -> bool:
    """Whether a class is one of the package's, not of a script."""
    return cls.__module__.partition(".")[0] == __name__.partition(".")[0]


def _find_nearest_definition(cls: type[Primitive], *names: str) -> str:
    """Return the one of ``names`` that is defined nearest to ``cls`` in its MRO; "" if only
    Primitive defines them.

    If one class defines several, the first is returned.
    """
    for c in cls.__mro__:
        if c is Primitive:
            break
        for name in names:
            if name in c.__dict__:
                return name
    return ""


class _UnknownPrimitive(Primitive):
    """Op of an unregistered name: it can be built, but inferring or calling it raises."""

    op: str

    def check(self) -> None:
        """Set ``name``, with which errors begin, to the unregistered name."""
        self.normalise(name=self.op)

    def infer(self, *args: Any) -> Any:
        """Raise a RuntimeError that names the unknown op and a similar one."""
        hint = did_you_mean(self.name, registry)
        raise RuntimeError(f"Primitive: name must be that of an op, got {self.name!r}.{hint}")


def _make_hashable(value: Any) -> Any:
    """Return an op's attribute as hashable Python values: lists and tensors become tuples, NumPy
    scalars and 0-d tensors numbers.
    """
    if isinstance(value, list | tuple):
        return tuple(_make_hashable(v) for v in value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Tensor):
        return _make_hashable(value.asnumpy().tolist())
    return value


__all__ = [
    "Arithmetic",
    "Calls",
    "Cotangents",
    "Effect",
    "Primitive",
    "Promotion",
    "Spec",
    "UnknownShape",
    "VjpRule",
    "WorkSplit",
]
