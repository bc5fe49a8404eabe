"""Primitive: what one op is.

A subclass names its attributes by annotations (MindSpore's constructor arguments, in order), says
what it infers, computes and how it is differentiated, and is registered by its name::

    class LogSoftmax(Primitive):
        axis: int = -1
        reuse = (0,)

        def infer(self, x): ...
        def kernel(self, x, *, out): ...
        def vjp(self, x, *, out, dout): ...

Instances are frozen values: equal, hashable and printable by their attributes, which is what
common-subexpression elimination and the inference cache compare.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minispore import checks
from minispore.context.parallel import strategy_given
from minispore.core import layout as layouts
from minispore.core.arguments import in_order, is_default
from minispore.core.kernels import bound, steps
from minispore.core.registry import Interned, kind_of, registry, separated
from minispore.core.tensor import Tensor, apply
from minispore.core.threads import tiles
from minispore.core.threads.crew import Calls
from minispore.core.threads.tiles import Rows
from minispore.core.value import Spec
from minispore.errors import did_you_mean

_REQUIRED = object()


class Primitive(metaclass=Interned):
    """Base of all ops. See the module's text; the class attributes below are what a subclass may
    set.

    Raises:
        TypeError: an argument is missing, or there is none of its name.
    """

    name: ClassVar[str]
    fields: ClassVar[dict[str, Any]] = {}

    pure: ClassVar[bool] = True  # False: never merged, dropped or reordered (effects, random draws)
    early: ClassVar[bool] = False  # in a graph it runs as soon as its inputs are there
    # A whole number beside integers becomes one of them: -1 is 255 for uint8. False: it stays.
    wraps: ClassVar[bool] = True
    exact: ClassVar[bool] = False  # numbers beside half floats are not rounded to one
    written: ClassVar[bool] = False  # its derivative is a function of the user
    _more: ClassVar[dict[str, Any]] = {}  # attributes that were added
    # An instance with a state of its own (a stream of random numbers) is equal to none but itself.
    distinct: bool = False
    draws: ClassVar[bool] = False  # its only effect is to advance the random stream
    # "clears" or "reads" the overflow flag of the device: graphs keep each op between the two.
    flag: ClassVar[str] = ""
    # Element i of the output is made of element i of the (broadcast) inputs, so slices can be.
    pointwise: ClassVar[bool] = False
    # By exp, log, sin or a series of its own: several instructions for each element.
    transcendental: ClassVar[bool] = False
    renames: ClassVar[bool] = False  # the output is the first input under another shape or name
    moves: ClassVar[bool] = False  # copies elements and computes none: half floats stay half
    # Each element of the output is one of an input's, or 0, or the negative: nothing to round.
    chooses: ClassVar[bool] = False
    images: ClassVar[bool] = False  # reads or makes feature maps (N, C, *spatial)
    # What a matrix unit does of it: "product", "convolution", "input gradient", "weight gradient".
    multiplies: ClassVar[str] = ""
    reuse: ClassVar[tuple[int, ...]] = ()  # inputs whose buffer `out` may take
    mutates: ClassVar[tuple[int, ...]] = ()  # output i is the new content of input mutates[i]
    block: ClassVar[int] = 0  # elements that an update makes of those at their place, and goes on
    variadic: ClassVar[bool] = False  # called with one tuple of tensors: kernel(self, *xs, out)
    # Arguments that are brought to their common dtype before anything else.
    promotes: ClassVar[tuple[int, ...]] = ()
    # Kinds of dtypes that an input with axes keeps beside one without: integers or floats both.
    keeps_dtype: ClassVar[str] = ""
    # Output shapes depend on values: kernel(*arrays) allocates and returns.
    dynamic: ClassVar[bool] = False
    layout: ClassVar[str] = layouts.ROW_MAJOR  # memory order of outputs, see core.layout
    reads: ClassVar[str] = layouts.ROW_MAJOR  # and of the input that it reads without a detour
    # Whether vjp is the adjoint of complex numbers, too. Else it multiplies with the derivative,
    # and the walker conjugates what goes in and comes out, where the output is complex.
    hermitian: ClassVar[bool] = False
    partial: ClassVar[bool] = False  # vjp takes None for outputs that nobody differentiated
    internal: ClassVar[bool] = False  # ours, with no counterpart among MindSpore's public names
    shows: ClassVar[bool] = False  # writing into the output writes into the first input: `put`
    has_view: ClassVar[bool] = False
    has_scratch: ClassVar[bool] = False
    has_calls: ClassVar[bool] = False
    has_rowwise: ClassVar[bool] = False
    short_calls: ClassVar[bool] = False  # of rows: not worth it for threads, but for helpers
    row_edges: ClassVar[tuple[int, ...]] = (1,)  # its rows are cut at multiples of one of them
    has_standing: ClassVar[bool] = False
    lowers: ClassVar[bool] = False
    binds: ClassVar[bool] = False  # the kernel is many calls
    # Inputs for whose gradient the kernel saves what it makes on its way (saved.save).
    saves: ClassVar[tuple[int, ...]] = ()
    saved: ClassVar[bool] = False  # of a step: what it makes is such

    _key: tuple[Any, ...]
    _hash: int

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            cls.name = cls.__name__
        own = {
            f: cls.__dict__.get(f, _REQUIRED)
            for f, note in cls.__annotations__.items()
            if str(note)[:8] != "ClassVar" and f[0] != "_"
        }
        # A subclass that names all attributes again also gives them another order.
        if own:
            cls.fields = own if own.keys() >= cls.fields.keys() else {**cls.fields, **own}
        cls.has_view = cls.view is not Primitive.view
        if "calls" in cls.__dict__ and "kernel" not in cls.__dict__:
            cls.kernel = Primitive.kernel  # what a base computes is not what this one does
        cls.lowers = cls.lowered is not Primitive.lowered
        cls.has_calls = _latest(cls, "calls", "kernel") == "calls"
        cls.has_rowwise = cls.rowwise is not Primitive.rowwise
        cls.has_standing = cls.standing is not Primitive.standing
        cls.has_scratch = cls.scratch is not Primitive.scratch
        cls.binds = cls.kernel is Primitive.kernel and (cls.lowers or cls.has_scratch)
        if cls.__name__[0] != "_":
            registry[cls.name] = cls

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        fields = self.fields
        if len(args) > len(fields):
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
            object.__setattr__(self, field, _frozen(value))
        self.check()
        attributes = tuple([getattr(self, f) for f in fields])
        object.__setattr__(self, "_key", attributes)
        object.__setattr__(self, "_hash", hash((self.name, attributes)))

    def check(self) -> None:
        """Validate the attributes; a subclass may normalise one with
        ``self.normalise(axis=...)``.
        """

    def normalise(self, **attributes: Any) -> None:
        """Replace attributes by their normal form; for use in ``check`` only."""
        for key, value in attributes.items():
            object.__setattr__(self, key, value)

    # -- what a subclass defines ------------------------------------------------------------------

    if TYPE_CHECKING:  # each op has its own parameters
        infer: Callable[..., Any]
        kernel: Callable[..., Any]
        view: Callable[..., Any]
        put: Callable[..., Any]
        scratch: Callable[..., Any]
        calls: Callable[..., Calls]
        standing: Callable[..., Callable[..., None] | None]
        rowwise: Callable[..., tuple[Rows, ...] | None]
        flops: Callable[..., int]
        lowered: Callable[..., steps.Steps]
        vjp: Callable[..., Any]
    else:

        def infer(self, *args: Any) -> Any:
            """Spec (or tuple of Spec) of the output from specs and static arguments; raises for bad
            input.
            """
            raise UnknownShape(self.name)

        def kernel(self, *args: Any, out: Any) -> Any:
            """Compute with NumPy: write every element of ``out``."""
            if self.lowers:
                steps.run(self, args, out)
            elif self.has_calls:
                work = bound.work_of(self, args) if self.has_scratch else None
                tiles.run(self.calls(*args, out=out, work=work))
            else:
                raise TypeError(f"{self.name}: has no kernel.")

        def calls(self, *args: Any, out: Any, work: Any) -> Calls:
            """The kernel as calls, which a program binds; ``work``: what ``scratch`` asked for."""
            return []

        def standing(self, args: Any, out: Any) -> Callable[..., None] | None:
            """The kernel bound to what it changes, which stays where it is; None: it can't be."""
            return None

        def rowwise(self, *args: Any, out: Any) -> tuple[Rows, ...] | None:
            """Where each argument, then each output has the rows that are computed on their own;
            None if there are none.
            """
            return None

        def lowered(self, *args: Any) -> steps.Steps:
            """The op told as others, from specs and static arguments as ``infer`` takes them."""
            return steps.Steps(len(args))

        def view(self, *args: Any) -> np.ndarray | None:
            """The output as a view of the first input, or None if only a copy can hold it."""
            return None

        def put(self, x: Any, *args: Any, seen: Any) -> Any:
            """``x`` with ``seen`` in the place of what the op shows of it; here it shows all."""
            made = self.vjp(x, *args, out=seen, dout=seen)[0]
            return made() if callable(made) else made

        def scratch(self, *args: Any) -> tuple[Spec, ...]:
            """Specs of arrays that the kernel works in: the planner gives it them as ``work``."""
            return ()

        def flops(self, *args: Any) -> int:
            """Floating-point operations from specs and static arguments, as ``infer`` takes them:
            two per multiply-add, and one per element of the output where nothing is summed.
            """
            made = self.infer(*args)
            return sum(s.size for s in ((made,) if made.__class__ is Spec else made))

        def vjp(self, *args: Any, out: Any, dout: Any) -> Any:
            """One cotangent per argument: a Tensor, a function that makes it (called only if
            wanted), or None.
            """
            return (None,) * len(args)

    @staticmethod
    def _by_name_(name: str) -> Primitive:
        """The op ``name`` with its defaults; of another name, one that can't be called."""
        if not isinstance(name, str):
            raise TypeError(f"Primitive: name must be a str, got {name!r} ({type(name).__name__}).")
        return registry[name]() if name in registry else _Unknown(name)

    # -- use --------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **named: Any) -> Any:
        return apply(self, in_order(self.name, args, named) if named else args)

    def __eq__(self, other: object) -> bool:
        if self is other or type(self) is not type(other) or self.distinct:
            return self is other
        return self._key == other._key and [*map(kind_of, self._key)] == [*map(kind_of, other._key)]

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{f}={getattr(self, f)!r}"
            for f, d in self.fields.items()
            if not is_default(getattr(self, f), d)
        )
        return f"{self.name}({shown})"

    def __setattr__(self, key: str, value: Any) -> None:
        raise AttributeError(
            f"{self.name}: is immutable, so {key!r} can't be set. Make a new {self.name}(...)."
        )

    @property
    def attrs(self) -> dict[str, Any]:
        """The arguments that made it, and what was added to them, by their names."""
        return {**{field: getattr(self, field) for field in self.fields}, **self._more}

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        """Keep an attribute beside those that made the op; it does not change the result. An equal
        op that is made later has it not.

        Raises:
            AttributeError: the op was made with another ``value`` of it.
        """
        if name in self.fields and getattr(self, name) != _frozen(value):
            setattr(self, name, value)
        separated(self)
        seen = {} if hasattr(self, name) else {name: value}
        self.normalise(_more={**self._more, name: value}, **seen)
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        """Forget an attribute that was added."""
        self.normalise(_more={k: v for k, v in self._more.items() if k != name})
        if name not in self.fields:
            self.__dict__.pop(name, None)
        return self

    def set_prim_instance_name(self, name: str) -> Primitive:
        """Keep a name; it does not change the result."""
        separated(self)
        self.normalise(instance_name=name)
        return self

    def set_device(self, device_target: str) -> Primitive:
        """Accepted for MindSpore's sake: the op runs where the program runs."""
        return self

    def set_stage(self, stage: int) -> Primitive:
        """Accepted for MindSpore's sake: there is one pipeline stage."""
        return self

    def shard(self, in_strategy: Any = None, out_strategy: Any = None) -> Primitive:
        """Accepted for MindSpore's sake: with one device nothing is split.

        Raises:
            RuntimeError: there are several ranks, in a mode that splits networks.
        """
        strategy_given(f"{self.name}.shard")
        return self

    def place(self, role: str, rank_id: int) -> Primitive:
        """Accepted for MindSpore's sake where there is one rank.

        Raises:
            RuntimeError: there are several ranks, in a mode that splits networks.
        """
        strategy_given(f"{self.name}.place")
        return self

    def recompute(self, mode: bool = True) -> Primitive:
        """Accepted for MindSpore's sake: the planner decides what stays in memory."""
        checks.boolean(f"{self.name}.recompute", "mode", mode)
        return self


class UnknownShape(Exception):
    """The output shape depends on values, so the op can't be part of a graph."""


def _latest(cls: type[Primitive], *names: str) -> str:
    """Which of ``names`` the subclass nearest to ``cls`` defines, the first of them if it defines
    several; "" if none does.
    """
    for c in cls.__mro__:
        if c is Primitive:
            break
        for name in names:
            if name in c.__dict__:
                return name
    return ""


class _Unknown(Primitive):
    op: str

    def check(self) -> None:
        self.normalise(name=self.op)

    def infer(self, *args: Any) -> Any:
        near = did_you_mean(self.name, registry)
        raise RuntimeError(f"Primitive: name must be that of an op, got {self.name!r}.{near}")


def _frozen(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_frozen(v) for v in value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Tensor):
        return _frozen(value.asnumpy().tolist())
    return value


__all__ = ["Calls", "Primitive", "Spec", "UnknownShape"]
