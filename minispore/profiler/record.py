"""What a profiler notes while the program runs: little, so that the run stays what it was.

A :class:`Recorder` listens to the device and to new data pipelines. Wall time is measured
here, with ``perf_counter_ns``; virtual time is added up afterwards, from the programs and how
often they ran.
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
from minispore.core.primitive import Primitive
from minispore.core.runtime import Launchable
from minispore.core.value import Node
from minispore.dataset.pipeline import feed as feeds
from minispore.dataset.pipeline.statistics import PipelineStatistics
from minispore.device import channel as channels
from minispore.device.channel import Batch
from minispore.device.model.records import BACKWARD, FORWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.runtime import Device, Listener
from minispore.graph.program import Program
from minispore.profiler.curves import Curves

#: Steps of PYNATIVE_MODE whose ops are kept; the first ones compute shapes that later ones reuse.
KEPT_STEPS = 2


@dataclass
class WallTime:
    """How often a NumPy kernel ran, and for how long."""

    name: str
    scope: str = ""
    line: str = ""
    shape: str = ""
    calls: int = 0
    total_ns: int = 0

    def add(self, ns: int) -> None:
        """One more call."""
        self.calls += 1
        self.total_ns += ns


@dataclass
class Ran:
    """One program, and how its calls did."""

    program: Program
    name: str
    calls: list[int]  # of each of the program's calls, how often it ran
    spent_ns: list[int]

    def wall_times(self) -> list[WallTime]:
        """The program's nodes, each with the times of all its calls."""
        found: dict[Node | None, WallTime] = {}
        for (node, _), calls, ns in zip(
            self.program.steps(), self.calls, self.spent_ns, strict=True
        ):
            if node not in found:
                found[node] = _about(node)
                found[node].calls = calls
            found[node].total_ns += ns
        return list(found.values())


def _about(node: Node | None) -> WallTime:
    if node is None:
        return WallTime("guard")
    shape = ", ".join(str(o.spec) for o in node.outputs)
    return WallTime(node.prim.name, node.scope, node.line, shape)


@dataclass
class Launch:
    """One interaction in which a program, or kernels one by one, ran for ``steps`` steps."""

    ran: Ran | None  # None: kernel by kernel
    steps: int
    began_ns: int
    ended_ns: int = 0
    losses: np.ndarray = field(default_factory=lambda: np.zeros(0))
    fetched: int = 0  # batches that GetNext took
    kernels: int = 0  # that the host sent one by one


class Recorder(Listener):
    """Listens from :meth:`start` to :meth:`stop`."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.began_ns = self.ended_ns = 0
        self.launches: list[Launch] = []
        self.programs: dict[int, Ran] = {}
        self.single: dict[Any, WallTime] = {}  # kernels that ran one by one
        self.eager_steps: list[list[OpRecord]] = []  # the ops of the first such steps
        self.step_began_ns: list[int] = []
        self.queue_sizes: dict[str, list[int]] = defaultdict(list)
        self.waits_s: dict[str, list[float]] = defaultdict(list)
        self.sent_ns: dict[str, list[int]] = defaultdict(list)
        self.batches: dict[str, Batch] = {}  # one of each queue, for its columns
        self.feeds: list[feeds.Feed] = []
        self.curves = Curves()
        self._timing = ExitStack()
        self._timed: set[int] = set()
        self._now: Launch | None = None  # what batches are fetched for
        self._turn: Launch | None = None  # the interaction that is going on
        self._invocation: Any = None
        self._kept: list[Any] = []  # arrays of the step, so that no two share an id

    # -- begin and end ----------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to note; a recorder can go on after a stop."""
        self.began_ns = self.began_ns or time.perf_counter_ns()
        feeds.watchers.append(self.feeds.append)
        callback.watchers.append(self.curves)

    def stop(self) -> None:
        """Note no more; programs run as before."""
        feeds.watchers[:] = [w for w in feeds.watchers if w != self.feeds.append]
        callback.watchers[:] = [w for w in callback.watchers if w is not self.curves]
        self._timing.close()
        self._timing = ExitStack()
        self._timed.clear()
        self._kept.clear()
        self.ended_ns = time.perf_counter_ns()

    # -- what the device says ---------------------------------------------------------------------
    # A turn of Model.train: began_step, [launching, launched], interacted. A program that is called
    # by itself: launching, began_step, interacted, launched.

    def began_step(self) -> None:
        self.step_began_ns.append(time.perf_counter_ns())
        if self._invocation is not None:
            self._time(self._invocation)  # compiled by now, if this is not the first step
            return
        self._kept.clear()
        self._turn = self._begin(1)
        if len(self.eager_steps) < KEPT_STEPS:
            self.eager_steps.append([])

    def launching(self, program: Launchable, inputs: Sequence[np.ndarray], loop: int) -> None:
        self._invocation = program
        self._time(program)
        turn = self._turn
        if turn is not None and turn.kernels == 0 and turn.ran is None:
            self._now = turn
            turn.steps = loop
        else:
            self._now = self._begin(loop)

    def launched(self, program: Launchable, loop: int) -> None:
        self._invocation, launch = None, self._now
        if launch is not None:
            launch.ended_ns = time.perf_counter_ns()
            launch.ran = self._time(program)
            launch.losses = self.device.losses.copy()
        self._now = self._turn

    def answered(self, arrays: Sequence[np.ndarray]) -> None:
        if self._turn is not None and self._turn.ran is None and len(arrays):
            first = np.asarray(arrays[0])
            if first.dtype.kind == "f":
                self._turn.losses = np.array([first.mean()])

    def interacted(self) -> None:
        if self._turn is not None and self._invocation is None:
            self._turn.ended_ns = time.perf_counter_ns()
            self._now = self._turn = None

    def _begin(self, steps: int) -> Launch:
        self._now = Launch(None, steps, time.perf_counter_ns())
        self.launches.append(self._now)
        return self._now

    def executed(self, prim: Primitive, arrays: Sequence[Any], out: Any, took_ns: int) -> None:
        outs = out if isinstance(out, tuple) else (out,)
        key = (prim.name, *[getattr(o, "shape", None) for o in outs])
        found = self.single.get(key)
        if found is None:
            shape = ", ".join(f"{o.dtype}{list(o.shape)}" for o in outs if hasattr(o, "shape"))
            found = self.single[key] = WallTime(prim.name, shape=shape)
        found.add(took_ns)
        turn = self._turn
        if turn is not None:
            turn.kernels += 1
            if len(self.launches) <= KEPT_STEPS:
                self.eager_steps[-1].append(self._eager_record(prim, arrays, outs))

    def fetched(self, queue_name: str, batch: Batch, waited_s: float) -> None:
        channel = channels.find(queue_name)
        self.queue_sizes[queue_name].append(len(channel) if channel is not None else 0)
        self.waits_s[queue_name].append(waited_s)
        self.batches.setdefault(queue_name, batch)
        if self._now is not None:
            self._now.fetched += 1

    def sent(self, queue_name: str, batch: Batch) -> None:
        self.sent_ns[queue_name].append(time.perf_counter_ns())

    # -- programs ---------------------------------------------------------------------------------

    def _time(self, invocation: Any) -> Ran | None:
        """Measure the calls of the program behind ``invocation`` from now on."""
        program = getattr(invocation, "program", invocation)
        if not isinstance(program, Program):
            return None
        ran = self.programs.get(id(program))
        if ran is None:
            entry = getattr(invocation, "entry", None)
            size = len(list(program.steps()))
            ran = Ran(program, getattr(entry, "name", "graph"), [0] * size, [0] * size)
            self.programs[id(program)] = ran
        if id(program) not in self._timed:
            self._timed.add(id(program))
            self._timing.enter_context(program.timed(ran.calls, ran.spent_ns))
        return ran

    # -- kernels one by one -----------------------------------------------------------------------

    def _eager_record(
        self, prim: Primitive, arrays: Sequence[Any], outs: Sequence[Any]
    ) -> OpRecord:
        self._kept += [a for a in (*arrays, *outs) if isinstance(a, np.ndarray)]
        step = self.eager_steps[-1]
        kind = step[-1].kind if step else FORWARD
        if interpreter.origin() is not None:  # a derivative binds it
            kind = BACKWARD
        elif prim.mutates and kind == BACKWARD:
            kind = OPTIMIZER
        return OpRecord(
            prim.name,
            tuple(_operand(a) for a in arrays if isinstance(a, np.ndarray)),
            tuple(_operand(o) for o in outs if isinstance(o, np.ndarray)),
            {f: getattr(prim, f) for f in prim.fields},
            kind,
        )

    # -- afterwards -------------------------------------------------------------------------------

    def wall_times(self) -> list[WallTime]:
        """All NumPy kernels, the longest first."""
        every = [t for ran in self.programs.values() for t in ran.wall_times()]
        every += self.single.values()
        return sorted((t for t in every if t.calls), key=lambda t: (-t.total_ns, t.name, t.scope))

    def pipelines(self) -> list[PipelineStatistics]:
        """What each pipeline that was used did."""
        found = [feed.statistics() for feed in self.feeds]
        return [s for s in found if s.gets]

    @property
    def steps(self) -> int:
        """Training steps that ran."""
        return sum(launch.steps for launch in self.launches)


def _operand(array: np.ndarray) -> Operand:
    return Operand(id(array), array.shape, array.dtype)
