"""What binding a primitive means: run it now (Pynative) or write it down (``graph.trace.Tracer``).

``bind`` is the one way in. It asks the current interpreter of this thread, then lets every open
gradient tape see the node. The state is per thread, so a dataset worker that computes with tensors
does not end up in a graph that the main thread is tracing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from minispore import context
from minispore.core import half
from minispore.core import runtime as seam
from minispore.core.kernels.plans import Plans
from minispore.core.kernels.saved import Saved, saving
from minispore.core.value import Node, Spec, Value, no_content

if TYPE_CHECKING:
    from minispore.core.primitive import Primitive
    from minispore.core.tensor import Tensor

Out = Value | tuple[Value, ...]
Around = Callable[["Primitive", tuple[Any, ...]], Out]


class Interpreter(Protocol):
    """Gives binding its meaning."""

    tracing: bool
    stages: bool  # whether a call inside may start a graph of its own

    def visit(self, obj: Any) -> None:
        """Note that what is traced depends on the state of ``obj`` (a Cell: its
        ``_graph_key_()``).
        """

    def lift(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The args as this interpreter's own values."""

    def bind(self, prim: Primitive, args: tuple[Any, ...]) -> Out:
        """The outputs of ``prim`` on lifted args."""

    def assign(self, box: Tensor, value: Value) -> None:
        """Give ``box`` a new content, after a primitive that mutates it."""

    def born(self, made: Any) -> None:
        """Note a Tensor or Cell that Python code made of known data, so that it may be changed."""

    def changing(self, cell: Any, name: str) -> None:
        """Note that Python code is about to set or delete the attribute ``name`` of a Cell."""

    def outside(self, what: str) -> None:
        """Note that Python code is about to do ``what``, which no graph can do."""

    def where(self) -> tuple[str, str]:
        """Scope and line of the node bound last, for those who keep records."""

    def concrete(self, value: Value, what: str) -> Any:
        """The array of ``value``, for Python code that asked ``what`` of it."""


class Recorder(Protocol):
    """A gradient tape, as binding sees it."""

    saved: Saved

    def record(
        self, prim: Primitive, args: tuple[Any, ...], outputs: tuple[Value, ...]
    ) -> None: ...

    def reaches(self, value: Value) -> bool: ...

    def shows(self, value: Value) -> bool: ...


class Pynative:
    """Runs each primitive at once, by this thread's plans."""

    tracing = False

    def __init__(self, stages: bool = True) -> None:
        self.stages = stages

    def visit(self, obj: Any) -> None:
        pass

    def lift(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return args

    def bind(self, prim: Primitive, args: tuple[Any, ...]) -> Out:
        state = _local.state
        try:
            return state.plans.run(prim, args, bool(state.tapes), infer)
        except AttributeError:  # as of None where an array should be
            if not _filled(args):
                raise
        return state.plans.run(prim, args, bool(state.tapes), infer)

    def assign(self, box: Tensor, value: Value) -> None:
        box.set_value_(value)

    def born(self, made: Any) -> None:
        pass

    def changing(self, cell: Any, name: str) -> None:
        pass

    def outside(self, what: str) -> None:
        pass

    def where(self) -> tuple[str, str]:
        return "", ""

    def concrete(self, value: Value, what: str) -> Any:
        return value.data


def _filled(args: tuple[Any, ...]) -> bool:
    """Draw the Parameters among ``args`` that were left for later; whether there were any."""
    absent = [a for a in args if a.__class__ is Value and a.data is None]
    for value in absent:
        if value.param is None:
            raise no_content(value.spec)
        value.param.init_data()
    return bool(absent)


class _State:
    """Interpreter, tapes and Cell path of one thread."""

    __slots__ = (
        "around", "depth", "deriving", "forwards", "interpreter", "last", "origin", "packing",
        "plans", "scope", "tapes",
    )  # fmt: skip

    def __init__(self) -> None:
        self.interpreter: Interpreter = Pynative()
        self.tapes: tuple[Recorder, ...] = ()
        self.scope: tuple[str, ...] = ()
        self.depth = 0  # Cells that this thread is in
        self.deriving = False  # whether this thread is in a derivative that is ours
        self.forwards: dict[Any, Any] = {}  # what Cells have just computed, see core.autograd
        self.origin: tuple[str, str] | None = None  # scope and line to credit nodes with
        self.around: Around | None = None  # what binds in place of bind, if anything
        self.last: list[Callable[[], None]] = []  # called at the end of the walk back
        self.packing: Callable[[Node], Node] | None = None  # what tapes keep in place of a node
        self.plans = Plans()


class _Local(threading.local):
    def __init__(self) -> None:
        self.state = _State()


_local = _Local()


def infer(prim: Primitive, args: tuple[Any, ...]) -> Spec | tuple[Spec, ...]:
    """The output spec(s) of ``prim`` on ``args``; raises what it raises for bad input, and a
    TypeError where it looks for something of a tensor in what is none.
    """
    given = [a.spec if a.__class__ is Value else a for a in args]
    try:
        return prim.infer(*given)
    except AttributeError as exc:
        for i, arg in enumerate(given):
            if exc.name is not None and exc.obj is arg and arg.__class__ is not Spec:
                raise TypeError(
                    f"{prim.name}: input {i} must be a Tensor, got {arg!r} ({type(arg).__name__})."
                ) from None
        raise


def bind(prim: Primitive, args: tuple[Any, ...]) -> Out:
    """Apply ``prim`` to values and static arguments, under this thread's interpreter and tapes."""
    state = _local.state
    if state.around is not None:
        return state.around(prim, args)
    args = state.interpreter.lift(args)
    if state.tapes and prim.saves:
        with saving(_saved(prim, args)):
            out = state.interpreter.bind(prim, args)
    else:
        out = state.interpreter.bind(prim, args)
    if state.tapes:
        outputs = (out,) if out.__class__ is Value else out
        for tape in state.tapes:
            tape.record(prim, args, outputs)  # type: ignore[arg-type]
    return out


def _saved(prim: Primitive, args: tuple[Any, ...]) -> Saved | None:
    """Where the kernel of ``prim`` saves what its gradient asks for, if there will be one."""
    if not prim.lowers and any(a.__class__ is Value and half.is_half(a.spec.dtype) for a in args):
        return None  # it sees copies of its inputs
    asked = [a for i, a in enumerate(args) if i in prim.saves and a.__class__ is Value]
    return next((tape.saved for tape in _local.state.tapes if any(map(tape.reaches, asked))), None)


def state() -> _State:
    """What is known of this thread."""
    return _local.state


def interpreter() -> Interpreter:
    """The interpreter of this thread."""
    return _local.state.interpreter


def staging() -> seam.Compiler | None:
    """The compiler, where a call starts a graph: in GRAPH_MODE at the top level, while nothing is
    being traced and no gradient is being recorded.
    """
    graphs = context.current().mode == context.GRAPH_MODE
    return seam.compiler if graphs and interpreter().stages and not tapes() else None


def tracing() -> bool:
    """True while this thread is tracing a graph."""
    return _local.state.interpreter.tracing


def tapes() -> tuple[Recorder, ...]:
    """The open gradient tapes of this thread, outermost first."""
    return _local.state.tapes


def scope() -> str:
    """Path of the Cell that is running, such as ``network.conv1``; kept only while tracing."""
    return ".".join(_local.state.scope)


def origin() -> tuple[str, str] | None:
    """Scope and line of the node whose derivative is being bound, if one is."""
    return _local.state.origin


def record(prim: Primitive, args: tuple[Any, ...], outputs: tuple[Value, ...]) -> None:
    """Show a node that was not bound (a custom derivative) to the open tapes."""
    args = _local.state.interpreter.lift(args)
    for tape in _local.state.tapes:
        tape.record(prim, args, outputs)


_changes = 0


def touch() -> None:
    """Say that some Cell changed (a flag, an attribute), so compiled graphs look again at what
    they depend on.
    """
    global _changes
    _changes += 1


def changes() -> int:
    """How often :func:`touch` was called; equal numbers mean that no Cell changed in between."""
    return _changes


class _With:
    """Lets other things be known of this thread inside the ``with`` block.

    No generator: what Ctrl-C comes upon just when it has begun is put back whenever that is
    collected, after those around it have put back theirs.
    """

    __slots__ = ("_new", "_old", "_state")

    def __init__(self, **new: Any) -> None:
        self._new = new

    def __enter__(self) -> None:
        self._state = state = _local.state
        self._old = {field: getattr(state, field) for field in self._new}
        try:
            self._put(self._new)
        except BaseException:  # Ctrl-C: nobody leaves what was not entered
            self._put(self._old)
            raise

    def __exit__(self, *raised: object) -> None:
        try:
            self._put(self._old)
        except BaseException:
            self._put(self._old)
            raise

    def _put(self, fields: dict[str, Any]) -> None:
        for field, value in fields.items():
            setattr(self._state, field, value)


def using(new: Interpreter) -> _With:
    """Bind by another interpreter, with no tapes open, inside the ``with`` block."""
    return _With(interpreter=new, tapes=(), scope=(), origin=None, forwards={})


def with_tapes(new: tuple[Recorder, ...]) -> _With:
    """Record on the tapes ``new`` and no others inside the ``with`` block."""
    return _With(tapes=new)


def derived_from(node: Node | None) -> _With:
    """Credit nodes bound inside to the Cell and line of ``node``, as its gradient; with None, as
    the gradient of something.
    """
    scope, line = ("", "") if node is None else (node.scope, node.line)
    name = scope if scope.startswith("Gradients") else f"Gradients.{scope}".rstrip(".")
    return _With(origin=(name, line))


def deriving() -> _With:
    """Make derivatives inside the ``with`` block: numbers beside half floats stay as they are."""
    return _With(deriving=True)


def binding_by(around: Around | None) -> _With:
    """Let ``around(prim, args)`` bind inside the ``with`` block, as mixed precision does; None for
    the plain way.
    """
    return _With(around=around)


def in_scope(name: str) -> _With:
    """Mark nodes bound inside as belonging to the Cell ``name``."""
    return _With(scope=(*_local.state.scope, name))


__all__ = [
    "Interpreter",
    "Node",
    "Pynative",
    "Recorder",
    "bind",
    "binding_by",
    "changes",
    "derived_from",
    "deriving",
    "in_scope",
    "infer",
    "interpreter",
    "origin",
    "record",
    "scope",
    "state",
    "tapes",
    "touch",
    "tracing",
    "using",
    "with_tapes",
]
