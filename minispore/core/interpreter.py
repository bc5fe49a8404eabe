"""Binding of a primitive: run it now (Pynative) or record it in a graph (``graph.trace.Tracer``).

``bind`` is the only entry point. It asks the current interpreter of this thread, then lets
every open gradient tape see the node. The state is per thread, so a dataset worker that
computes with tensors does not add to a graph that the main thread is tracing.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any, Protocol

from minispore import context
from minispore.execution import half
from minispore.execution.kernels.plans import KernelPlanCache
from minispore.execution.kernels.saved_intermediates import SavedIntermediates, saving_to
from minispore.ir import runtime as seam
from minispore.ir.node import Node
from minispore.ir.operator import Operator
from minispore.ir.value import Spec, Value, ValueHolder, make_no_content_error

Outputs = Value | tuple[Value, ...]
BindOverride = Callable[[Operator, tuple[Any, ...]], Outputs]


class Interpreter(Protocol):
    """Interface of the objects that bind a primitive: they run the op or add it to a graph."""

    tracing: bool
    stages: bool  # whether a call inside may start a graph of its own

    def visit(self, obj: Any) -> None:
        """Note that the traced graph depends on the state of ``obj``, a Cell: ``_graph_key_()``."""

    def lift(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the args of an op with each Value replaced by the one that this interpreter uses
        for it: in a trace, the graph's value, such as that of a Parameter.
        """

    def bind(self, prim: Operator, args: tuple[Any, ...]) -> Outputs:
        """Return the outputs of ``prim`` applied to lifted args."""

    def assign(self, holder: ValueHolder, value: Value) -> None:
        """Give a tensor new content, after a primitive that mutates it."""

    def on_create(self, obj: Any) -> None:
        """Note a Tensor or Cell that Python code created from data, so that it may be changed."""

    def on_setattr(self, cell: Any, name: str) -> None:
        """Note that Python code is about to set or delete the attribute ``name`` of a Cell."""

    def on_untraceable(self, action: str) -> None:
        """Note that Python code is about to perform ``action``, which no graph can contain."""

    def where(self) -> tuple[str, str]:
        """Return the Cell scope and Python line of the node that was bound last; empty texts unless
        a graph is traced.
        """

    def concrete(self, value: Value, operation: str) -> Any:
        """Return the array of ``value`` for a Python ``operation`` such as ``bool()``; a tracer
        adds a guard or refuses.
        """


class Recorder(Protocol):
    """Interface of a gradient tape, as binding uses it."""

    saved: SavedIntermediates

    def record(self, prim: Operator, args: tuple[Any, ...], outputs: tuple[Value, ...]) -> None:
        """Add an op that ran to the tape, if one of its arguments may get a gradient."""

    def reaches(self, value: Value) -> bool:
        """Whether a gradient may flow to ``value``; may also begin to track it."""

    def may_call_hooks(self, value: Value) -> bool:
        """Whether hooks on ``value`` may be called in the backward pass."""


class Pynative:
    """Interpreter that runs each primitive at once, by this thread's kernel plans."""

    tracing = False

    def __init__(self, stages: bool = True) -> None:
        self.stages = stages

    def visit(self, obj: Any) -> None:
        """Do nothing: no graph depends on the Cell."""

    def lift(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the args unchanged."""
        return args

    def bind(self, prim: Operator, args: tuple[Any, ...]) -> Outputs:
        """Run an op at once; if an argument is a deferred Parameter without content, draw its
        content and run the op again.
        """
        state = _local.state
        try:
            return state.plans.run(prim, args, bool(state.tapes), infer)
        except AttributeError:  # perhaps the data of a deferred Parameter is None
            if not _draw_deferred(args):
                raise
        return state.plans.run(prim, args, bool(state.tapes), infer)

    def assign(self, holder: ValueHolder, value: Value) -> None:
        """Replace the content of a tensor at once."""
        holder.set_value_(value)

    def on_create(self, obj: Any) -> None:
        """Do nothing: only a trace needs to know created objects."""

    def on_setattr(self, cell: Any, name: str) -> None:
        """Do nothing: only a trace needs to undo writes to Cells."""

    def on_untraceable(self, action: str) -> None:
        """Do nothing: op by op, any action is allowed."""

    def where(self) -> tuple[str, str]:
        """Return empty texts, since scope and line are known only in a trace."""
        return "", ""

    def concrete(self, value: Value, operation: str) -> Any:
        """Return the array of ``value``; None if it has no content."""
        return value.data


def _draw_deferred(args: tuple[Any, ...]) -> bool:
    """Draw the content of deferred Parameters among ``args``; return whether there were any.

    Raises:
        GraphModeError: a value without content does not belong to a Parameter.
        ValueError: such a value only declares an input of dynamic shape.
    """
    absent = [a for a in args if a.__class__ is Value and a.data is None]
    for value in absent:
        if value.param is None:
            raise make_no_content_error(value.spec)
        value.param.init_data()
    return bool(absent)


class _State:
    """State of one thread: its interpreter, tapes, Cell path and kernel plans."""

    __slots__ = (
        "after_backward", "bind_override", "depth", "deriving", "differentiated_node", "forwards",
        "fused_call", "interpreter", "origin", "pack_node", "plans", "scope", "tapes",
    )  # fmt: skip

    def __init__(self) -> None:
        self.interpreter: Interpreter = Pynative()
        self.tapes: tuple[Recorder, ...] = ()
        self.scope: tuple[str, ...] = ()
        self.depth = 0  # nested calls of Cells
        self.deriving = False  # whether a built-in derivative is being computed
        self.forwards: dict[Any, Any] = {}  # forward passes that Cells recorded, see core.autograd
        self.origin: tuple[str, str] | None = None  # scope and line that new nodes are credited to
        self.differentiated_node: Node | None = None  # the node whose derivative is being bound
        self.fused_call = ""  # the running call of a fused op, see fused_call()
        self.bind_override: BindOverride | None = None  # called instead of bind, if not None
        self.after_backward: list[Callable[[], None]] = []  # called after the backward pass
        self.pack_node: Callable[[Node], Node] | None = None  # returns what tapes record for a node
        self.plans = KernelPlanCache()


class _Local(threading.local):
    def __init__(self) -> None:
        self.state = _State()


_local = _Local()
_call_numbers = itertools.count()


def infer(prim: Operator, args: tuple[Any, ...]) -> Spec | tuple[Spec, ...]:
    """Return the output spec(s) of ``prim`` on Values and static arguments; raises what the op's
    ``infer`` raises for bad input.

    Raises:
        TypeError: an argument that must be a Tensor is not.
    """
    specs = [a.spec if a.__class__ is Value else a for a in args]
    try:
        return prim.infer(*specs)
    except AttributeError as exc:
        for i, arg in enumerate(specs):
            if exc.name is not None and exc.obj is arg and arg.__class__ is not Spec:
                raise TypeError(
                    f"{prim.name}: input {i} must be a Tensor, got {arg!r} ({type(arg).__name__})."
                ) from None
        raise


def bind(prim: Operator, args: tuple[Any, ...]) -> Outputs:
    """Apply ``prim`` to values and static arguments, under this thread's interpreter, and record it
    on its tapes.

    Inside :func:`overriding_bind` its override is called instead. If a gradient will need
    intermediates of the kernel, they are saved on the tape.
    """
    state = _local.state
    if state.bind_override is not None:
        return state.bind_override(prim, args)
    args = state.interpreter.lift(args)
    if state.tapes and prim.vjp_rule.saves_for_inputs:
        with saving_to(_find_save_target(prim, args)):
            out = state.interpreter.bind(prim, args)
    else:
        out = state.interpreter.bind(prim, args)
    if state.tapes:
        outputs = (out,) if out.__class__ is Value else out
        for tape in state.tapes:
            tape.record(prim, args, outputs)  # type: ignore[arg-type]
    return out


def _find_save_target(prim: Operator, args: tuple[Any, ...]) -> SavedIntermediates | None:
    """Return the store of the tape in which the kernel of ``prim`` saves intermediates; None if no
    gradient needs them, or if the kernel gets float32 copies of float16 or bfloat16 inputs.
    """
    if not prim.traits.lowers_to_steps and any(
        a.__class__ is Value and half.is_half(a.spec.dtype) for a in args
    ):
        return None  # the kernel gets float32 copies of its inputs
    positions = prim.vjp_rule.saves_for_inputs
    needed = [a for i, a in enumerate(args) if i in positions and a.__class__ is Value]
    return next((tape.saved for tape in _local.state.tapes if any(map(tape.reaches, needed))), None)


def state() -> _State:
    """Return the interpreter state of this thread."""
    return _local.state


def current() -> Interpreter:
    """Return the interpreter of this thread."""
    return _local.state.interpreter


def find_stage_compiler(mode: int | None = None) -> seam.Compiler | None:
    """Return the compiler if a call made now would start a graph, else None.

    A graph starts in GRAPH_MODE at the top level, if no graph is being traced and no gradient is
    being recorded. ``mode`` replaces the context's.
    """
    is_graph_mode = (context.current().mode if mode is None else mode) == context.GRAPH_MODE
    return seam.compiler if is_graph_mode and current().stages and not tapes() else None


def tracing() -> bool:
    """Whether this thread is tracing a graph."""
    return _local.state.interpreter.tracing


def tapes() -> tuple[Recorder, ...]:
    """Return the open gradient tapes of this thread, outermost first."""
    return _local.state.tapes


def scope() -> str:
    """Return the path of the running Cell, such as ``network.conv1``; it is known only while
    tracing.
    """
    return ".".join(_local.state.scope)


def origin() -> tuple[str, str] | None:
    """Return the scope, such as ``Gradients.network.conv1``, and the line that nodes of the
    derivative being bound are credited to; None outside of a derivative.
    """
    return _local.state.origin


def record(prim: Operator, args: tuple[Any, ...], outputs: tuple[Value, ...]) -> None:
    """Record on the open tapes an op that was not bound, such as a custom derivative."""
    args = _local.state.interpreter.lift(args)
    for tape in _local.state.tapes:
        tape.record(prim, args, outputs)


_change_count = 0


def note_change() -> None:
    """Note that a Cell or a gradient hook has changed: at their next call, compiled graphs compare
    the state of their Cells and hooks again.
    """
    global _change_count
    _change_count += 1


def get_change_count() -> int:
    """Return how often :func:`note_change` was called; an equal count means that no Cell or hook
    has changed.
    """
    return _change_count


class _StateOverride:
    """Context manager that sets fields of this thread's state inside the ``with`` block.

    It is a class because a generator that Ctrl-C interrupts right after its start would restore the
    state only when it is collected, perhaps after the outer managers have restored theirs.
    """

    __slots__ = ("_new", "_old", "_state")

    def __init__(self, **new: Any) -> None:
        self._new = new

    def __enter__(self) -> None:
        """Set the new fields of this thread's state and save the old ones; restore these on an
        interrupt.
        """
        self._state = state = _local.state
        self._old = {field: getattr(state, field) for field in self._new}
        try:
            self._set_fields(self._new)
        except BaseException:  # Ctrl-C: __exit__ is not called if __enter__ raises
            self._set_fields(self._old)
            raise

    def __exit__(self, *raised: object) -> None:
        """Restore the old fields, even if interrupted."""
        try:
            self._set_fields(self._old)
        except BaseException:  # Ctrl-C in between: restore all of them
            self._set_fields(self._old)
            raise

    def _set_fields(self, fields: dict[str, Any]) -> None:
        """Set the given fields of the state."""
        for field, value in fields.items():
            setattr(self._state, field, value)


def using_interpreter(new_interpreter: Interpreter) -> _StateOverride:
    """Bind by ``new_interpreter`` inside the ``with`` block.

    The block begins with no open tapes, no scope, and no recorded forward passes.
    """
    return _StateOverride(
        interpreter=new_interpreter,
        tapes=(),
        scope=(),
        origin=None,
        differentiated_node=None,
        fused_call="",
        forwards={},
    )


def recording_on(new_tapes: tuple[Recorder, ...]) -> _StateOverride:
    """Record on ``new_tapes`` and no others inside the ``with`` block."""
    return _StateOverride(tapes=new_tapes)


def crediting_gradient_of(node: Node | None) -> _StateOverride:
    """Credit nodes bound inside the ``with`` block to the Cell and line of ``node``, as its
    gradient.

    None credits them to gradients in general.
    """
    scope, line = ("", "") if node is None else (node.scope, node.line)
    name = scope if scope.startswith("Gradients") else f"Gradients.{scope}".rstrip(".")
    return _StateOverride(origin=(name, line), differentiated_node=node)


def fused_call() -> str:
    """Return the running call of a fused op, such as ``GeLU-3``; "" outside of one.

    A fused op is a formula of several ops that a device computes in one kernel.
    """
    return _local.state.fused_call


def differentiated_node() -> Node | None:
    """Return the node whose derivative is being bound, if any."""
    return _local.state.differentiated_node


def entering_fused_call(name: str) -> _StateOverride:
    """Assign nodes bound inside the ``with`` block to a new call of the fused op ``name``.

    Inside another such call they belong to the outer call. Only a tracer reads it.
    """
    outer_call = _local.state.fused_call
    return _StateOverride(fused_call=outer_call or f"{name}-{next(_call_numbers)}")


def deriving() -> _StateOverride:
    """Note that derivatives are computed inside the ``with`` block, so that scalars are not rounded
    to half precision.
    """
    return _StateOverride(deriving=True)


def overriding_bind(override: BindOverride | None) -> _StateOverride:
    """Call ``override(prim, args)`` instead of ``bind`` inside the ``with`` block.

    Mixed precision uses it. With None, ``bind`` itself is called.
    """
    return _StateOverride(bind_override=override)


def entering_scope(name: str) -> _StateOverride:
    """Credit nodes bound inside the ``with`` block to ``name``, a Cell inside the running Cell."""
    return _StateOverride(scope=(*_local.state.scope, name))


__all__ = [
    "Interpreter",
    "Node",
    "Pynative",
    "Recorder",
    "bind",
    "crediting_gradient_of",
    "current",
    "deriving",
    "differentiated_node",
    "entering_fused_call",
    "entering_scope",
    "fused_call",
    "get_change_count",
    "infer",
    "note_change",
    "origin",
    "overriding_bind",
    "record",
    "recording_on",
    "scope",
    "state",
    "tapes",
    "tracing",
    "using_interpreter",
]
