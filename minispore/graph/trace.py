"""Tracing: run a Python function once with placeholder values and record the ops that it binds.

A :class:`Tracer` is an interpreter (:mod:`minispore.core.interpreter`) that runs nothing. Each
primitive that Python code binds becomes a node of a graph. If Python needs a placeholder as a bool
or int, the tracer answers for the example inputs and records a guard.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from minispore.core import interpreter
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.errors import PACKAGE_FOLDER
from minispore.execution.layout import normalize_strides
from minispore.graph.ir import Graph, Guard
from minispore.graph.program import Replay
from minispore.graph.state.tracked import MISSING, is_same
from minispore.ir.node import Node
from minispore.ir.operator import Operator, UnknownShape
from minispore.ir.value import Spec, Value, ValueHolder
from minispore.ops.control.printing import PrintLine
from minispore.ops.shape.cast_fill import Identity

#: Return other specs for the columns of a batch; used to trace a function on a batch of another
#: size.
Resize = Callable[[Sequence[Spec]], Sequence[Spec]]
Retrace = Callable[[Resize], Graph]

MAX_GUESSES = 16  # guessed answers in one trace: a loop that waits for a different answer must end
# Conversions for which a guard can be recorded.
CONVERSIONS = {"bool()": bool, "index": int, "int()": int}


class CellSnapshot:
    """The attributes of a Cell before the first write of Python code during a trace.

    Args:
        cell: the Cell.
        name: the attribute that is about to be written.
        line: the Python line that writes it.
    """

    REGISTRIES = "_params", "_cells", "_buffers"

    def __init__(self, cell: Any, name: str, line: str) -> None:
        self.cell, self.name, self.line = cell, name, line
        attributes = vars(cell)
        self.attributes = dict(attributes)
        self.registries = [dict(attributes[r]) for r in self.REGISTRIES]

    def find_changed_attribute(self) -> str | None:
        """Return the name of an attribute or registered member that has changed since the snapshot,
        or None.
        """
        attributes = vars(self.cell)
        current_dicts = [attributes, *[attributes[r] for r in self.REGISTRIES]]
        for old, current in zip([self.attributes, *self.registries], current_dicts, strict=True):
            for name in (*old, *current):
                if not is_same(old.get(name, MISSING), current.get(name, MISSING)):
                    return name
        return None

    def restore(self) -> None:
        """Restore the attributes and registered members of the Cell."""
        attributes = vars(self.cell)
        attributes.clear()
        attributes.update(self.attributes)
        for registry_name, old_members in zip(self.REGISTRIES, self.registries, strict=True):
            registry = attributes[registry_name]
            for name in [*registry]:
                if name not in old_members:
                    del registry[name]
            for name, value in old_members.items():
                if registry.get(name) is not value:
                    registry[name] = value


class _UnknownUntilRun(Exception):
    """Raised when Python asks for a value that is unknown until the graph runs."""


class Untraceable(Exception):
    """Raised for a function that can't be one graph and has to run op by op."""

    def __init__(self, why: str, line: str) -> None:
        """Make the error for a reason; ``line`` is ``file.py:12``, or "" if it is unknown."""
        super().__init__(f"{why} ({line})" if line else why)
        self.why, self.line = why, line


class TracedCodeError(Exception):
    """Raised in place of ``error``, an exception that Python code raised while it was traced."""

    def __init__(self, error: Exception, line: str, parameters: list[Parameter]) -> None:
        super().__init__(f"tracing it raised {type(error).__name__} ({line})")
        self.error, self.parameters = error, parameters

    @contextmanager
    def restore_on_error(self) -> Iterator[None]:
        """Restore the contents of the Parameters if the ``with`` block raises: an error changes
        nothing.
        """
        before = [p.asnumpy() for p in self.parameters]
        try:
            yield
        except BaseException:
            for p, content in zip(self.parameters, before, strict=True):
                p.set_data(Tensor(content))
            raise


def user_frame() -> FrameType:
    """Return the innermost Python frame outside this package."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(PACKAGE_FOLDER) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def user_line() -> str:
    """Return ``file.py:12`` for the innermost frame outside this package."""
    frame = user_frame()
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


#: The interpreter that computes the values that Python asks for while a function is traced.
EAGER_EVALUATOR = interpreter.Pynative()


class Tracer:
    """An interpreter that runs no op, but appends a node to a graph for each one.

    A value that Python asks for is computed from the example inputs. If it depends on a random draw
    or a data queue, it is known only when the graph runs. Then the answer is a guess, which the
    guard of the program confirms or corrects.

    Args:
        answers: the answers that an earlier run gave to the first guards.
        resize: returns other specs for the columns of each batch that the graph fetches.
    """

    tracing = True
    stages = False

    def __init__(self, answers: tuple[bool | int, ...] = (), resize: Resize | None = None) -> None:
        self.graph = Graph()
        self._resize = resize
        self._answers = answers
        self.guesses = 0
        self.visited: list[Any] = []
        self.scopes: dict[str, Any] = {}  # visited Cells, by the scope of their ops
        self._param_values: dict[Parameter, Value] = {}
        self._example_arrays: dict[Value, np.ndarray] = {}
        self._graph_values: set[Value] = set()
        self._created_objects: dict[int, Any] = {}
        self._cell_snapshots: dict[int, CellSnapshot] = {}  # of Cells that were written to
        self.refusal: Untraceable | None = None  # raises later even if Python code catches it

    def add_input(self, spec: Spec, example: np.ndarray | None) -> Value:
        """Add an input to the graph and return its value; guards are answered with its array
        ``example``.

        Strides of the example other than C order become part of the graph.
        """
        value = Value(spec)
        self.graph.inputs.append(value)
        self._graph_values.add(value)
        if example is not None:
            self._example_arrays[value] = example
            strides = normalize_strides(example)
            if strides is not None:
                self.graph.input_strides[value] = strides
        return value

    # -- the interface of an interpreter (minispore.core.interpreter) ------------------------------

    def visit(self, obj: Any) -> None:
        """Record a Cell whose call begins, also under the scope of its ops."""
        self.visited.append(obj)
        self.scopes[interpreter.scope()] = obj

    def lift(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments of an op with each Value replaced by the graph's value for it."""
        return tuple([self._lift_value(a) if a.__class__ is Value else a for a in args])

    def _lift_value(self, value: Value) -> Value:
        """Return the value that represents ``value`` in the graph.

        A value of the graph is returned unchanged, and so is a constant, unless a Parameter shares
        its array: then it is copied. A Parameter becomes an input of the graph at its first use;
        later its current value is returned.

        Raises:
            Untraceable: the value belongs to another graph, or has no content, such as that of an
                initializer.
        """
        param = value.param
        if value in self._graph_values:
            return value
        if value.data is None and (param is None or not param.has_init):
            raise self._record_refusal("a tensor without content, or of another graph, was used")
        if param is None:
            return Value(value.spec, value.data.copy()) if value.shared else value
        assert isinstance(param, Parameter)
        current = self._param_values.get(param)
        if current is None:
            current = Value(value.spec, param=param)
            self._graph_values.add(current)
            if not param.has_init:  # otherwise its content is unknown, and guards on it are guessed
                self._example_arrays[current] = value.data
            self._param_values[param] = self.graph.state[param] = current
        elif current.param is not param:  # assigned: from now on reads refer to the Parameter
            identity_output = self.bind(Identity(), (current,))
            assert isinstance(identity_output, Value)
            identity_output.param = param
            self._param_values[param] = current = identity_output
        return current

    def bind(self, prim: Operator, args: tuple[Any, ...]) -> Value | tuple[Value, ...]:
        """Append a node of ``prim`` to the graph; return its outputs, which have no content yet.

        The node gets the current scope and Python line.

        Raises:
            Untraceable: the shape of an output depends on values.
        """
        try:
            specs = interpreter.infer(prim, args)
        except UnknownShape:
            raise self._record_refusal(
                f"{prim.name}: the shape of its output depends on values"
            ) from None
        is_fetch = prim.dynamic and not prim.effect.is_pure  # of a batch, as GetNext
        if is_fetch and self._resize is not None and not isinstance(specs, Spec):
            specs = tuple(self._resize(specs))
        outputs = tuple([Value(s) for s in ((specs,) if isinstance(specs, Spec) else specs)])
        origin = interpreter.origin()
        scope, line = origin if origin is not None else (interpreter.scope(), user_line())
        self.graph.nodes.append(Node(prim, args, outputs, scope, line))
        if outputs:
            self._note_fused_call(outputs[0])
        self._graph_values.update(outputs)
        return outputs[0] if specs.__class__ is Spec else outputs

    def _note_fused_call(self, output: Value) -> None:
        """Record the call of a fused op that the node of ``output`` is part of, if any.

        A node of a gradient belongs to the same call as its forward node.
        """
        forward_node = interpreter.differentiated_node()
        call = (
            interpreter.fused_call()
            if forward_node is None
            else self.graph.fused_calls.get(forward_node.outputs[0], "")
        )
        if call:
            self.graph.fused_calls[output] = call

    def on_create(self, obj: Any) -> None:
        """Record a tensor or Cell created during the trace, which code may change."""
        self._created_objects[id(obj)] = obj

    def is_created_inside(self, value: Value) -> bool:
        """Whether ``value`` is the content of a tensor that was created during the trace."""
        return any(getattr(obj, "value_", None) is value for obj in self._created_objects.values())

    def on_setattr(self, cell: Any, name: str) -> None:
        """Save the attributes of a Cell before the first write to it, to restore them later."""
        if id(cell) not in self._created_objects and id(cell) not in self._cell_snapshots:
            self._cell_snapshots[id(cell)] = CellSnapshot(cell, name, user_line())

    def on_untraceable(self, action: str) -> None:
        """Raise Untraceable, as ``action`` can't be part of a graph; the refusal stays recorded."""
        raise self._record_refusal(action)

    def where(self) -> tuple[str, str]:
        """Return the Cell scope and Python line of the last node; empty texts without one."""
        if not self.graph.nodes:
            return "", ""
        last_node = self.graph.nodes[-1]
        return last_node.scope, last_node.line

    def assign(self, holder: ValueHolder, value: Value) -> None:
        """Record the update of a Parameter in the graph, or set the value of a traced tensor.

        Raises:
            Untraceable: the tensor comes from outside the function.
        """
        if isinstance(holder, Parameter):
            self._lift_value(holder.value_)
            self._param_values[holder] = self.graph.updates[holder] = self._lift_value(value)
            return
        old = holder.value_
        if old.data is not None and id(holder) not in self._created_objects:
            raise self._record_refusal("a tensor from outside of it was changed in place")
        holder.set_value_(value)

    def concrete(self, value: Value, operation: str) -> Any:
        """Return the array of ``value`` for the example inputs, and add a guard on the answer.

        A constant needs no guard. For a value that is unknown until the run, the answer is guessed.

        Raises:
            Untraceable: ``operation`` is not a conversion that guards can check, or too many
                answers were guessed.
        """
        if value.data is not None and value.param is None:
            return value.data
        if operation not in CONVERSIONS:
            raise self._record_refusal(f"{operation} was asked of a tensor")
        lifted = self._lift_value(value)
        try:
            data = self._evaluate_value(lifted)
        except _UnknownUntilRun as exc:
            if self.guesses == MAX_GUESSES:
                raise self._record_refusal(str(exc)) from None
            data = self._guess_answer()
        answer = CONVERSIONS[operation](data)
        self.graph.guards.append(
            Guard(lifted, operation, answer, len(self.graph.nodes), user_line())
        )
        return data

    def evaluate_example(self, value: Value) -> np.ndarray | None:
        """Return the array of a value of this trace for the example inputs; None if it is unknown
        until the run.
        """
        try:
            return self._evaluate_value(value)
        except _UnknownUntilRun:
            return None

    def print(self, values: tuple[Any, ...], options: dict[str, Any]) -> None:
        """Append an op that prints ``values`` when the graph runs.

        Raises Untraceable if ``options`` name a file other than ``sys.stdout``.
        """
        if options.get("file") not in (None, sys.stdout):
            raise self._record_refusal("print wrote to a file")
        emit_print_op(values, options)

    # -- writes of Python code -------------------------------------------------------------------

    def _record_refusal(self, why: str) -> Untraceable:
        """Record why the function can't be traced, if no reason is recorded yet; return the
        exception to raise.
        """
        self.refusal = self.refusal or Untraceable(why, user_line())
        return self.refusal

    def find_cell_write(self) -> Untraceable | None:
        """Return the reason to refuse the function if it changed an attribute of a Cell, which a
        graph would not repeat; otherwise None.
        """
        for snapshot in self._cell_snapshots.values():
            name = snapshot.find_changed_attribute()
            if name is not None:
                cell = type(snapshot.cell).__name__
                return Untraceable(f"the attribute {name} of {cell} was written", snapshot.line)
        return None

    def restore_cells(self) -> None:
        """Restore the attributes that the written Cells had before the trace."""
        for snapshot in self._cell_snapshots.values():
            snapshot.restore()

    # -- guards ------------------------------------------------------------------------------------

    def _guess_answer(self) -> np.ndarray:
        """Return the answer of an earlier run to the next guard; if no run has reached it, guess 0
        and count the guess.
        """
        guard_index = len(self.graph.guards)
        if guard_index < len(self._answers):
            return np.asarray(self._answers[guard_index])
        self.guesses += 1
        return np.asarray(0)

    def _evaluate_value(self, target: Value) -> np.ndarray:
        """Compute ``target`` for the example inputs, op by op, from the nodes that it depends on.

        The results are cached for later questions.

        Raises:
            _UnknownUntilRun: it depends on a random draw, a data queue or another effect.
        """
        producers = self.graph.producers()
        stack = [target]
        while stack:
            value = stack[-1]
            if value in self._example_arrays or value.data is not None:
                stack.pop()
                continue
            node = producers.get(value)
            if node is None or not node.prim.effect.is_pure or node.prim.dynamic:
                raise _UnknownUntilRun(
                    "Python asked for a value that comes from a random draw or a data queue"
                )
            missing = [a for a in node.inputs if a.data is None and a not in self._example_arrays]
            if missing:
                stack.extend(missing)
                continue
            with interpreter.using_interpreter(EAGER_EVALUATOR):
                examples = self._example_arrays
                args = tuple([
                    Value(a.spec, examples.get(a, a.data)) if a.__class__ is Value else a
                    for a in node.args
                ])  # fmt: skip
                out = interpreter.bind(node.prim, args)
            for o, output in zip(
                node.outputs, (out,) if isinstance(out, Value) else out, strict=True
            ):
                self._example_arrays[o] = output.data
            stack.pop()
        return self._example_arrays.get(target, target.data)


def finish_graph(tracer: Tracer, outputs: list[Value]) -> Graph:
    """Set the outputs of the traced graph and return it."""
    graph = tracer.graph
    graph.outputs = list(tracer.lift(tuple(outputs)))
    return graph


class ReplayInterpreter(interpreter.Pynative):
    """Runs a function op by op after a program has run part of it.

    Batches that the program fetched and the outputs of its effects are taken from ``replay``, so
    that no effect happens twice.
    """

    def __init__(self, replay: Replay) -> None:
        super().__init__(stages=False)
        self._batches, self._effects = iter(replay.batches), iter(replay.effect_outputs)

    def bind(self, prim: Operator, args: tuple[Any, ...]) -> Value | tuple[Value, ...]:
        """Return the recorded outputs of the next fetch or effect; run any other op.

        Fetches and effects after the recorded ones are run.
        """
        recorded = None
        if prim.dynamic and not prim.effect.is_pure:
            recorded = next(self._batches, None)
        elif prim.effect.is_external:
            recorded = next(self._effects, None)
        if recorded is None:
            return super().bind(prim, args)
        outputs = tuple([Value(Spec(a.shape, a.dtype), a) for a in recorded])
        return outputs[0] if isinstance(interpreter.infer(prim, args), Spec) else outputs

    def print(self, values: tuple[Any, ...], options: dict[str, Any]) -> None:
        """Bind an op that prints; it is skipped if the program has already printed."""
        emit_print_op(values, options)


def emit_print_op(values: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Call the op that writes the output of ``print(*values, **options)``; it supports the options
    ``sep`` and ``end``.
    """
    form, tensors = PrintLine.make_form(values)
    sep, end = options.get("sep"), options.get("end")
    PrintLine(form, " " if sep is None else sep, "\n" if end is None else end)(*tensors)


@contextmanager
def capture_print(interp: Tracer | ReplayInterpreter) -> Iterator[None]:
    """Make Python's ``print`` an op of ``interp`` inside the ``with`` block, in this thread.

    Replaces ``builtins.print`` inside the block.
    """
    builtin_print: Callable[..., None] = builtins.print
    is_nested = False

    def print_(*values: Any, **options: Any) -> None:
        """Print by an op of ``interp``; directly in other threads and inside the op's kernel."""
        nonlocal is_nested
        if is_nested or interpreter.current() is not interp:
            builtin_print(*values, **options)
            return
        is_nested = True  # the kernel of the op calls print, too
        try:
            interp.print(values, options)
        finally:
            is_nested = False

    builtins.print = print_
    try:
        yield
    finally:
        builtins.print = builtin_print
