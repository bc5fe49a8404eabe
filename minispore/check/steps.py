"""Record the ops that a script's own loop runs for each batch, as the graph that they would be."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from minispore.check.listen import listen_to_devices
from minispore.core import interpreter
from minispore.core.tensor import Tensor
from minispore.device.model.records import OPTIMIZER
from minispore.device.model.step import Step, make_step
from minispore.device.runtime import Listener
from minispore.graph.ir import Graph
from minispore.ir.node import Node
from minispore.ir.operator import Operator
from minispore.ir.runtime import Launchable
from minispore.ir.value import ContentOwner, Spec, Value

#: Recorded batches of a loop: the first one creates objects that later ones reuse.
RECORDED_BATCHES = 2


class StepRecording:
    """A graph of the ops that ran between two batches of a loop; made by ``StepRecorder``."""

    def __init__(self, batch: Iterable[Any] = ()) -> None:
        self.graph = Graph()
        self.eager_ops = 0  # ops that the host launched one by one
        self.has_training_program = False  # whether one program did the training
        self._values_by_array: dict[int, tuple[weakref.ref[np.ndarray], Value]] = {}
        self._param_values: dict[ContentOwner, Value] = {}
        for x in batch:
            if isinstance(x, Tensor):
                self.graph.inputs.append(self._get_value(x._value))
            elif isinstance(x, np.ndarray):
                self.graph.inputs.append(self._get_value(Value(Spec(x.shape, x.dtype), x)))

    def add_op(self, prim: Operator, args: tuple[Any, ...], outputs: tuple[Value, ...]) -> None:
        """Add an op that ran outside of a program, and count it as an eager op."""
        self.eager_ops += 1
        scope, line = interpreter.origin() or ("", "")
        results = tuple([self._make_value(v) for v in outputs])
        self.graph.nodes.append(
            Node(prim, tuple([self._convert_argument(a) for a in args]), results, scope, line)
        )

    def add_program(self, graph: Graph, inputs: Sequence[np.ndarray]) -> None:
        """Add the ops of a program that ran with ``inputs``; also sets ``has_training_program``."""
        self.has_training_program = self.has_training_program or _has_optimizer_op(make_step(graph))
        input_values = {
            v: self._get_value(Value(v.spec, a)) for v, a in zip(graph.inputs, inputs, strict=True)
        }
        for node in graph.nodes:
            args = tuple([self._convert_argument(a, input_values) for a in node.args])
            self.graph.nodes.append(Node(node.prim, args, node.outputs, node.scope, node.line))

    def find_training_step(self) -> Step | None:
        """Return the recorded step if it has an optimizer op, otherwise None."""
        step = make_step(self.graph)
        return step._replace(results=None) if _has_optimizer_op(step) else None

    def _convert_argument(self, a: Any, input_values: dict[Value, Value] | None = None) -> Any:
        """Return an argument of an op with all Values replaced by the recording's own Values.

        ``input_values`` maps the inputs of a program; its inner values are not replaced.
        """
        if isinstance(a, Value):
            if input_values is None or a.param is not None:
                return self._get_value(a)
            return input_values.get(a, a)
        if type(a) in (tuple, list):
            return type(a)([self._convert_argument(x, input_values) for x in a])
        return a

    def _get_value(self, value: Value) -> Value:
        """Return the recording's own Value for ``value``, whose array is not kept alive."""
        if value.param is not None:
            param_value = self._param_values.get(value.param)
            if param_value is None:
                param_value = self._param_values[value.param] = Value(value.spec, param=value.param)
            return param_value
        array_ref, array_value = self._values_by_array.get(id(value.data), (None, None))
        if array_value is None or array_ref is None or array_ref() is not value.data:
            return self._make_value(value)
        return array_value

    def _make_value(self, value: Value) -> Value:
        """Make the recording's own Value for ``value``, to be found by its array from now on."""
        recorded_value = Value(value.spec)
        if isinstance(value.data, np.ndarray):
            self._values_by_array[id(value.data)] = weakref.ref(value.data), recorded_value
        return recorded_value


def _has_optimizer_op(step: Step) -> bool:
    """Whether a step has an optimizer op."""
    return any(r.kind == OPTIMIZER for r in step.records)


class StepRecorder(interpreter.Pynative, Listener):
    """Runs ops one by one, as in PYNATIVE_MODE, and records each loop's first batches."""

    def __init__(self) -> None:
        super().__init__()
        self._recordings: dict[Any, list[StepRecording]] = {}
        self._recording: StepRecording | None = None
        self._program_recording: StepRecording | None = None  # the key of a step outside loops
        self._inputs: Sequence[np.ndarray] = ()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Record ops and programs inside the ``with`` block, as the thread's interpreter."""
        with listen_to_devices(self), interpreter.using_interpreter(self):
            yield

    def begin_batch(self, loop: Any, batch: Iterable[Any] = ()) -> None:
        """Begin a batch of ``loop``, to which ops belong from now on; only the first batches are
        recorded.
        """
        recordings = self._recordings.setdefault(loop, [])
        if len(recordings) < RECORDED_BATCHES:
            self._recording = StepRecording(batch)
            recordings.append(self._recording)

    def end_batch(self) -> None:
        """End the current batch: ops from now on do not belong to a loop."""
        self._recording = None

    def find_step(self, loop: Any) -> tuple[Step, int] | None:
        """Return a training step of ``loop`` and the number of its ops that ran one by one; None if
        none was recorded.

        For a loop without recordings, a training program that ran outside loops is used instead.
        """
        fallback = [] if self._program_recording is None else [self._program_recording]
        for recording in reversed(self._recordings.get(loop, fallback)):
            step = recording.find_training_step()
            if step is not None:
                return step, 0 if recording.has_training_program else recording.eager_ops
        return None

    # -- events ------------------------------------------------------------------------------------

    def bind(self, prim: Operator, args: tuple[Any, ...]) -> Value | tuple[Value, ...]:
        """Run ``prim`` as usual, and add it to the batch that is being recorded."""
        out = super().bind(prim, args)
        if self._recording is not None:
            self._recording.add_op(prim, args, (out,) if isinstance(out, Value) else out)
        return out

    def launching(self, program: Launchable, inputs: Sequence[np.ndarray], loop: int) -> None:
        """Store the inputs of a program that is about to run on a device."""
        self._inputs = inputs

    def on_launch(self, program: Launchable, loop: int) -> None:
        """Add a program that ran to the batch, or to the step outside loops."""
        if program.traced is None:
            return
        if self._recording is not None:
            self._recording.add_program(program.traced, self._inputs)
        elif self._program_recording is None:
            recording = StepRecording(self._inputs)
            recording.add_program(program.traced, self._inputs)
            self._program_recording = recording if recording.has_training_program else None


__all__ = ["StepRecorder"]
