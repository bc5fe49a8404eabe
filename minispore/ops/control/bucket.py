"""An all-reduce of many tensors at once, begun at one place of a program and ended at another.

Tensors of one bucket travel as one array. Where each of them has an owner, the sums go to the
owners alone, as one array for each: a reduce-scatter. In a graph the beginning moves up to where
the last of them is computed; what follows runs while they travel.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import count

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.value import Spec
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport

_numbers = count(1)


class AllReduceBegin(Primitive):
    """Begins the sum of tensors over the ranks of ``group``, computed in ``dtype``; a ticket. With
    ``owners``, the ranks that are to have them.
    """

    dtype: str
    group: str = WORLD
    owners: tuple[int, ...] = ()
    pure = False
    runs_early = True
    variadic = True
    internal = True

    def infer(self, *xs: Spec) -> Spec:
        return Spec((), np.dtype(np.int64))

    def kernel(self, *xs: np.ndarray, out: np.ndarray) -> None:
        ticket, ranks = next(_numbers), transport.current
        if self.owners:
            parts = [
                _flat(of, self.dtype) for of in _dealt(xs, self.owners, ranks.size(self.group))
            ]
            wait = ranks.begin_reduce_scatter(parts, "sum", self.group)
        else:
            parts = [_flat(xs, self.dtype)]
            wait = ranks.begin_all_reduce(parts[0], "sum", self.group)
        ranks.traffic.in_flight[ticket] = time.perf_counter_ns(), wait
        ranks.traffic.buckets += 1
        ranks.traffic.nbytes += sum(part.nbytes for part in parts)
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
        began, wait = traffic.in_flight.pop(int(ticket))
        flat, waited = _timed(wait)
        traffic.waited_ns += waited
        traffic.in_flight_ns += time.perf_counter_ns() - began
        if self.scale != 1.0:
            flat = flat * flat.dtype.type(self.scale)
        end = 0
        for o in out:
            end += o.size
            np.copyto(o, flat[end - o.size : end].reshape(o.shape), casting="same_kind")


class AllGatherShares(Primitive):
    """Tensors that differ between the ranks of the world: those of other ranks, as their
    ``owners`` have them.
    """

    owners: tuple[int, ...]
    pure = False
    variadic = True
    multi = True
    internal = True

    def infer(self, *xs: Spec) -> tuple[Spec, ...]:
        me = transport.current.rank(WORLD)
        return tuple(x for x, owner in zip(xs, self.owners, strict=True) if owner != me)

    def kernel(self, *xs: np.ndarray, out: tuple[np.ndarray, ...]) -> None:
        ranks = transport.current
        me, dealt = ranks.rank(WORLD), _dealt(xs, self.owners, ranks.size(WORLD))
        like = [Spec((sum(x.nbytes for x in of),), np.dtype(np.uint8)) for of in dealt]
        mine = np.concatenate([_NOTHING, *[_bytes(x) for x in dealt[me]]])
        came = ranks.all_gather(mine, WORLD, like)
        for rank, places in enumerate(_dealt(out, [r for r in self.owners if r != me], len(came))):
            end = 0
            for o in places:
                end += o.nbytes
                np.copyto(o, came[rank][end - o.nbytes : end].view(o.dtype).reshape(o.shape))


_NOTHING = np.zeros(0, np.uint8)


def _bytes(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x).reshape(-1).view(np.uint8)


def _dealt(xs: Sequence[np.ndarray], owners: Sequence[int], ranks: int) -> list[list[np.ndarray]]:
    """The arrays of each rank."""
    return [[x for x, r in zip(xs, owners, strict=True) if r == rank] for rank in range(ranks)]


def _flat(xs: Sequence[np.ndarray], dtype: str) -> np.ndarray:
    """Arrays one after the other."""
    flat = np.empty(sum(x.size for x in xs), dtype)
    end = 0
    for x in xs:
        end += x.size
        np.copyto(flat[end - x.size : end].reshape(x.shape), x, casting="same_kind")
    return flat


def _timed(wait: Callable[[], np.ndarray]) -> tuple[np.ndarray, int]:
    began = time.perf_counter_ns()
    found = wait()
    return found, time.perf_counter_ns() - began


__all__ = ["AllGatherShares", "AllReduceBegin", "AllReduceEnd"]
