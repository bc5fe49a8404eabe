"""Devices, on which kernels and programs run, and the counting of their work.

A device runs in the thread that calls it, so Ctrl-C works and a traceback shows the user's own
lines. Only the boundary between host and device is simulated: everything that crosses it is
counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from minispore import context
from minispore.device import channel as channels
from minispore.device import failure, faults
from minispore.device.admission import Admission, admit
from minispore.device.channel import Batch, Channel
from minispore.device.counters import Counters
from minispore.device.getnext import ChannelHistory, explain
from minispore.device.machine import Machine
from minispore.device.model.memory import MemoryPool
from minispore.device.model.spec import device_spec
from minispore.errors import GetNextError
from minispore.graph.ir import Graph
from minispore.graph.trace import Retrace
from minispore.ir.operator import Operator
from minispore.ir.runtime import Launchable


def _compute_losses(outputs: list[np.ndarray]) -> list[Any]:
    """Return a list of the first output, or its mean if it has axes; [] if its dtype is not
    floating-point.
    """
    output = outputs[0] if outputs and outputs[0].dtype.kind == "f" else None
    if output is None:
        return []
    with np.errstate(all="ignore"):
        return [output.mean() if output.ndim else output[()]]


class Listener:
    """Base class of observers of a device; add one with :meth:`Device.listen`.

    If there are no listeners, a device only iterates over an empty tuple at each event.
    """

    def launching(self, program: Launchable, inputs: Sequence[np.ndarray], loop: int) -> None:
        """Called before a program runs ``loop`` times; an exception prevents the run."""

    def on_launch(self, program: Launchable, loop: int) -> None:
        """Called after a program has run."""

    def on_execute(self, prim: Operator, arrays: Sequence[Any], out: Any, took_ns: int) -> None:
        """Called after a single kernel has run, for ``took_ns`` of wall-clock time."""

    def began_step(self) -> None:
        """Called when a step begins."""

    def on_answer(self, arrays: Sequence[np.ndarray]) -> None:
        """Called when results are copied back to the host."""

    def on_fetch(self, queue_name: str, batch: Batch, waited_s: float) -> None:
        """Called when GetNext has got a batch, after waiting ``waited_s`` seconds."""

    def on_send(self, queue_name: str, batch: Batch) -> None:
        """Called in the sender thread when a batch was queued in a channel."""

    def on_interaction(self) -> None:
        """Called at the end of an interaction of host and device."""


class Device:
    """Base class of device targets; implements :class:`minispore.ir.runtime.Runtime`."""

    target: ClassVar[str]
    sinks: ClassVar[bool] = False  # whether batches can be fed through a channel
    loops: ClassVar[bool] = False  # whether graphs fed so run step after step without the host
    numbered: ClassVar[bool] = False  # whether device_id selects one of several devices
    queue_batches: ClassVar[int] = 0
    queue_bytes: ClassVar[int] = 0

    def __init__(self, device_id: int = 0) -> None:
        self.device_id = device_id
        self.counters = Counters()
        self.machine = Machine(device_spec(self.target), device_id)  # memory and clock
        # The losses of the last launch, except that of the last step.
        self._earlier_losses: list[Any] = []
        self._last_outputs: list[np.ndarray] = []  # the outputs of the last step
        self.listeners: tuple[Listener, ...] = ()
        self._is_interacting = False  # whether an interaction is in progress
        self._admissions: WeakKeyDictionary[Graph, Admission] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.device_id})"

    @property
    def losses(self) -> np.ndarray:
        """The first outputs of the last launch, one per step, or their means if they are arrays.
        Outputs that are not floating-point are left out.
        """
        return np.array(self._earlier_losses + _compute_losses(self._last_outputs))

    @property
    def memory(self) -> MemoryPool:
        """The memory in use by kind, for the last admitted program, and the peak of all."""
        return self.machine.memory

    @contextmanager
    def listen(self, listener: Listener) -> Iterator[Listener]:
        """Notify ``listener`` of the device's events inside the ``with`` block."""
        self.listeners = (*self.listeners, listener)
        try:
            yield listener
        finally:
            self.listeners = tuple([x for x in self.listeners if x is not listener])

    # -- the Runtime interface ---------------------------------------------------------------------

    def execute(
        self, prim: Operator, kernel: Callable[..., Any], arrays: list[Any], out: Any
    ) -> Any:
        """Run one kernel, count it, and return its result; listeners get its wall-clock time."""
        self.counters.kernel_launches += 1
        if not self.listeners:
            return kernel(*arrays, out=out)
        start_ns = time.perf_counter_ns()
        output = kernel(*arrays, out=out)
        took_ns = time.perf_counter_ns() - start_ns
        for listener in self.listeners:
            listener.on_execute(prim, arrays, output if out is None else out, took_ns)
        return output

    def launch(
        self, program: Launchable, inputs: list[np.ndarray], loop: int = 1
    ) -> list[np.ndarray]:
        """Run a program ``loop`` times in one interaction, and return its last outputs.

        If the loop runs on the device, the first output of every run (a loss) is kept in a list
        that is copied back with the last outputs; otherwise all outputs are copied back. In both
        cases :attr:`losses` has the losses. An error gets a note that names the failed op.
        """
        for listener in self.listeners:
            listener.launching(program, inputs, loop)
        with self.interaction(inputs):
            outputs: list[np.ndarray] = []
            self._earlier_losses, self._last_outputs = [], []
            is_sunk = False
            for i in range(loop):
                if i:
                    self._earlier_losses += _compute_losses(outputs)  # the next run overwrites them
                    self.begin_step()
                try:
                    outputs = program.run(inputs)
                except Exception as exc:
                    failure.add_task_note(exc)
                    raise
                is_sunk = self._count_program_start(
                    program.traced, was_sunk=is_sunk, is_first=i == 0
                )
                if not is_sunk:
                    self.count_back(outputs)
            self._last_outputs = outputs
            if is_sunk:
                self.count_back(outputs)
                self.counters.d2h_bytes += sum([loss.nbytes for loss in self._earlier_losses])
        for listener in self.listeners:
            listener.on_launch(program, loop)
        return outputs

    def _count_program_start(self, graph: Graph | None, *, was_sunk: bool, is_first: bool) -> bool:
        """Count the host's work to start a run; return whether the run belongs to a sink.

        Plans the program's memory first, if that has not been done.

        Args:
            graph: the graph; None for a run op by op, whose kernels are already counted.
            was_sunk: whether the previous run of this launch was sunk, so this run does not involve
                the host.
            is_first: whether it is the first run of the interaction, which is already counted.
        """
        counters = self.counters
        admission = None if graph is None else self._admissions.get(graph) or self.admit(graph)
        is_sunk = self.loops and admission is not None and admission.step.uses_getnext
        if was_sunk and is_sunk:
            return True
        counters.interactions += not is_first
        counters.program_launches += admission is not None
        if admission is not None and not is_sunk:
            counters.kernel_launches += admission.kernels
        return is_sunk

    def admit(self, graph: Graph, retrace: Retrace | None = None) -> Admission:
        """Plan the memory of a program, if the device has its own memory, and reserve it.

        The admission of a graph is cached and returned.

        ``retrace`` traces the program for other batches, so that an
        error can name a batch size that fits.

        Raises:
            DeviceMemoryError: the program does not fit; nothing has run.
        """
        admission = self._admissions.get(graph)
        if admission is None:
            admission = self._admissions[graph] = admit(
                graph, self.machine, device_has_memory=self.sinks, retrace=retrace
            )
        elif admission.plan is not None:
            self.machine.replace_plan(admission.plan)
        return admission

    def fetch(self, queue_name: str) -> tuple[np.ndarray, ...]:
        """Return the arrays of the next batch of a queue, for GetNext; count the batch and the
        wait.

        Raises:
            GetNextError: there was no batch; the message says why.
        """
        channel = channels.find_channel(queue_name)
        if channel is None:
            raise GetNextError(explain("unknown", ChannelHistory(queue_name, 0)))
        batch, waited_s = channel.take(context.current().op_timeout)
        counters = self.counters
        counters.batches_taken += 1
        if waited_s:
            counters.getnext_waits += 1
            counters.getnext_wait_s += waited_s
        for listener in self.listeners:
            listener.on_fetch(queue_name, batch, waited_s)
        return batch.arrays

    # -- the boundary
    # -------------------------------------------------------------------------------

    @contextmanager
    def interaction(self, sent: Sequence[np.ndarray] = ()) -> Iterator[None]:
        """Count one interaction: the host sends work and arrays, and gets results.

        An interaction also begins a step. An interaction inside another one is part of it and is
        not counted.
        """
        if self._is_interacting:
            yield
            return
        self._is_interacting = True
        try:
            counters = self.counters
            counters.interactions += 1
            counters.h2d_copies += len(sent)
            counters.h2d_bytes += sum([a.nbytes for a in sent])
            self.begin_step()
            yield
            for listener in self.listeners:
                listener.on_interaction()
        finally:
            self._is_interacting = False

    def count_back(self, arrays: Sequence[np.ndarray]) -> None:
        """Count results that were copied back to the host, and notify all listeners."""
        self.counters.d2h_copies += len(arrays)
        self.counters.d2h_bytes += sum([a.nbytes for a in arrays])
        for listener in self.listeners:
            listener.on_answer(arrays)

    def begin_step(self) -> None:
        """Count the begin of a step, notify all listeners, and trigger injected faults, which may
        raise.
        """
        self.counters.steps += 1
        for listener in self.listeners:
            listener.began_step()
        if faults.injected:
            for fault in faults.injected:
                fault.before_step()

    def open_channel(self, name: str, batches: Callable[[], Any], **options: Any) -> Channel:
        """Open a channel with this device's capacity and start filling it from ``batches``.

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
            on_sent=lambda batch: self._note_sent_batch(name, batch),
            **options,
        )

    def _note_sent_batch(self, name: str, batch: Batch) -> None:
        """Count a batch that was sent to the device, and notify all listeners."""
        self.counters.batches_sent += 1
        self.counters.bytes_sent += batch.nbytes
        for listener in self.listeners:
            listener.on_send(name, batch)


__all__ = ["Device", "Listener"]
