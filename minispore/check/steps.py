"""What a loop of the script's own does for each batch, as the graph that it would be."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from minispore.check.listen import listening
from minispore.core import interpreter
from minispore.core.parameter import Parameter
from minispore.core.primitive import Primitive
from minispore.core.runtime import Launchable
from minispore.core.tensor import Tensor
from minispore.core.value import Node, Spec, Value
from minispore.device.model.records import OPTIMIZER
from minispore.device.model.step import Step, step_of
from minispore.device.runtime import Listener
from minispore.graph.ir import Graph

#: Batches of a loop of which is noted what is done: the first makes what others find.
KEPT = 2


class Body:
    """What ran between two batches of one loop."""

    def __init__(self, batch: Iterable[Any] = ()) -> None:
        self.graph = Graph()
        self.by_op = 0  # ops that the host sent one by one
        self.whole = False  # but all that matters was one program
        self._arrays: dict[int, tuple[weakref.ref[np.ndarray], Value]] = {}
        self._held: dict[Parameter, Value] = {}
        for x in batch:
            if isinstance(x, Tensor):
                self.graph.inputs.append(self._of(x._value))
            elif isinstance(x, np.ndarray):
                self.graph.inputs.append(self._of(Value(Spec(x.shape, x.dtype), x)))

    def bound(self, prim: Primitive, args: tuple[Any, ...], outputs: tuple[Value, ...]) -> None:
        """Add an op that ran."""
        self.by_op += 1
        scope, line = interpreter.origin() or ("", "")
        made = tuple([self._new(v) for v in outputs])
        self.graph.nodes.append(Node(prim, tuple([self._arg(a) for a in args]), made, scope, line))

    def ran(self, graph: Graph, inputs: Sequence[np.ndarray]) -> None:
        """Add the ops of a program that was given ``inputs``."""
        self.whole = self.whole or _trains(step_of(graph))
        known = {v: self._of(Value(v.spec, a)) for v, a in zip(graph.inputs, inputs, strict=True)}
        for node in graph.nodes:
            args = tuple([self._arg(a, known) for a in node.args])
            self.graph.nodes.append(Node(node.prim, args, node.outputs, node.scope, node.line))

    def step(self) -> Step | None:
        """The step, if it is one of a training."""
        found = step_of(self.graph)
        return found._replace(results=None) if _trains(found) else None

    def _arg(self, a: Any, known: dict[Value, Value] | None = None) -> Any:
        if isinstance(a, Value):
            return self._of(a) if known is None or a.param is not None else known.get(a, a)
        return type(a)([self._arg(x, known) for x in a]) if type(a) in (tuple, list) else a

    def _of(self, value: Value) -> Value:
        """What stands for ``value``, whose array is not kept."""
        if value.param is not None:
            made = self._held.get(value.param)
            if made is None:
                made = self._held[value.param] = Value(value.spec, param=value.param)
            return made
        held, shown = self._arrays.get(id(value.data), (None, None))
        if shown is None or held is None or held() is not value.data:
            return self._new(value)
        return shown

    def _new(self, value: Value) -> Value:
        shown = Value(value.spec)
        if isinstance(value.data, np.ndarray):
            self._arrays[id(value.data)] = weakref.ref(value.data), shown
        return shown


def _trains(step: Step) -> bool:
    return any(r.kind == OPTIMIZER for r in step.records)


class Steps(interpreter.Pynative, Listener):
    """Runs ops one by one, as PYNATIVE_MODE does, and notes those of each loop's first batches."""

    def __init__(self) -> None:
        super().__init__()
        self._bodies: dict[Any, list[Body]] = {}
        self._body: Body | None = None
        self._program: Body | None = None  # a step outside of loops
        self._inputs: Sequence[np.ndarray] = ()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note what runs in the ``with`` block."""
        with listening(self), interpreter.using(self):
            yield

    def begin(self, loop: Any, batch: Iterable[Any] = ()) -> None:
        """A batch of ``loop`` is there: what runs from now on is done with it."""
        bodies = self._bodies.setdefault(loop, [])
        if len(bodies) < KEPT:
            self._body = Body(batch)
            bodies.append(self._body)

    def end(self) -> None:
        """What runs from now on is no part of a loop."""
        self._body = None

    def of(self, loop: Any) -> tuple[Step, int] | None:
        """A training step of ``loop``, and how many of its ops the host sends one by one."""
        alone = [] if self._program is None else [self._program]
        for body in reversed(self._bodies.get(loop, alone)):
            step = body.step()
            if step is not None:
                return step, 0 if body.whole else body.by_op
        return None

    # -- what is told ------------------------------------------------------------------------------

    def bind(self, prim: Primitive, args: tuple[Any, ...]) -> Value | tuple[Value, ...]:
        out = super().bind(prim, args)
        if self._body is not None:
            self._body.bound(prim, args, (out,) if isinstance(out, Value) else out)
        return out

    def launching(self, program: Launchable, inputs: Sequence[np.ndarray], loop: int) -> None:
        self._inputs = inputs

    def launched(self, program: Launchable, loop: int) -> None:
        if program.traced is None:
            return
        if self._body is not None:
            self._body.ran(program.traced, self._inputs)
        elif self._program is None:
            alone = Body(self._inputs)
            alone.ran(program.traced, self._inputs)
            self._program = alone if alone.whole else None


__all__ = ["Steps"]
