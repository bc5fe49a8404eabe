"""A device: where kernels and programs run, and what it counts while they do.

The device runs in the thread that calls it, so Ctrl-C works and a traceback shows the user's own
lines. What makes it a device is the border around it: everything that crosses is counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from minispore import context
from minispore.core.primitive import Primitive
from minispore.core.runtime import Launchable
from minispore.device import channel as channels
from minispore.device import failure, faults
from minispore.device.admission import Admission, admit
from minispore.device.channel import Batch, Channel
from minispore.device.counters import Counters
from minispore.device.getnext import Evidence, explain
from minispore.device.machine import Machine
from minispore.device.model.memory import MemoryPool
from minispore.device.model.spec import device_spec
from minispore.errors import GetNextError
from minispore.graph.ir import Graph


def _means(outputs: list[np.ndarray]) -> list[Any]:
    """The mean of the first output, if there is one and it is of floats."""
    first = outputs[0] if outputs and outputs[0].dtype.kind == "f" else None
    if first is None:
        return []
    with np.errstate(all="ignore"):
        return [first.mean() if first.ndim else first[()]]


class Listener:
    """Base of those who want to follow a device; add one with :meth:`Device.listen`.

    While nobody listens a device asks one empty tuple per event.
    """

    def launching(self, program: Launchable, inputs: Sequence[np.ndarray], loop: int) -> None:
        """A program is about to run ``loop`` times; an exception here stops it."""

    def launched(self, program: Launchable, loop: int) -> None:
        """A program has run."""

    def executed(self, prim: Primitive, arrays: Sequence[Any], out: Any, took_ns: int) -> None:
        """A single kernel has run, for ``took_ns`` of wall clock."""

    def began_step(self) -> None:
        """A step begins."""

    def answered(self, arrays: Sequence[np.ndarray]) -> None:
        """Results go back to the host."""

    def fetched(self, queue_name: str, batch: Batch, waited_s: float) -> None:
        """GetNext has a batch."""

    def sent(self, queue_name: str, batch: Batch) -> None:
        """A batch went into a channel; called in the sender thread."""

    def interacted(self) -> None:
        """The device has answered to the host."""


class Device:
    """Base of the targets. See :class:`minispore.core.runtime.Runtime` for the seam it fills."""

    target: ClassVar[str]
    sinks: ClassVar[bool] = False  # whether batches can come through a channel
    loops: ClassVar[bool] = False  # and graphs fed by it run without the host, step after step
    numbered: ClassVar[bool] = False  # whether device_id chooses among several
    queue_batches: ClassVar[int] = 0
    queue_bytes: ClassVar[int] = 0

    def __init__(self, device_id: int = 0) -> None:
        self.device_id = device_id
        self.counters = Counters()
        self.machine = Machine(device_spec(self.target), device_id)  # its memory and its clock
        self._ring: list[Any] = []  # what losses gives, but for the last step
        self._last: list[np.ndarray] = []  # the outputs of that
        self.listeners: tuple[Listener, ...] = ()
        self._inside = False  # an interaction is going on
        self._admitted: WeakKeyDictionary[Graph, Admission] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.device_id})"

    @property
    def losses(self) -> np.ndarray:
        """First outputs of the last launch, one per step; of an array its mean. Only
        floats are losses.
        """
        return np.array(self._ring + _means(self._last))

    @property
    def memory(self) -> MemoryPool:
        """What is in use, by kind: of the program that was compiled last, and the peak of all."""
        return self.machine.memory

    @contextmanager
    def listen(self, listener: Listener) -> Iterator[Listener]:
        """Tell ``listener`` what happens inside the ``with`` block."""
        self.listeners = (*self.listeners, listener)
        try:
            yield listener
        finally:
            self.listeners = tuple([x for x in self.listeners if x is not listener])

    # -- the seam ---------------------------------------------------------------------------------

    def execute(
        self, prim: Primitive, kernel: Callable[..., Any], arrays: list[Any], out: Any
    ) -> Any:
        """Run one kernel."""
        self.counters.kernel_launches += 1
        if not self.listeners:
            return kernel(*arrays, out=out)
        begun = time.perf_counter_ns()
        made = kernel(*arrays, out=out)
        took = time.perf_counter_ns() - begun
        for listener in self.listeners:
            listener.executed(prim, arrays, made if out is None else out, took)
        return made

    def launch(
        self, program: Launchable, inputs: list[np.ndarray], loop: int = 1
    ) -> list[np.ndarray]:
        """Run a program ``loop`` times and return its last outputs.

        Where the loop runs on the device, the first output of every run (a loss) goes into a ring
        that comes back with the last outputs; elsewhere the outputs of every run come back. Either
        way :attr:`losses` has them.
        """
        for listener in self.listeners:
            listener.launching(program, inputs, loop)
        with self.interaction(inputs):
            outputs: list[np.ndarray] = []
            self._ring, self._last = [], []
            sunk = False
            for i in range(loop):
                if i:
                    self._ring += _means(outputs)  # the next run overwrites them
                    self.begin_step()
                try:
                    outputs = program.run(inputs)
                except Exception as exc:
                    failure.tell(exc)
                    raise
                sunk = self._started(program.traced, going=sunk, first=i == 0)
                if not sunk:
                    self.count_back(outputs)
            self._last = outputs
            if sunk:
                self.count_back(outputs)
                self.counters.d2h_bytes += sum([loss.nbytes for loss in self._ring])
        for listener in self.listeners:
            listener.launched(program, loop)
        return outputs

    def _started(self, graph: Graph | None, *, going: bool, first: bool) -> bool:
        """Count what the host did to start a run of ``graph``; whether the device goes on alone.

        Args:
            graph: None for a run op by op, whose kernels have been counted.
            going: the device was going on alone already.
            first: whether it is the first run of this interaction, which is counted.
        """
        counters = self.counters
        admission = None if graph is None else self._admitted.get(graph) or self.admit(graph)
        sunk = self.loops and admission is not None and admission.step.fetches
        if going and sunk:
            return True
        counters.interactions += not first
        counters.program_launches += admission is not None
        if admission is not None and not sunk:
            counters.kernel_launches += admission.kernels
        return sunk

    def admit(self, graph: Graph) -> Admission:
        """Take in a program: plan its memory, if the device has its own, and hold it.

        Raises:
            DeviceMemoryError: it can't fit; nothing has run.
        """
        found = self._admitted.get(graph)
        if found is None:
            found = self._admitted[graph] = admit(graph, self.machine, own_memory=self.sinks)
        elif found.plan is not None:
            self.machine.hold(found.plan)
        return found

    def fetch(self, queue_name: str) -> tuple[np.ndarray, ...]:
        """The next batch of a queue, for GetNext.

        Raises:
            GetNextError: it did not or can not come; the text says why.
        """
        channel = channels.find(queue_name)
        if channel is None:
            raise GetNextError(explain("unknown", Evidence(queue_name, 0)))
        batch, waited_s = channel.take(context.current().op_timeout)
        counters = self.counters
        counters.batches_taken += 1
        if waited_s:
            counters.getnext_waits += 1
            counters.getnext_wait_s += waited_s
        for listener in self.listeners:
            listener.fetched(queue_name, batch, waited_s)
        return batch.arrays

    # -- the border -------------------------------------------------------------------------------

    @contextmanager
    def interaction(self, sent: Sequence[np.ndarray] = ()) -> Iterator[None]:
        """One turn: the host hands over work, and ``sent`` with it, and gets an answer.

        The device begins a step. Turns inside a turn are part of it.
        """
        if self._inside:
            yield
            return
        self._inside = True
        try:
            counters = self.counters
            counters.interactions += 1
            counters.h2d_copies += len(sent)
            counters.h2d_bytes += sum([a.nbytes for a in sent])
            self.begin_step()
            yield
            for listener in self.listeners:
                listener.interacted()
        finally:
            self._inside = False

    def count_back(self, arrays: Sequence[np.ndarray]) -> None:
        """Note that results came back to the host."""
        self.counters.d2h_copies += len(arrays)
        self.counters.d2h_bytes += sum([a.nbytes for a in arrays])
        for listener in self.listeners:
            listener.answered(arrays)

    def begin_step(self) -> None:
        """Note that a step begins; injected faults of the device happen here."""
        self.counters.steps += 1
        for listener in self.listeners:
            listener.began_step()
        if faults.injected:
            for fault in faults.injected:
                fault.before_step()

    def open_channel(self, name: str, batches: Callable[[], Any], **options: Any) -> Channel:
        """A channel of this device's size, filled from ``batches`` at once.

        Raises:
            RuntimeError: the device has no channels.
        """
        if not self.sinks:
            raise RuntimeError(
                f"InitDataSetQueue: unsupported op on {self.target}, which has no device queue. "
                "Set dataset_sink_mode=False, or device_target to 'Ascend' or 'GPU'."
            )
        return Channel(
            name,
            batches,
            capacity=self.queue_batches,
            capacity_bytes=self.queue_bytes,
            on_sent=lambda batch: self._sent(name, batch),
            **options,
        )

    def _sent(self, name: str, batch: Batch) -> None:
        self.counters.batches_sent += 1
        self.counters.bytes_sent += batch.nbytes
        for listener in self.listeners:
            listener.sent(name, batch)


__all__ = ["Device", "Listener"]
