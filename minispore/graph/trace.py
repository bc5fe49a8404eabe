"""Tracing: run Python once on values that are not there yet, and write down what it binds."""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from minispore.core import interpreter
from minispore.core.layout import lying
from minispore.core.parameter import Parameter
from minispore.core.primitive import Primitive, UnknownShape
from minispore.core.tensor import Tensor
from minispore.core.value import Node, Spec, Value
from minispore.graph.ir import Graph, Guard
from minispore.graph.program import Replay
from minispore.graph.state.outside import PACKAGE
from minispore.graph.state.places import MISSING, same
from minispore.ops.control.printing import PrintLine
from minispore.ops.shape.whole import Identity

GUESSES = 16  # answers made up per trace; a loop that waits for another one must end
ASKED = {"bool()": bool, "index": int, "int()": int}  # questions that a guard can answer


class CellPicture:
    """The attributes of a Cell before Python code wrote to it."""

    REGISTRIES = "_params", "_cells", "_buffers"

    def __init__(self, cell: Any, name: str, line: str) -> None:
        self.cell, self.name, self.line = cell, name, line
        own = vars(cell)
        self.own = dict(own)
        self.registered = [dict(own[r]) for r in self.REGISTRIES]

    def changed(self) -> str | None:
        """The name of an attribute that is another object now."""
        own = vars(self.cell)
        pairs = [(self.own, own)]
        pairs += [(old, own[r]) for r, old in zip(self.REGISTRIES, self.registered, strict=True)]
        for old, now in pairs:
            for name in (*old, *now):
                if not same(old.get(name, MISSING), now.get(name, MISSING)):
                    return name
        return None

    def put_back(self) -> None:
        own = vars(self.cell)
        own.clear()
        own.update(self.own)
        for r, old in zip(self.REGISTRIES, self.registered, strict=True):
            held = own[r]
            for name in [*held]:
                if name not in old:
                    del held[name]
            for name, value in old.items():
                if held.get(name) is not value:
                    held[name] = value


class _Unknown(Exception):
    """A value that only a run of the graph can tell."""


class Untraceable(Exception):
    """The function can't be one graph; it has to run op by op."""

    def __init__(self, why: str, line: str) -> None:
        super().__init__(f"{why} ({line})" if line else why)
        self.why, self.line = why, line


class Raised(Exception):
    """Python code raised ``error`` while it was traced."""

    def __init__(self, error: Exception, line: str, parameters: list[Parameter]) -> None:
        super().__init__(f"tracing it raised {type(error).__name__} ({line})")
        self.error, self.parameters = error, parameters

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Give Parameters back what they held if the ``with`` block raises: an
        error changes nothing.
        """
        before = [p.asnumpy() for p in self.parameters]
        try:
            yield
        except BaseException:
            for p, content in zip(self.parameters, before, strict=True):
                p.set_data(Tensor(content))
            raise


def user_frame() -> FrameType:
    """The innermost frame outside this package."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def user_line() -> str:
    """``file.py:12`` of the innermost frame outside this package."""
    frame = user_frame()
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


#: Computes the answers to questions that Python asks while it traces.
ANSWERING = interpreter.Pynative()


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
        self._born: dict[int, Any] = {}
        self._before: dict[int, CellPicture] = {}  # of Cells that were written to
        self.refused: Untraceable | None = None  # raised, whether Python code let it pass or not

    def input(self, spec: Spec, example: np.ndarray | None) -> Value:
        """A new input of the graph; ``example`` answers guards."""
        value = Value(spec)
        self.graph.inputs.append(value)
        self._own.add(value)
        if example is not None:
            self._known[value] = example
            lies = lying(example)
            if lies is not None:
                self.graph.lies[value] = lies
        return value

    # -- what an interpreter does -----------------------------------------------------------------

    def visit(self, obj: Any) -> None:
        self.visited.append(obj)
        self.scopes[interpreter.scope()] = obj

    def lift(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple([self._lift(a) if a.__class__ is Value else a for a in args])

    def _lift(self, value: Value) -> Value:
        param = value.param
        if value in self._own:
            return value
        if value.data is None and (param is None or not param.has_init):
            raise self._refuse("a tensor of another graph was used")
        if param is None:
            return Value(value.spec, value.data.copy()) if value.shared else value
        current = self._state.get(param)
        if current is None:
            current = Value(value.spec, param=param)
            self._own.add(current)
            if not param.has_init:  # else a guess answers what is asked of it
                self._known[current] = value.data
            self._state[param] = self.graph.state[param] = current
        elif current.param is not param:  # assigned: what is read from now on is the Parameter
            read = self.bind(Identity(), (current,))
            assert isinstance(read, Value)
            read.param = param
            self._state[param] = current = read
        return current

    def bind(self, prim: Primitive, args: tuple[Any, ...]) -> Value | tuple[Value, ...]:
        try:
            specs = interpreter.infer(prim, args)
        except UnknownShape:
            raise self._refuse(f"{prim.name}: the shape of its output depends on values") from None
        outputs = tuple([Value(s) for s in ((specs,) if isinstance(specs, Spec) else specs)])
        origin = interpreter.origin()
        scope, line = origin if origin is not None else (interpreter.scope(), user_line())
        self.graph.nodes.append(Node(prim, args, outputs, scope, line))
        self._own.update(outputs)
        return outputs[0] if specs.__class__ is Spec else outputs

    def born(self, made: Any) -> None:
        self._born[id(made)] = made

    def changing(self, cell: Any, name: str) -> None:
        if id(cell) not in self._born and id(cell) not in self._before:
            self._before[id(cell)] = CellPicture(cell, name, user_line())

    def outside(self, what: str) -> None:
        raise self._refuse(what)

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
            raise self._refuse("a tensor from outside of it was changed in place")
        box.set_value_(value)

    def concrete(self, value: Value, what: str) -> Any:
        if value.data is not None and value.param is None:
            return value.data
        if what not in ASKED:
            raise self._refuse(f"{what} was asked of a tensor")
        lifted = self._lift(value)
        try:
            data = self._evaluate(lifted)
        except _Unknown as exc:
            if self.guesses == GUESSES:
                raise self._refuse(str(exc)) from None
            data = self._guess()
        answer = ASKED[what](data)
        self.graph.guards.append(Guard(lifted, what, answer, len(self.graph.nodes), user_line()))
        return data

    def print(self, parts: tuple[Any, ...], options: dict[str, Any]) -> None:
        if options.get("file") not in (None, sys.stdout):
            raise self._refuse("print wrote to a file")
        print_line(parts, options)

    # -- what Python code wrote ------------------------------------------------------------------

    def _refuse(self, why: str) -> Untraceable:
        self.refused = self.refused or Untraceable(why, user_line())
        return self.refused

    def written(self) -> Untraceable | None:
        """Why this trace is not what each call would do, as far as Cells know."""
        for picture in self._before.values():
            name = picture.changed()
            if name is not None:
                cell = type(picture.cell).__name__
                return Untraceable(f"the attribute {name} of {cell} was written", picture.line)
        return None

    def undo(self) -> None:
        """Give Cells back the attributes that they had before."""
        for picture in self._before.values():
            picture.put_back()

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
                raise _Unknown(
                    "Python asked for a value that comes from a random draw or a data queue"
                )
            missing = [a for a in node.inputs if a.data is None and a not in self._known]
            if missing:
                stack.extend(missing)
                continue
            with interpreter.using(ANSWERING):
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


class Replaying(interpreter.Pynative):
    """Runs op by op what a program had begun: the effects of that are taken over, not repeated."""

    def __init__(self, replay: Replay) -> None:
        super().__init__(stages=False)
        self._fetched, self._effects = iter(replay.fetched), iter(replay.effects)

    def bind(self, prim: Primitive, args: tuple[Any, ...]) -> Value | tuple[Value, ...]:
        had = None
        if prim.dynamic and not prim.pure:
            had = next(self._fetched, None)
        elif not prim.pure and not prim.draws and not prim.mutates:
            had = next(self._effects, None)
        if had is None:
            return super().bind(prim, args)
        made = tuple([Value(Spec(a.shape, a.dtype), a) for a in had])
        return made[0] if isinstance(interpreter.infer(prim, args), Spec) else made

    def print(self, parts: tuple[Any, ...], options: dict[str, Any]) -> None:
        print_line(parts, options)


def print_line(parts: tuple[Any, ...], options: dict[str, Any]) -> None:
    """What ``print(*parts, **options)`` writes, as an op."""
    form, tensors = PrintLine.form_of(parts)
    sep, end = options.get("sep"), options.get("end")
    PrintLine(form, " " if sep is None else sep, "\n" if end is None else end)(*tensors)


@contextmanager
def printing(by: Tracer | Replaying) -> Iterator[None]:
    """Let Python's ``print`` be an op of ``by`` inside the ``with`` block, in this thread."""
    plain: Callable[..., None] = builtins.print
    inside = False

    def print_(*parts: Any, **options: Any) -> None:
        nonlocal inside
        if inside or interpreter.interpreter() is not by:
            plain(*parts, **options)
            return
        inside = True  # the kernel of the op prints, too
        try:
            by.print(parts, options)
        finally:
            inside = False

    builtins.print = print_
    try:
        yield
    finally:
        builtins.print = plain
