"""Tracing: run Python once on values that are not there yet, and write down what it binds."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from minispore.core import interpreter
from minispore.core.parameter import Parameter
from minispore.core.primitive import Primitive, UnknownShape
from minispore.core.tensor import Tensor, primitive
from minispore.core.value import Node, Spec, Value
from minispore.errors import GraphModeError
from minispore.graph.ir import Graph, Guard

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

GUESSES = 16  # answers made up per trace; a loop that waits for another one must end

WAY_OUT = {
    "asnumpy()": "Use ops on the tensor instead, or call asnumpy() on what construct returns.",
    "float()": "Compute with the tensor itself, or return it from construct and convert it there.",
    "int()": "Compute with the tensor itself, or return it from construct and convert it there.",
    "printing": "Use ops.Print()(...), which prints when the graph runs.",
}


class Untraceable(Exception):
    """The function can't be one graph; it has to run op by op."""

    def __init__(self, why: str, line: str) -> None:
        super().__init__(f"{why} ({line})")
        self.why, self.line = why, line


def user_line() -> str:
    """``file.py:12`` of the innermost frame outside this package."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_back is None:
            break
        frame = frame.f_back
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


class Tracer:
    """An interpreter that binds nothing and appends each node to a graph.

    A question that Python asks of a tensor is answered for the example inputs. What hangs on a
    random draw or a data queue is known to a run only: the answer is a guess that the run holds
    true or corrects.

    Args:
        answers: what a run has answered to the first questions.
    """

    tracing = True
    stages = False

    def __init__(self, answers: tuple[bool | int, ...] = ()) -> None:
        self.graph = Graph()
        self._answers = answers
        self.guesses = 0
        self.visited: list[Any] = []
        self.scopes: dict[str, Any] = {}  # what was visited, by the scope of its ops
        self._state: dict[Parameter, Value] = {}
        self._known: dict[Value, np.ndarray] = {}
        self._own: set[Value] = set()
        self._born: dict[int, Tensor] = {}

    def input(self, spec: Spec, example: np.ndarray | None) -> Value:
        """A new input of the graph; ``example`` answers guards."""
        value = Value(spec)
        self.graph.inputs.append(value)
        self._own.add(value)
        if example is not None:
            self._known[value] = example
        return value

    # -- what an interpreter does -----------------------------------------------------------------

    def visit(self, obj: Any) -> None:
        self.visited.append(obj)
        self.scopes[interpreter.scope()] = obj

    def lift(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple([self._lift(a) if a.__class__ is Value else a for a in args])

    def _lift(self, value: Value) -> Value:
        if value.data is None:
            if value not in self._own:
                raise GraphModeError(
                    f"Tensor: a traced tensor of another graph was used at {user_line()}. Return "
                    "it from construct "
                    "instead of keeping it in a Python variable or attribute; use a Parameter "
                    "for state."
                )
            return value
        param = value.param
        if param is None:
            return Value(value.spec, value.data.copy()) if value.shared else value
        current = self._state.get(param)
        if current is None:
            current = Value(value.spec, param=param)
            self._own.add(current)
            self._known[current] = value.data
            self._state[param] = self.graph.state[param] = current
        elif current.param is not param:  # assigned: what is read from now on is the Parameter
            read = self.bind(primitive("Identity"), (current,))
            assert isinstance(read, Value)
            read.param = param
            self._state[param] = current = read
        return current

    def bind(self, prim: Primitive, args: tuple[Any, ...]) -> Value | tuple[Value, ...]:
        try:
            specs = interpreter.infer(prim, args)
        except UnknownShape:
            raise Untraceable(
                f"{prim.name}: the shape of its output depends on values", user_line()
            ) from None
        outputs = tuple([Value(s) for s in ((specs,) if isinstance(specs, Spec) else specs)])
        origin = interpreter.origin()
        scope, line = origin if origin is not None else (interpreter.scope(), user_line())
        self.graph.nodes.append(Node(prim, args, outputs, scope, line))
        self._own.update(outputs)
        return outputs[0] if specs.__class__ is Spec else outputs

    def born(self, box: Tensor) -> None:
        self._born[id(box)] = box

    def where(self) -> tuple[str, str]:
        if not self.graph.nodes:
            return "", ""
        last = self.graph.nodes[-1]
        return last.scope, last.line

    def assign(self, box: Tensor, value: Value) -> None:
        if isinstance(box, Parameter):
            self._lift(box.value_)
            self._state[box] = self.graph.updates[box] = self._lift(value)
            return
        old = box.value_
        if old.data is not None and id(box) not in self._born:
            raise GraphModeError(
                f"Tensor: a tensor from outside the graph was changed in place at {user_line()}. "
                "Make it a Parameter, or return the new value."
            )
        box.set_value(value)

    def concrete(self, value: Value, what: str) -> Any:
        if value.data is not None and value.param is None:
            return value.data
        if what not in ("bool()", "index"):
            raise GraphModeError(
                f"Tensor: {what} was asked of a traced tensor {value.spec} at {user_line()}; it "
                "has no value while "
                f"the graph is built. {WAY_OUT.get(what, '')}"
            )
        lifted = self._lift(value)
        try:
            data = self._evaluate(lifted)
        except Untraceable:
            if self.guesses == GUESSES:
                raise
            data = self._guess()
        answer = bool(data) if what == "bool()" else int(data)
        self.graph.guards.append(Guard(lifted, what, answer, len(self.graph.nodes), user_line()))
        return data

    # -- guards ------------------------------------------------------------------------------------

    def _guess(self) -> np.ndarray:
        """What a run has answered to this question; no, before the first run."""
        asked = len(self.graph.guards)
        if asked < len(self._answers):
            return np.asarray(self._answers[asked])
        self.guesses += 1
        return np.asarray(0)

    def _evaluate(self, wanted: Value) -> np.ndarray:
        """The value for the example inputs, computed op by op from what it needs."""
        producers = self.graph.producers()
        stack = [wanted]
        while stack:
            value = stack[-1]
            if value in self._known or value.data is not None:
                stack.pop()
                continue
            node = producers.get(value)
            if node is None or not node.prim.pure or node.prim.dynamic:
                raise Untraceable(
                    "Python asked for a value that comes from a random draw or a data queue",
                    user_line(),
                )
            missing = [a for a in node.inputs if a.data is None and a not in self._known]
            if missing:
                stack.extend(missing)
                continue
            with interpreter.using(interpreter.Pynative()):
                args = tuple([
                    Value(a.spec, self._known.get(a, a.data)) if a.__class__ is Value else a
                    for a in node.args
                ])  # fmt: skip
                out = interpreter.bind(node.prim, args)
            for o, made in zip(
                node.outputs, (out,) if isinstance(out, Value) else out, strict=True
            ):
                self._known[o] = made.data
            stack.pop()
        return self._known.get(wanted, wanted.data)


def finished(tracer: Tracer, outputs: list[Value]) -> Graph:
    """The traced graph, once its outputs are known."""
    graph = tracer.graph
    graph.outputs = list(tracer.lift(tuple(outputs)))
    return graph
