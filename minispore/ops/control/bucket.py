"""An all-reduce of many tensors at once, begun at one place of a program and ended at another.

Tensors of one bucket travel as one array. In a graph the beginning moves up to where the last of
them is computed; what follows runs while they travel.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.value import Spec
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport

_numbers = count(1)


class AllReduceBegin(Primitive):
    """Begins the sum of tensors over the ranks of ``group``, computed in ``dtype``; a ticket."""

    dtype: str
    group: str = WORLD
    pure = False
    early = True
    variadic = True
    internal = True

    def infer(self, *xs: Spec) -> Spec:
        return Spec((), np.dtype(np.int64))

    def kernel(self, *xs: np.ndarray, out: np.ndarray) -> None:
        flat = np.empty(sum(x.size for x in xs), self.dtype)
        end = 0
        for x in xs:
            end += x.size
            np.copyto(flat[end - x.size : end].reshape(x.shape), x, casting="same_kind")
        ticket, traffic = next(_numbers), transport.current.traffic
        wait = transport.current.begin_all_reduce(flat, "sum", self.group)
        traffic.begun[ticket] = time.perf_counter_ns(), wait
        traffic.buckets += 1
        traffic.nbytes += flat.nbytes
        out.fill(ticket)


class AllReduceEnd(Primitive):
    """Waits for the sums of a ticket, times ``scale``, with the shapes and dtypes of ``like``."""

    like: tuple[tuple[str, tuple[int, ...]], ...]
    scale: float = 1.0
    pure = False
    multi = True
    internal = True

    def infer(self, ticket: Spec) -> tuple[Spec, ...]:
        return tuple(Spec(shape, np.dtype(dtype)) for dtype, shape in self.like)

    def kernel(self, ticket: np.ndarray, *, out: tuple[np.ndarray, ...]) -> None:
        traffic = transport.current.traffic
        began, wait = traffic.begun.pop(int(ticket))
        flat, waited = _timed(wait)
        traffic.waited_ns += waited
        traffic.in_flight_ns += time.perf_counter_ns() - began
        if self.scale != 1.0:
            flat = flat * flat.dtype.type(self.scale)
        end = 0
        for o in out:
            end += o.size
            np.copyto(o, flat[end - o.size : end].reshape(o.shape), casting="same_kind")


def _timed(wait: Callable[[], np.ndarray]) -> tuple[np.ndarray, int]:
    began = time.perf_counter_ns()
    found = wait()
    return found, time.perf_counter_ns() - began


__all__ = ["AllReduceBegin", "AllReduceEnd"]
