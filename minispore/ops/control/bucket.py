"""An all-reduce of a bucket of tensors, which overlaps with computation.

The tensors of a bucket are sent as one array. With owners, each sum goes only to its owner, in one
array per rank: a reduce-scatter. A graph moves the begin op up to the point where the last tensor
of the bucket is computed; the ops between begin and end run during the transfer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import count

import numpy as np

from minispore.core.primitive import Effect, Primitive, VjpRule
from minispore.ir.value import Spec
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport

_ticket_counter = count(1)


class AllReduceBegin(Primitive):
    """Starts to sum tensors over the ranks of ``group`` in ``dtype``; returns a ticket.

    ``owners`` holds the rank that owns each tensor. If it is not empty, only the owner receives a
    tensor's sum.
    """

    dtype: str
    group: str = WORLD
    owners: tuple[int, ...] = ()
    effect = Effect.EXTERNAL_EARLY
    variadic = True

    def infer(self, *xs: Spec) -> Spec:
        """Return the spec of the ticket, a 0-d int64."""
        return Spec((), np.dtype(np.int64))

    def kernel(self, *xs: np.ndarray, out: np.ndarray) -> None:
        """Start the sum without waiting for it, and write a new ticket to ``out``.

        Registers the wait function under the ticket in the communicator's traffic statistics, and
        counts the bucket and its bytes there.
        """
        ticket, communicator = next(_ticket_counter), transport.current
        if self.owners:
            chunks = [
                _flatten_into_one(rank_arrays, self.dtype)
                for rank_arrays in _group_by_owner(xs, self.owners, communicator.size(self.group))
            ]
            wait = communicator.begin_reduce_scatter(chunks, "sum", self.group)
        else:
            chunks = [_flatten_into_one(xs, self.dtype)]
            wait = communicator.begin_all_reduce(chunks[0], "sum", self.group)
        communicator.traffic.in_flight[ticket] = time.perf_counter_ns(), wait
        communicator.traffic.buckets += 1
        communicator.traffic.nbytes += sum(chunk.nbytes for chunk in chunks)
        out.fill(ticket)


class AllReduceEnd(Primitive):
    """Waits for the sums of a ticket; returns them times ``scale``, in the shapes and dtypes of
    ``like``.
    """

    like: tuple[tuple[str, tuple[int, ...]], ...]
    scale: float = 1.0
    effect = Effect.EXTERNAL
    vjp_rule = VjpRule(takes_tuples=True)

    def infer(self, ticket: Spec) -> tuple[Spec, ...]:
        return tuple(Spec(shape, np.dtype(dtype)) for dtype, shape in self.like)

    def kernel(self, ticket: np.ndarray, *, out: tuple[np.ndarray, ...]) -> None:
        """Wait for the sum of the ticket, add the time to the traffic statistics, and split the
        scaled sum into the outputs.
        """
        traffic = transport.current.traffic
        start_ns, wait = traffic.in_flight.pop(int(ticket))
        flat, waited = _time_wait(wait)
        traffic.waited_ns += waited
        traffic.in_flight_ns += time.perf_counter_ns() - start_ns
        if self.scale != 1.0:
            flat = flat * flat.dtype.type(self.scale)
        end = 0
        for o in out:
            end += o.size
            np.copyto(o, flat[end - o.size : end].reshape(o.shape), casting="same_kind")


class AllGatherShares(Primitive):
    """Exchanges tensors among all ranks: each rank sends the tensors it owns and receives the
    others.
    """

    owners: tuple[int, ...]
    effect = Effect.EXTERNAL
    variadic = True
    vjp_rule = VjpRule(takes_tuples=True)

    def infer(self, *xs: Spec) -> tuple[Spec, ...]:
        """Return the specs of the tensors that other ranks own, in the order of ``xs``."""
        own_rank = transport.current.rank(WORLD)
        return tuple(x for x, owner in zip(xs, self.owners, strict=True) if owner != own_rank)

    def kernel(self, *xs: np.ndarray, out: tuple[np.ndarray, ...]) -> None:
        """Gather each rank's own tensors as one row of bytes, and split the rows of other ranks
        into the outputs.
        """
        communicator = transport.current
        own_rank = communicator.rank(WORLD)
        arrays_by_rank = _group_by_owner(xs, self.owners, communicator.size(WORLD))
        like = [
            Spec((sum(x.nbytes for x in rank_arrays),), np.dtype(np.uint8))
            for rank_arrays in arrays_by_rank
        ]
        sent = np.concatenate([_NO_BYTES, *[_view_as_bytes(x) for x in arrays_by_rank[own_rank]]])
        received = communicator.all_gather(sent, WORLD, like)
        other_owners = [r for r in self.owners if r != own_rank]
        for rank, destinations in enumerate(_group_by_owner(out, other_owners, len(received))):
            end = 0
            for o in destinations:
                end += o.nbytes
                np.copyto(o, received[rank][end - o.nbytes : end].view(o.dtype).reshape(o.shape))


_NO_BYTES = np.zeros(0, np.uint8)


def _view_as_bytes(x: np.ndarray) -> np.ndarray:
    """Return the bytes of ``x`` as a flat uint8 array."""
    return np.ascontiguousarray(x).reshape(-1).view(np.uint8)


def _group_by_owner(
    xs: Sequence[np.ndarray], owners: Sequence[int], rank_count: int
) -> list[list[np.ndarray]]:
    """Return one list per rank: the arrays ``xs[i]`` whose ``owners[i]`` is that rank, in order."""
    return [[x for x, r in zip(xs, owners, strict=True) if r == rank] for rank in range(rank_count)]


def _flatten_into_one(xs: Sequence[np.ndarray], dtype: str) -> np.ndarray:
    """Concatenate arrays into one flat array of ``dtype``."""
    flat = np.empty(sum(x.size for x in xs), dtype)
    end = 0
    for x in xs:
        end += x.size
        np.copyto(flat[end - x.size : end].reshape(x.shape), x, casting="same_kind")
    return flat


def _time_wait(wait: Callable[[], np.ndarray]) -> tuple[np.ndarray, int]:
    """Return the result of ``wait()`` and the nanoseconds for which it blocked."""
    start_ns = time.perf_counter_ns()
    result = wait()
    return result, time.perf_counter_ns() - start_ns


__all__ = ["AllGatherShares", "AllReduceBegin", "AllReduceEnd"]
