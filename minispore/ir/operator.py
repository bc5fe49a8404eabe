"""Operator: the base class of Primitive, for the layers below ``core``.

It declares the attributes that an op may set and the methods that it may define. Construction,
comparison, registration and application to tensors are in :mod:`minispore.core.primitive`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from minispore.ir.value import Spec

Calls = list[Callable[[], Any]]  # a kernel, bound to its arrays

#: What a ``vjp`` returns: for each argument its gradient, a Tensor or a function that computes it
#: when it is needed, or None.
Cotangents = tuple[Any, ...]

# The axis of an array along which an op's rows lie: None if each row needs the entire array, and
# (axis, n) if a row also needs the next n rows.
Rows = int | tuple[int, int] | None


class Effect(Enum):
    """The side effect of an op."""

    NONE = "none"
    UPDATE = "update"  # it writes into the inputs that `mutates` names, which implies this effect
    RANDOM = "random"  # it advances a random stream
    # It clears or reads the overflow flag of the device: graphs keep each op between the two.
    CLEARS_OVERFLOW = "clears overflow"
    READS_OVERFLOW = "reads overflow"
    EXTERNAL = "external"  # its effect or input is external: it must not happen twice
    EXTERNAL_EARLY = "external, early"  # the same; in a graph it runs as soon as its inputs exist

    @property
    def is_pure(self) -> bool:
        """Whether the op only computes outputs: graphs may merge, drop and reorder it."""
        return self is Effect.NONE

    @property
    def is_repeatable(self) -> bool:
        """Whether equal inputs give equal outputs, apart from the overflow flag."""
        return self is not Effect.RANDOM and not self.is_external

    @property
    def is_external(self) -> bool:
        """Whether the op communicates with the world outside of the program."""
        return self in (Effect.EXTERNAL, Effect.EXTERNAL_EARLY)


class Arithmetic(Enum):
    """The way in which an op computes the elements of its outputs from those of its inputs."""

    NONE = "none"  # they are copied or cast
    EXACT = "exact"  # each is an element of an input, its negative, or 0: nothing is rounded
    ROUNDED = "rounded"  # float16 and bfloat16 are computed in float32 and rounded once
    TRANSCENDENTAL = "transcendental"  # as ROUNDED, by exp, log, sin or a series: slower

    @property
    def is_copy(self) -> bool:
        """Whether nothing is computed, so that float16 and bfloat16 are not widened."""
        return self is Arithmetic.NONE

    @property
    def is_exact(self) -> bool:
        """Whether nothing is rounded, unless by a cast."""
        return self in (Arithmetic.NONE, Arithmetic.EXACT)


@dataclass(frozen=True, slots=True)
class Promotion:
    """The arguments of an op that are cast to their common dtype before inference.

    Attributes:
        positions: the positions of these arguments; None: all.
        retained_kinds: the dtype kinds that an input retains beside a 0-d input of its category.
        casts_int_scalars: whether a Python int beside an integer tensor is cast to the tensor's
            dtype, so that -1 becomes 255 for uint8.
        keeps_scalar_precision: whether Python scalars beside float16 keep their precision.
    """

    positions: tuple[int, ...] | None = None
    retained_kinds: str = ""
    casts_int_scalars: bool = True
    keeps_scalar_precision: bool = False


@dataclass(frozen=True, slots=True)
class VjpRule:
    """The way in which the tape calls an op's `vjp`, and what it saves for the call.

    Attributes:
        hermitian: whether `vjp` is also the adjoint for complex numbers. Otherwise it multiplies by
            the derivative, and the tape conjugates the incoming and outgoing cotangents if the
            output is complex.
        partial: whether `vjp` takes None for outputs without a cotangent, instead of zeros.
        takes_tuples: whether `vjp` takes tuples for `out` and `dout` even with a single output.
        user_defined: whether the user wrote the derivative.
        saves_for_inputs: the inputs for whose gradients the kernel saves intermediates, see
            execution.kernels.saved_intermediates.
        output_is_saved: for a step, whether its output is such an intermediate.
    """

    hermitian: bool = False
    partial: bool = False
    takes_tuples: bool = False
    user_defined: bool = False
    saves_for_inputs: tuple[int, ...] = ()
    output_is_saved: bool = False


@dataclass(frozen=True, slots=True)
class WorkSplit:
    """The ways in which a graph may split an op's work among threads and worker processes.

    Attributes:
        short_calls: whether tiles of rows (see `rowwise`) pay off only in worker processes.
        row_edges: tiles of rows start at multiples of one of these.
        block_size: the number of elements that the kernel of an update processes at a time; 0 if it
            does not work block by block.
    """

    short_calls: bool = False
    row_edges: tuple[int, ...] = (1,)
    block_size: int = 0


class OperatorTraits(NamedTuple):
    """The optional methods that an op defines; derived from its class."""

    has_view: bool = False
    has_scratch: bool = False
    has_calls: bool = False
    has_rowwise: bool = False
    can_bind_in_place: bool = False
    lowers_to_steps: bool = False
    has_many_calls: bool = False  # the kernel makes many short calls


class Steps:
    """A sequence of operators, each with the numbers of the values that it reads.

    The arguments of the op are numbered first, then the outputs of the steps. Each step has one
    output, and that of the last step is the output of the op::

        steps = Steps(2)  # of an op of two arguments, 0 and 1
        total = steps.add(Add(), 0, 1)
        steps.add(Square(), total)
    """

    def __init__(self, argument_count: int) -> None:
        self.entries: list[tuple[Operator, tuple[int, ...]]] = []
        self._argument_count = argument_count

    def add(self, prim: Operator, *reads: int) -> int:
        """Add a step that applies ``prim`` to the values with these numbers; return the number of
        its output.
        """
        self.entries.append((prim, reads))
        return self._argument_count + len(self.entries) - 1


class Operator:
    """An op as seen by the layers below core: what it computes and how.

    :class:`minispore.core.primitive.Primitive` is the class of all ops, and documents them. Calling
    an op applies it to tensors. This class declares the attributes with their defaults, and each
    method with its behaviour for ops that do not define it.
    """

    name: ClassVar[str]
    effect: ClassVar[Effect] = Effect.NONE
    arithmetic: ClassVar[Arithmetic] = Arithmetic.ROUNDED
    pointwise: ClassVar[bool] = False
    reuse: ClassVar[tuple[int, ...]] = ()
    mutates: ClassVar[tuple[int, ...]] = ()
    variadic: ClassVar[bool] = False
    promotion: ClassVar[Promotion | None] = None
    dynamic: ClassVar[bool] = False
    layout: ClassVar[str]  # the memory order of the outputs
    vjp_rule: ClassVar[VjpRule] = VjpRule()
    work_split: ClassVar[WorkSplit] = WorkSplit()

    # Derived from the class: the constructor's arguments, and the defined methods.
    fields: ClassVar[dict[str, Any]] = {}
    traits: ClassVar[OperatorTraits] = OperatorTraits()

    @property
    def is_distinct(self) -> bool:
        """Whether the op has private state, such as a random stream, so that it equals only
        itself.
        """
        return False

    if TYPE_CHECKING:  # each op has its own parameters

        def __init__(self, *args: Any, **kwargs: Any) -> None: ...
        def __call__(self, *args: Any, **named: Any) -> Any: ...

        infer: Callable[..., Any]
        kernel: Callable[..., Any]
        view: Callable[..., Any]
        scatter_view: Callable[..., Any] | None
        scratch: Callable[..., Any]
        calls: Callable[..., Calls]
        bind_in_place: Callable[..., Callable[..., None] | None]
        rowwise: Callable[..., tuple[Rows, ...] | None]
        flops: Callable[..., int]
        lower_to_steps: Callable[..., Steps]
        vjp: Callable[..., Any]
    else:

        def infer(self, *args: Any) -> Any:
            """Return the output's Spec (or a tuple) from specs and static arguments; raise an error
            for invalid input.
            """
            raise UnknownShape(self.name)

        def calls(self, *args: Any, out: Any, work: Any) -> Calls:
            """Return the kernel as bound calls; ``work`` holds the arrays that ``scratch``
            declared.
            """
            return []

        def bind_in_place(self, args: Any, out: Any) -> Callable[..., None] | None:
            """Return the kernel bound to ``out``, for an in-place update; None if that is not
            possible.
            """
            return None

        def rowwise(self, *args: Any, out: Any) -> tuple[Rows, ...] | None:
            """Return the row axis of each argument, then of each output; None if rows are not
            independent.
            """
            return None

        def lower_to_steps(self, *args: Any) -> Steps:
            """Return the op as a sequence of other ops, from the arguments that ``infer`` takes."""
            return Steps(len(args))

        def view(self, *args: Any) -> np.ndarray | None:
            """Return the output as a view of the first input, or None if it needs a copy."""
            return None

        scatter_view = None  # like views.scatter_by_vjp(self, x, *args, content=...)

        def scratch(self, *args: Any) -> tuple[Spec, ...]:
            """Return the specs of the scratch arrays that ``calls`` gets as ``work``."""
            return ()

        def flops(self, *args: Any) -> int:
            """Return the floating-point operations, from the arguments that ``infer`` takes: two
            per multiply-add, and one per output element if nothing is summed.
            """
            outputs = self.infer(*args)
            return sum(s.size for s in ((outputs,) if outputs.__class__ is Spec else outputs))

        def vjp(self, *args: Any, out: Any, dout: Any) -> Cotangents:
            """Return one cotangent per argument: a Tensor, a function that returns it (called only
            if needed), or None.
            """
            return (None,) * len(args)


class UnknownShape(Exception):
    """The output shape depends on values, so the op can't be part of a graph."""
