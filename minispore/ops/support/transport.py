"""Transport of arrays between ranks: collectives composed of exchanges between pairs of ranks.

Sums are accumulated in rank order, and each part of a large sum on a single rank, so all ranks get
the same bits. The default transport serves a single process, which has no other rank to exchange
with; ``communication`` installs a different one if there are several processes.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from minispore.ir.value import Spec

Members = Callable[[str], tuple[int, ...]]
Poll = Callable[[], Any]  # returns None until a message has arrived
_SMALL_BYTES = 64 << 10  # arrays below this size are exchanged once and reduced by every rank
_REDUCE = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}
_NOTHING = np.zeros(0, np.uint8)
DESCRIPTION_BYTES = 232  # length of the description sent with each array


@dataclass
class Traffic:
    """Statistics of all-reduces that overlap with computation, updated by the gradient-bucket
    ops.
    """

    buckets: int = 0
    nbytes: int = 0
    in_flight_ns: int = 0  # from the start of each to its end
    waited_ns: int = 0  # the part of it that the rank spent waiting
    # by ticket: the start time of each all-reduce in flight, and the call that waits for it
    in_flight: dict[int, tuple[int, Callable[[], np.ndarray]]] = field(default_factory=dict)

    @property
    def hidden(self) -> float:
        """The share of the all-reduces' time that overlapped with computation, from 0 to 1; 0
        before the first.
        """
        return 1.0 - self.waited_ns / self.in_flight_ns if self.in_flight_ns else 0.0


class Transport:
    """Moves arrays between the ranks of a group, all of which must make the same calls.

    A call raises a RuntimeError if another rank makes a different call, has ended, or does not
    answer within the timeout. Ranks, roots and peers are counted within the group. A reduction
    ``op`` is "sum", "max", "min" or "prod".

    This class serves a single process. For several, a subclass implements the transfer from one
    rank to another in ``_begin_message`` and ``_begin_reception``.

    Args:
        rank: the rank of this process in the world.
        members: returns the ranks of a group, given its name.
        timeout: seconds to wait for another rank.
    """

    def __init__(
        self, rank: int = 0, members: Members = lambda group: (0,), timeout: float = 0.0
    ) -> None:
        """Store the arguments; no connection is made."""
        self._own_rank, self._get_members, self._timeout = rank, members, timeout
        self._lock = threading.RLock()  # one call at a time, from any thread
        # number of messages so far, by direction, rank and kind
        self._message_counts: Counter[Any] = Counter()
        self.traffic = Traffic()

    # -- groups ------------------------------------------------------------------------------------

    def size(self, group: str) -> int:
        """Return the number of ranks in a group."""
        return len(self._get_members(group))

    def rank(self, group: str) -> int:
        """Return the rank of this process in a group.

        Raises:
            ValueError: this process is not in the group.
        """
        members = self._get_members(group)
        if self._own_rank not in members:
            raise ValueError(
                f"communication: group {group!r} has the ranks {members}, and this is rank "
                f"{self._own_rank}. Only they may take part."
            )
        return members.index(self._own_rank)

    def neighbours(self) -> tuple[int, ...]:
        """Return the world ranks of the processes on this machine, this one included; here only
        this one.
        """
        return (self._own_rank,)

    def _to_world_rank(self, op: str, index: int, group: str, must_differ: bool = False) -> int:
        """Return the world rank of a group rank.

        Raises:
            ValueError: the group has no such rank; or, if ``must_differ``, it is this process.
        """
        members = self._get_members(group)
        if not 0 <= index < len(members):
            raise ValueError(
                f"{op}: the rank must be from 0 to {len(members) - 1} in group {group!r}, got "
                f"{index}."
            )
        if must_differ and members[index] == self._own_rank:
            raise ValueError(f"{op}: the rank must be another one, got {index}, this one itself.")
        return members[index]

    # -- collectives -------------------------------------------------------------------------------

    def all_reduce(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        """Return the sum (max, min, prod) of all ranks' arrays, as a new array."""
        return self.begin_all_reduce(x, op, group)()

    def begin_all_reduce(self, x: np.ndarray, op: str, group: str) -> Callable[[], np.ndarray]:
        """Begin an all-reduce of an array that must stay unchanged; call the result to wait for the
        reduced array.

        ``op`` is ``sum``, ``max``, ``min`` or ``prod``. A small array is sent to all ranks. For a
        large one, each rank reduces and sends one part.
        """
        label, size = f"AllReduce {op}", self.size(group)
        if x.nbytes <= _SMALL_BYTES:
            wait_for_all = self._begin_swap(label, [x] * size, group)
            return lambda: _reduce_arrays(wait_for_all(), op)
        parts = np.array_split(x.reshape(-1), size)
        wait_for_part = self._begin_swap(label, parts, group)

        def finish() -> np.ndarray:
            """Wait for the parts, reduce them, exchange the results and return the full array."""
            specs = [Spec(p.shape, p.dtype) for p in parts]
            reduced_parts = self._begin_swap(
                label, [_reduce_arrays(wait_for_part(), op)] * size, group, specs
            )()
            return np.concatenate(reduced_parts).reshape(x.shape)

        return finish

    def reduce_scatter(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        """Return this rank's part, along axis 0, of the sum (max, min, prod) of all arrays.

        Raises:
            ValueError: axis 0 can't be divided evenly among the ranks.
        """
        return self.begin_reduce_scatter(np.split(x, self.size(group)), op, group)()

    def begin_reduce_scatter(
        self, parts: Sequence[np.ndarray], op: str, group: str
    ) -> Callable[[], np.ndarray]:
        """Begin to reduce part i of all ranks on rank i by ``op``; call the result to wait for this
        rank's reduced part.

        ``op`` is ``sum``, ``max``, ``min`` or ``prod``. The parts must stay unchanged until then.
        """
        wait_for_part = self._begin_swap(f"ReduceScatter {op}", parts, group)
        return lambda: _reduce_arrays(wait_for_part(), op)

    def reduce(self, x: np.ndarray, op: str, root: int, group: str) -> np.ndarray | None:
        """Return the reduction by ``op`` (``sum``, ``max``, ``min`` or ``prod``) of all ranks'
        arrays on the group rank ``root``; None on others.

        Raises:
            RuntimeError: a rank has ended, makes a different call, or does not answer in time.
        """
        arrays = self._gather_to_root(f"Reduce {op}", x, root, group)
        return None if arrays is None else _reduce_arrays(arrays, op)

    def all_gather(
        self, x: np.ndarray, group: str, like: Sequence[Spec] | None = None
    ) -> list[np.ndarray]:
        """Return all ranks' arrays, by rank, this rank's uncopied; ``like`` has their specs if they
        differ from that of ``x``.
        """
        return self._begin_swap("AllGather", [x] * self.size(group), group, like)()

    def gather(self, x: np.ndarray, root: int, group: str) -> list[np.ndarray] | None:
        """Return all ranks' arrays, by rank, on rank ``root``; None on others. All have one
        spec.
        """
        return self._gather_to_root("CollectiveGather", x, root, group)

    def scatter(self, x: np.ndarray, root: int, group: str) -> np.ndarray:
        """Return this rank's part, along axis 0, of the array of rank ``root``.

        Each rank passes an array ``x`` of the same spec; only the content of the root's is used.

        Raises:
            ValueError: axis 0 can't be divided evenly among the ranks.
        """
        return self._scatter_from_root(
            "CollectiveScatter", np.split(x, self.size(group)), root, group
        )

    def all_to_all(self, parts: Sequence[np.ndarray], group: str) -> list[np.ndarray]:
        """Send part i to rank i; return the part from each rank, in the order of ranks.

        All parts that a rank receives have the spec of its own part.

        Raises:
            RuntimeError: a rank has ended, makes a different call, or does not answer in time.
        """
        return self._begin_swap("AlltoAll", parts, group)()

    def broadcast(self, x: np.ndarray, root: int, group: str) -> np.ndarray:
        """Return the array of rank ``root``; the other ranks pass an array of the same spec."""
        return self._scatter_from_root("Broadcast", [x] * self.size(group), root, group)

    def send(self, x: np.ndarray, to: int, tag: int, group: str) -> None:
        """Send an array to one rank, and wait until it is sent.

        Raises:
            ValueError: ``to`` is this rank, or not a rank of the group.
        """
        self.begin_send(x, to, tag, group)()

    def begin_send(self, x: np.ndarray, to: int, tag: int, group: str) -> Callable[[], Any]:
        """Begin to send an array that must stay unchanged; call the result to wait until it is
        sent.

        Raises:
            ValueError: ``to`` is this rank, or not a rank of the group.
        """
        rank = self._to_world_rank("Send", to, group, must_differ=True)
        return self._begin_exchange("Send", group, {rank: x}, {}, tag)

    def receive(self, like: Spec, source: int, tag: int, group: str) -> np.ndarray:
        """Wait for an array from rank ``source``, and return it; its spec must be ``like``.

        Raises:
            ValueError: ``source`` is this rank, or not a rank of the group.
        """
        return self.begin_receive(like, source, tag, group)()

    def begin_receive(
        self, like: Spec, source: int, tag: int, group: str
    ) -> Callable[[], np.ndarray]:
        """Begin to receive an array; call the result to wait for it, and get it.

        Raises:
            ValueError: ``source`` is this rank, or not a rank of the group.
        """
        rank = self._to_world_rank("Receive", source, group, must_differ=True)
        wait = self._begin_exchange("Send", group, {}, {rank: like}, tag)
        return lambda: wait()[rank]

    def barrier(self, group: str) -> None:
        """Wait until every rank of the group has called this.

        Raises:
            RuntimeError: a rank has ended, makes a different call, or does not answer in time.
        """
        self._begin_swap("Barrier", [_NOTHING] * self.size(group), group)()

    def abort(self, status: int) -> None:
        """End the whole job after a failure of this rank, if ending this process is not enough.

        Does nothing here; subclasses may override it. ``status`` is the exit status.
        """

    def close(self) -> None:
        """Disconnect from the other ranks at a normal end; does nothing for a single process."""

    # -- building blocks of the collectives --------------------------------------------------------

    def _gather_to_root(
        self, op: str, x: np.ndarray, root: int, group: str
    ) -> list[np.ndarray] | None:
        """Send ``x`` to the group rank ``root``; return all ranks' arrays there, None on others.

        Waits, and raises a RuntimeError if another rank makes a different call.
        """
        root_rank, members = self._to_world_rank(op, root, group), self._get_members(group)
        op = f"{op} to {root}"
        self._begin_agreement(op, x, group)()
        if root_rank != self._own_rank:
            self._begin_exchange(op, group, {root_rank: x}, {})()
            return None
        others = {r: Spec(x.shape, x.dtype) for r in members if r != root_rank}
        received = self._begin_exchange(op, group, {}, others)()
        return [x if r == root_rank else received[r] for r in members]

    def _scatter_from_root(
        self, op: str, parts: Sequence[np.ndarray], root: int, group: str
    ) -> np.ndarray:
        """Send part i from the group rank ``root`` to rank i; return this rank's part.

        Waits, and raises a RuntimeError if another rank makes a different call. The parts of other
        ranks give only shape and dtype.
        """
        root_rank, own_part = self._to_world_rank(op, root, group), parts[self.rank(group)]
        op = f"{op} from {root}"
        self._begin_agreement(op, own_part, group)()
        if root_rank != self._own_rank:
            like = {root_rank: Spec(own_part.shape, own_part.dtype)}
            return self._begin_exchange(op, group, {}, like)()[root_rank]
        parts_of_ranks = zip(self._get_members(group), parts, strict=True)
        self._begin_exchange(
            op, group, {r: part for r, part in parts_of_ranks if r != root_rank}, {}
        )()
        return own_part

    def _begin_agreement(self, op: str, x: np.ndarray, group: str) -> Callable[[], Any]:
        """Send the description of this call to all ranks; the returned function waits for theirs
        and raises a RuntimeError if one differs.
        """
        return self._begin_swap(
            _describe_message(op, Spec(x.shape, x.dtype)), [_NOTHING] * self.size(group), group
        )

    def _begin_swap(
        self, op: str, parts: Sequence[np.ndarray], group: str, like: Sequence[Spec] | None = None
    ) -> Callable[[], list[np.ndarray]]:
        """Begin to send part i to rank i; the returned function waits for an array from each rank,
        and returns all in the order of ranks.

        ``like`` has the specs of the arrays to receive; by default each is that of this rank's
        part, which is returned itself.
        """
        own_part, members = parts[self.rank(group)], self._get_members(group)
        own_specs = [Spec(own_part.shape, own_part.dtype)] * len(members)
        outgoing, expected = dict(zip(members, parts)), dict(zip(members, like or own_specs))
        del outgoing[self._own_rank], expected[self._own_rank]
        wait = self._begin_exchange(op, group, outgoing, expected)

        def finish() -> list[np.ndarray]:
            """Wait for the other ranks' arrays, and return all by rank."""
            received = wait()
            return [own_part if r == self._own_rank else received[r] for r in members]

        return finish

    def _begin_exchange(
        self,
        op: str,
        group: str,
        outgoing: Mapping[int, np.ndarray],
        expected: Mapping[int, Spec],
        tag: int | None = None,
    ) -> Callable[[], dict[int, np.ndarray]]:
        """Begin to exchange arrays; the returned function waits, and returns the arrays received.

        Args:
            op: the name of the call, for errors.
            group: the group of the ranks.
            outgoing: the array to send to each world rank.
            expected: the spec of the array to receive from each world rank.
            tag: distinguishes the messages of ``Send`` from each other.

        Returns:
            A function that returns the received arrays by world rank. It raises a RuntimeError if a
            rank has ended, makes a different call, or does not answer in time.
        """
        message_kind = _compute_message_kind(self._get_members(group), tag)
        with self._lock:
            messages, receptions = [], []
            for rank, x in outgoing.items():
                number = self._next_number("to", rank, message_kind)
                description = _describe_message(op, Spec(x.shape, x.dtype))
                messages.append((rank, self._begin_message(rank, number, description, x)))
            for rank, spec in expected.items():
                number = self._next_number("from", rank, message_kind)
                description = _describe_message(op, spec)
                receptions.append((rank, self._begin_reception(rank, number, description, spec)))

        def finish() -> dict[int, np.ndarray]:
            """Wait until all arrays are received and sent; return the received ones by rank."""
            with self._lock:
                may_sleep = not any(spec.size for spec in expected.values())
                arrays = self._wait_for_polls(op, receptions + messages, may_sleep)
            return dict(zip(expected, arrays, strict=False))  # the rest are results of sends

        return finish

    def _next_number(self, direction: str, rank: int, kind: int) -> int:
        """Count a message of a kind to or from a rank, and return its number; sender and receiver
        agree on it.

        ``direction`` is ``to`` or ``from``.
        """
        self._message_counts[direction, rank, kind] += 1
        return kind + self._message_counts[direction, rank, kind]

    def _wait_for_polls(
        self, op: str, awaited: Sequence[tuple[int, Poll]], may_sleep: bool
    ) -> list[Any]:
        """Call the polls, of one rank each, until each has returned something other than None;
        return the results in order.

        ``op`` is the call for errors; ``may_sleep`` says that no data is expected yet.

        Raises:
            RuntimeError: a rank has ended, or the timeout has expired.
        """
        results: list[Any] = [None] * len(awaited)
        began = time.monotonic()
        while True:
            waited = time.monotonic() - began
            # Before the polls, so that they still receive everything that an ended rank has sent.
            ended = self._find_ended_ranks(waited)
            missing = set[int]()
            for i, (rank, poll) in enumerate(awaited):
                if results[i] is None:
                    results[i] = poll()
                if results[i] is None:
                    missing.add(rank)
            if not missing:
                return results
            for rank in sorted(missing & set(ended)):
                raise RuntimeError(
                    f"{op.partition(' ')[0]}: rank {rank} has ended while rank {self._own_rank} "
                    "waits for it. All ranks of a group must make the same calls; look at what "
                    "that rank says of itself."
                )
            if waited > self._timeout:
                raise self._make_timeout_error(op, missing)
            self._make_progress(waited, may_sleep)

    def _make_timeout_error(self, op: str, missing: Collection[int]) -> RuntimeError:
        """Return the error for ranks that did not answer in time."""
        return RuntimeError(
            f"{op.partition(' ')[0]}: rank {self._own_rank} has waited {self._timeout:.0f} s for "
            f"the ranks {sorted(missing)}. All ranks of a group must make the same calls in the "
            "same order; HCCL_EXEC_TIMEOUT sets how long to wait."
        )

    def _check_description(self, rank: int, theirs: str, mine: str) -> None:
        """Check that the message from ``rank`` belongs to the call that this rank makes.

        Raises:
            RuntimeError: it belongs to a different call.
        """
        if theirs != mine:
            raise RuntimeError(
                f"{mine.partition(' ')[0]}: rank {rank} is in {theirs}, this rank in {mine}. All "
                "ranks of a group must make the same calls in the same order."
            )

    # -- overridden by transports of several processes ---------------------------------------------

    def _begin_message(self, rank: int, number: int, description: str, x: np.ndarray) -> Poll:
        """Begin to send an array, which must not change until the returned poll returns something.

        Subclasses override it; here it raises NotImplementedError.

        Args:
            rank: the world rank of the receiver.
            number: identifies the message for sender and receiver.
            description: the call and the spec, which the receiver compares with its own.
            x: the array.
        """
        raise NotImplementedError

    def _begin_reception(self, rank: int, number: int, description: str, like: Spec) -> Poll:
        """Begin to receive an array; the poll returns it, or raises if it belongs to a different
        call.

        Subclasses override it; here it raises NotImplementedError. The arguments are those of
        ``_begin_message``, with the world rank of the sender and the spec of the array.
        """
        raise NotImplementedError

    def _find_ended_ranks(self, waited: float) -> Collection[int]:
        """Return the world ranks that have ended; ``waited`` is the seconds since the first
        poll.
        """
        return ()

    def _make_progress(self, waited: float, may_sleep: bool) -> None:
        """Transfer what is possible between two polls, and let other processes run; subclasses
        override it, here it does nothing.

        Args:
            waited: the seconds since the first poll.
            may_sleep: whether no data is expected yet.
        """


def _describe_message(op: str, spec: Spec) -> str:
    """Describe a message by ``op`` and the spec of its array, in at most ``DESCRIPTION_BYTES``
    characters.

    A shape of (0,) means no content and is left out.
    """
    return (f"{op} with {spec}" if spec.size or spec.ndim > 1 else op)[:DESCRIPTION_BYTES]


@lru_cache(1024)
def _compute_message_kind(members: tuple[int, ...], tag: int | None) -> int:
    """Return a number that identifies the messages of a group with this tag, or without a tag."""
    return int.from_bytes(blake2b(f"{members} {tag}".encode(), digest_size=7).digest())


def _reduce_arrays(parts: list[np.ndarray], op: str) -> np.ndarray:
    """Reduce arrays in the order of ranks by a key of ``_REDUCE``; return a new array."""
    result = parts[0].copy()
    for part in parts[1:]:
        _REDUCE[op](result, part, out=result)
    return result


current = Transport()


def install(new: Transport) -> Transport:
    """Make ``new`` the current transport of the process; return the previous one."""
    global current
    old, current = current, new
    return old
