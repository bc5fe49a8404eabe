"""Record data for a profiler while the program runs, at little cost.

A :class:`Recorder` listens to the device and to new data pipelines. It measures wall time with
``perf_counter_ns``; virtual time is computed afterwards, from the programs and their number of
runs.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minispore.core import callback, interpreter
from minispore.dataset.pipeline import feed as feeds
from minispore.dataset.pipeline.statistics import PipelineStatistics
from minispore.device import channel as channels
from minispore.device.channel import Batch
from minispore.device.model.records import BACKWARD, FORWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.runtime import Device, Listener
from minispore.graph.program import Program
from minispore.ir.node import Node
from minispore.ir.operator import Operator
from minispore.ir.runtime import Launchable
from minispore.profiler.curves import Curves

#: Number of steps without a program whose ops are kept; the first ones compute shapes that later
#: ones reuse.
RECORDED_EAGER_STEPS = 2


@dataclass
class WallTime:
    """The number of calls of a NumPy kernel, and their total duration."""

    name: str
    scope: str = ""
    line: str = ""
    shape: str = ""
    calls: int = 0
    total_ns: int = 0

    def add_call(self, ns: int) -> None:
        """Add one call of ``ns`` nanoseconds."""
        self.calls += 1
        self.total_ns += ns


@dataclass
class ProgramRun:
    """A compiled program that ran, with the number and the duration of each of its calls."""

    program: Program
    name: str
    calls: list[int]  # the number of runs of each of the program's calls
    spent_ns: list[int]

    def wall_times(self) -> list[WallTime]:
        """Return the wall time of each node of the program, summed over its calls.

        The guards, checks that the program applies to its inputs, are one entry.
        """
        times_by_node: dict[Node | None, WallTime] = {}
        for (node, _), calls, ns in zip(
            self.program.steps(), self.calls, self.spent_ns, strict=True
        ):
            if node not in times_by_node:
                times_by_node[node] = _make_wall_time(node)
                times_by_node[node].calls = calls
            times_by_node[node].total_ns += ns
        return list(times_by_node.values())


def _make_wall_time(node: Node | None) -> WallTime:
    """Return an empty wall time for a node, or for a guard."""
    if node is None:
        return WallTime("guard")
    shape = ", ".join(str(o.spec) for o in node.outputs)
    return WallTime(node.prim.name, node.scope, node.line, shape)


@dataclass
class Launch:
    """One interaction in which a program, or single kernels, ran for ``steps`` steps."""

    program_run: ProgramRun | None  # None: single kernels
    steps: int
    began_ns: int
    ended_ns: int = 0
    losses: np.ndarray = field(default_factory=lambda: np.zeros(0))
    fetched: int = 0  # batches that GetNext took
    kernels: int = 0  # kernels that the host launched singly


class Recorder(Listener):
    """Records the events of a device and of new data pipelines from ``start`` to ``stop``."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.began_ns = self.ended_ns = 0
        self.launches: list[Launch] = []
        self.programs: dict[int, ProgramRun] = {}
        self.eager_kernels: dict[Any, WallTime] = {}  # of ops that ran singly
        self.eager_steps: list[list[OpRecord]] = []  # the ops of the first such steps
        self.step_began_ns: list[int] = []
        self.queue_sizes: dict[str, list[int]] = defaultdict(list)
        self.waits_s: dict[str, list[float]] = defaultdict(list)
        self.sent_ns: dict[str, list[int]] = defaultdict(list)
        self.batches: dict[str, Batch] = {}  # one of each queue, for its columns
        self.feeds: list[feeds.Feed] = []
        self.curves = Curves()
        self._timing_stack = ExitStack()
        self._timed_programs: set[int] = set()
        self._current_launch: Launch | None = None  # the launch for which batches are fetched
        self._interaction: Launch | None = None  # the interaction in progress
        self._records_ops = False  # whether the interaction's ops are kept in `eager_steps`
        self._invocation: Any = None
        self._retained_arrays: list[Any] = []  # arrays of the step, kept so that no two share an id

    # -- begin and end ----------------------------------------------------------------------------

    def start(self) -> None:
        """Start recording new pipelines and losses; a recorder can be restarted after a stop."""
        self.began_ns = self.began_ns or time.perf_counter_ns()
        feeds.feed_watchers.append(self.feeds.append)
        callback.watchers.append(self.curves)

    def stop(self) -> None:
        """Stop recording and record the time; programs run without measurement again.

        The recorded data is kept.
        """
        feeds.feed_watchers[:] = [w for w in feeds.feed_watchers if w != self.feeds.append]
        callback.watchers[:] = [w for w in callback.watchers if w is not self.curves]
        self._timing_stack.close()
        self._timing_stack = ExitStack()
        self._timed_programs.clear()
        self._retained_arrays.clear()
        self.ended_ns = time.perf_counter_ns()

    # -- events of the device ---------------------------------------------------------------------
    # A call of Model.train: began_step, [launching, on_launch], on_interaction. A program that is
    # called directly: launching, began_step, on_interaction, on_launch.

    def began_step(self) -> None:
        """Record the start time of a step; begin a :class:`Launch` unless a program is running.

        A running program is measured from now on. Without one, arrays retained for the previous
        step are released.
        """
        self.step_began_ns.append(time.perf_counter_ns())
        if self._invocation is not None:
            self._time_program(self._invocation)  # already compiled, if this is not the first step
            return
        self._retained_arrays.clear()
        self._interaction = self._begin_launch(1)
        self._records_ops = False

    def launching(self, program: Launchable, inputs: Sequence[np.ndarray], loop: int) -> None:
        """Measure the kernel calls of ``program``, and begin a :class:`Launch` of ``loop`` steps,
        or use that of the current interaction if nothing ran in it yet.
        """
        self._invocation = program
        self._time_program(program)
        interaction = self._interaction
        if interaction is not None and interaction.kernels == 0 and interaction.program_run is None:
            self._current_launch = interaction
            interaction.steps = loop
        else:
            self._current_launch = self._begin_launch(loop)

    def on_launch(self, program: Launchable, loop: int) -> None:
        """Record the end, the program and the losses of the current :class:`Launch`."""
        self._invocation, launch = None, self._current_launch
        if launch is not None:
            launch.ended_ns = time.perf_counter_ns()
            launch.program_run = self._time_program(program)
            launch.losses = self.device.losses.copy()
        self._current_launch = self._interaction

    def on_answer(self, arrays: Sequence[np.ndarray]) -> None:
        """Record the mean of the first result, if it is a float array, as the loss of a step that
        runs kernel by kernel.
        """
        if self._interaction is not None and self._interaction.program_run is None and len(arrays):
            first = np.asarray(arrays[0])
            if first.dtype.kind == "f":
                self._interaction.losses = np.array([first.mean()])

    def on_interaction(self) -> None:
        """Record the end of the current interaction's :class:`Launch`; while a program is running,
        do nothing, since ``on_launch`` records it.
        """
        if self._interaction is not None and self._invocation is None:
            self._interaction.ended_ns = time.perf_counter_ns()
            self._current_launch = self._interaction = None

    def _begin_launch(self, steps: int) -> Launch:
        """Append a :class:`Launch` of ``steps`` steps to ``launches`` and return it; batches that
        are fetched from now on are counted for it.
        """
        self._current_launch = Launch(None, steps, time.perf_counter_ns())
        self.launches.append(self._current_launch)
        return self._current_launch

    def on_execute(self, prim: Operator, arrays: Sequence[Any], out: Any, took_ns: int) -> None:
        """Add a kernel's time, and count the kernel for the interaction; in the first eager steps,
        also record its op for the cost model.
        """
        outs = out if isinstance(out, tuple) else (out,)
        key = (prim.name, *[getattr(o, "shape", None) for o in outs])
        wall_time = self.eager_kernels.get(key)
        if wall_time is None:
            shape = ", ".join(f"{o.dtype}{list(o.shape)}" for o in outs if hasattr(o, "shape"))
            wall_time = self.eager_kernels[key] = WallTime(prim.name, shape=shape)
        wall_time.add_call(took_ns)
        interaction = self._interaction
        if interaction is not None:
            # Only the first kernel tells an eager step: a step that runs a program begins alike.
            if interaction.kernels == 0 and interaction.program_run is None:
                self._records_ops = len(self.eager_steps) < RECORDED_EAGER_STEPS
                if self._records_ops:
                    self.eager_steps.append([])
            interaction.kernels += 1
            if self._records_ops:
                self.eager_steps[-1].append(self._make_eager_record(prim, arrays, outs))

    def on_fetch(self, queue_name: str, batch: Batch, waited_s: float) -> None:
        """Record the queue's length and the wait for a batch, and count the batch for the current
        launch.
        """
        channel = channels.find_channel(queue_name)
        self.queue_sizes[queue_name].append(len(channel) if channel is not None else 0)
        self.waits_s[queue_name].append(waited_s)
        self.batches.setdefault(queue_name, batch)
        if self._current_launch is not None:
            self._current_launch.fetched += 1

    def on_send(self, queue_name: str, batch: Batch) -> None:
        """Record the time at which a batch was queued."""
        self.sent_ns[queue_name].append(time.perf_counter_ns())

    # -- programs ---------------------------------------------------------------------------------

    def _time_program(self, invocation: Any) -> ProgramRun | None:
        """Measure the kernel calls of the program of ``invocation`` until ``stop``, and return its
        ProgramRun, which collects them; None if there is no program. Until then, the program runs
        on one thread.
        """
        program = getattr(invocation, "program", invocation)
        if not isinstance(program, Program):
            return None
        program_run = self.programs.get(id(program))
        if program_run is None:
            entry = getattr(invocation, "entry", None)
            size = len(list(program.steps()))
            program_run = ProgramRun(
                program, getattr(entry, "name", "graph"), [0] * size, [0] * size
            )
            self.programs[id(program)] = program_run
        if id(program) not in self._timed_programs:
            self._timed_programs.add(id(program))
            self._timing_stack.enter_context(
                program.measure_calls(program_run.calls, program_run.spent_ns)
            )
        return program_run

    # -- single kernels -----------------------------------------------------------------------

    def _make_eager_record(
        self, prim: Operator, arrays: Sequence[Any], outs: Sequence[Any]
    ) -> OpRecord:
        """Return the record of an op that ran singly, and retain its arrays for the step.

        An op bound by a derivative belongs to the backward pass; a later op that updates Parameters
        belongs to the optimizer.
        """
        self._retained_arrays += [a for a in (*arrays, *outs) if isinstance(a, np.ndarray)]
        step = self.eager_steps[-1]
        kind = step[-1].kind if step else FORWARD
        if interpreter.origin() is not None:  # an op with an origin is bound by a derivative
            kind = BACKWARD
        elif prim.mutates and kind == BACKWARD:
            kind = OPTIMIZER
        return OpRecord(
            prim.name,
            tuple(_make_operand(a) for a in arrays if isinstance(a, np.ndarray)),
            tuple(_make_operand(o) for o in outs if isinstance(o, np.ndarray)),
            {f: getattr(prim, f) for f in prim.fields},
            kind,
        )

    # -- afterwards -------------------------------------------------------------------------------

    def wall_times(self) -> list[WallTime]:
        """Return the wall times of all NumPy kernels that ran, longest first."""
        times = [t for program_run in self.programs.values() for t in program_run.wall_times()]
        times += self.eager_kernels.values()
        return sorted((t for t in times if t.calls), key=lambda t: (-t.total_ns, t.name, t.scope))

    def pipelines(self) -> list[PipelineStatistics]:
        """Return the statistics of each pipeline that delivered rows."""
        statistics = [feed.statistics() for feed in self.feeds]
        return [s for s in statistics if s.gets]

    @property
    def steps(self) -> int:
        """The number of steps that all launches ran."""
        return sum(launch.steps for launch in self.launches)


def _make_operand(array: np.ndarray) -> Operand:
    """Return an array's identity, shape and dtype as an operand of the cost model."""
    return Operand(id(array), array.shape, array.dtype)
