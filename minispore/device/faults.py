"""Fault injection for tests of training programs: each fault is a context manager.

>>> from minispore.device import faults
>>> with faults.slow_batch(3, seconds=0.1):
...     pass  # the third batch of every pipeline that is started here comes late

Batches and steps are counted from 1, like ``cur_step_num``: batches in each run of a pipeline,
steps on the device since the fault was injected. Nothing is counted if no fault is injected.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from minispore.errors import DeviceError, DeviceMemoryError

T = TypeVar("T")
Wait = Callable[[float], Any]


class Fault:
    """Base class of injected faults; a subclass overrides the events in which it interferes."""

    def before_batch(self, number: int, wait: Wait) -> bool:
        """Called before batch ``number``, counted from 1, of a pipeline is made; False ends it.

        ``wait(seconds)`` sleeps, and returns early if the pipeline is closed.
        """
        return True

    def before_step(self) -> None:
        """Called before a step on a device."""


@dataclass
class SlowBatch(Fault):
    """Delay batch number ``batch`` of each pipeline."""

    batch: int
    seconds: float

    def before_batch(self, number: int, wait: Wait) -> bool:
        """Wait before the chosen batch; return True, so that the pipeline goes on."""
        if number == self.batch:
            wait(self.seconds)
        return True


@dataclass
class ProducerStops(Fault):
    """End each pipeline after ``after`` batches."""

    after: int

    def before_batch(self, number: int, wait: Wait) -> bool:
        """Whether batch ``number`` is one of the first ``after``; False ends the pipeline."""
        return number <= self.after


@dataclass
class ProducerRaises(Fault):
    """Raise ``error`` in place of batch number ``at``."""

    at: int
    error: BaseException

    def before_batch(self, number: int, wait: Wait) -> bool:
        """Raise the error before batch ``at``; otherwise return True, so the pipeline goes on."""
        if number == self.at:
            raise self.error
        return True


@dataclass
class StepFails(Fault):
    """Raise ``error`` at the given step of the device."""

    step: int
    error: Exception
    started_steps: int = 0

    def before_step(self) -> None:
        """Count a step, and raise the error at the chosen one."""
        self.started_steps += 1
        if self.started_steps == self.step:
            raise self.error


injected: tuple[Fault, ...] = ()
_lock = threading.Lock()


@contextmanager
def inject(fault: Fault) -> Iterator[Fault]:
    """Inject ``fault`` into the pipelines and devices of all threads in the ``with`` block."""
    global injected
    with _lock:
        injected = (*injected, fault)
    try:
        yield fault
    finally:
        with _lock:
            injected = tuple([f for f in injected if f is not fault])


def slow_batch(batch: int, seconds: float) -> Any:
    """Return a context in which each pipeline delays batch number ``batch`` by ``seconds``."""
    return inject(SlowBatch(batch, seconds))


def producer_stops(after: int) -> Any:
    """Return a context in which each pipeline ends after ``after`` batches, without an error."""
    return inject(ProducerStops(after))


def producer_raises(at: int, error: BaseException | None = None) -> Any:
    """Return a context in which each pipeline raises ``error`` in place of batch number ``at``; a
    RuntimeError by default.
    """
    return inject(ProducerRaises(at, error or RuntimeError(f"injected: batch {at} failed")))


def out_of_memory(step: int) -> Any:
    """Return a context in which the device raises DeviceMemoryError at step ``step``, from 1."""
    return inject(
        StepFails(
            step,
            DeviceMemoryError(
                f"injected: device memory is exhausted at step {step}. Use a smaller batch, or "
                "set_context(max_device_memory=...)."
            ),
        )
    )


def device_lost(step: int) -> Any:
    """Return a context in which the device raises DeviceError at step ``step``, from 1."""
    return inject(StepFails(step, DeviceError(f"injected: the device is lost at step {step}.")))


def before_batch(number: int, wait: Wait = time.sleep) -> bool:
    """Trigger the injected faults due before batch ``number`` of a pipeline; return False if one
    ends the pipeline. A fault may raise.
    """
    return all(fault.before_batch(number, wait) for fault in injected)


def iterate_with_faults(batches: Iterable[T], wait: Wait = time.sleep) -> Generator[T]:
    """Yield ``batches`` disturbed by the injected faults: late, cut short or with an error.

    The iterator of ``batches`` is closed at the end.
    """
    iterator = iter(batches)
    try:
        number = 0
        while True:
            number += 1
            if not before_batch(number, wait):
                return
            try:
                batch = next(iterator)
            except StopIteration:
                return
            yield batch
    finally:
        close = getattr(iterator, "close", None)
        if close is not None:
            close()


__all__ = [
    "Fault",
    "device_lost",
    "inject",
    "iterate_with_faults",
    "out_of_memory",
    "producer_raises",
    "producer_stops",
    "slow_batch",
]
