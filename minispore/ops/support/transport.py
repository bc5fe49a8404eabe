"""What moves arrays between ranks: collectives, made of exchanges between each two of them.

A sum is made in the order of the ranks, each part of a large one on one rank, so all ranks get the
same bits. The transport in place from the start is that of a single process, which has nobody to
exchange with; ``communication`` installs one that has, when there are several.
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

from minispore.core.value import Spec

Members = Callable[[str], tuple[int, ...]]
Poll = Callable[[], Any]  # None as long as nothing has come
_SMALL_BYTES = 64 << 10  # arrays up to this size are reduced by every rank, in one exchange
_REDUCE = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}
_NOTHING = np.zeros(0, np.uint8)
ABOUT_BYTES = 232  # of the text with which each array travels


@dataclass
class Traffic:
    """What a transport has counted: all-reduces that ran beside other work, and their times."""

    buckets: int = 0
    nbytes: int = 0
    in_flight_ns: int = 0  # from the start of each to its end
    waited_ns: int = 0  # of that, the time in which the rank did nothing else
    # those under way, by ticket: when each began, and what waits for it
    begun: dict[int, tuple[int, Callable[[], np.ndarray]]] = field(default_factory=dict)

    @property
    def hidden(self) -> float:
        """The share of the all-reduces' time behind other work, from 0 to 1."""
        return 1.0 - self.waited_ns / self.in_flight_ns if self.in_flight_ns else 0.0


class Transport:
    """Moves arrays between the ranks of a group. Every rank of the group makes the same calls.

    By itself that of one process. Where there are several, ``_send`` and ``_receive`` say how an
    array gets from one to another.

    Args:
        rank: the own rank in the world.
        members: the ranks of a group, by its name.
        timeout: seconds to wait for another rank.
    """

    def __init__(
        self, rank: int = 0, members: Members = lambda group: (0,), timeout: float = 0.0
    ) -> None:
        self._me, self._members, self._timeout = rank, members, timeout
        self._lock = threading.RLock()  # one call at a time, from whichever thread
        self._calls: Counter[Any] = Counter()  # so far, with each rank, of each kind
        self.traffic = Traffic()

    # -- who takes part ----------------------------------------------------------------------------

    def size(self, group: str) -> int:
        """The number of ranks."""
        return len(self._members(group))

    def rank(self, group: str) -> int:
        """The own rank.

        Raises:
            ValueError: this rank is not of the group.
        """
        members = self._members(group)
        if self._me not in members:
            raise ValueError(
                f"communication: group {group!r} has the ranks {members}, and this is rank "
                f"{self._me}. Only they may take part."
            )
        return members.index(self._me)

    def neighbours(self) -> tuple[int, ...]:
        """The ranks of the world on this machine, this one among them."""
        return (self._me,)

    def _at(self, op: str, index: int, group: str, other: bool = False) -> int:
        """The rank in the world of one of a group; of another one."""
        members = self._members(group)
        if not 0 <= index < len(members):
            raise ValueError(
                f"{op}: the rank must be from 0 to {len(members) - 1} in group {group!r}, got "
                f"{index}."
            )
        if other and members[index] == self._me:
            raise ValueError(f"{op}: the rank must be another one, got {index}, this one itself.")
        return members[index]

    # -- collectives -------------------------------------------------------------------------------

    def all_reduce(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        """The sum (max, min, prod) of all ranks' arrays."""
        return self.begin_all_reduce(x, op, group)()

    def begin_all_reduce(self, x: np.ndarray, op: str, group: str) -> Callable[[], np.ndarray]:
        """Begin an all-reduce of an array that stays as it is; call the result to wait for it."""
        said, size = f"AllReduce {op}", self.size(group)
        if x.nbytes <= _SMALL_BYTES:
            all_of_it = self._swap(said, [x] * size, group)
            return lambda: _reduced(all_of_it(), op)
        parts = np.array_split(x.reshape(-1), size)
        mine = self._swap(said, parts, group)

        def finish() -> np.ndarray:
            like = [Spec(p.shape, p.dtype) for p in parts]
            made = self._swap(said, [_reduced(mine(), op)] * size, group, like)()
            return np.concatenate(made).reshape(x.shape)

        return finish

    def reduce_scatter(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        """The own one of equal parts, along axis 0, of the sum (max, min, prod)."""
        return self.begin_reduce_scatter(np.split(x, self.size(group)), op, group)()

    def begin_reduce_scatter(
        self, parts: Sequence[np.ndarray], op: str, group: str
    ) -> Callable[[], np.ndarray]:
        """Begin to reduce part i of all ranks on rank i; call the result to wait for the own."""
        mine = self._swap(f"ReduceScatter {op}", parts, group)
        return lambda: _reduced(mine(), op)

    def reduce(self, x: np.ndarray, op: str, root: int, group: str) -> np.ndarray | None:
        """The sum (max, min, prod) on rank ``root``; None on others."""
        found = self._to_root(f"Reduce {op}", x, root, group)
        return None if found is None else _reduced(found, op)

    def all_gather(
        self, x: np.ndarray, group: str, like: Sequence[Spec] | None = None
    ) -> list[np.ndarray]:
        """All ranks' arrays, by rank; each as ``like`` says, if they are not like the own."""
        return self._swap("AllGather", [x] * self.size(group), group, like)()

    def gather(self, x: np.ndarray, root: int, group: str) -> list[np.ndarray] | None:
        """All ranks' arrays, by rank, on rank ``root``; None on others."""
        return self._to_root("CollectiveGather", x, root, group)

    def scatter(self, x: np.ndarray, root: int, group: str) -> np.ndarray:
        """The own one of equal parts, along axis 0, of the array of rank ``root``."""
        return self._from_root("CollectiveScatter", np.split(x, self.size(group)), root, group)

    def all_to_all(self, parts: Sequence[np.ndarray], group: str) -> list[np.ndarray]:
        """Part i goes to rank i; what came from each rank, by rank."""
        return self._swap("AlltoAll", parts, group)()

    def broadcast(self, x: np.ndarray, root: int, group: str) -> np.ndarray:
        """The array of rank ``root``."""
        return self._from_root("Broadcast", [x] * self.size(group), root, group)

    def send(self, x: np.ndarray, to: int, tag: int, group: str) -> None:
        """Hand an array to one rank."""
        self.begin_send(x, to, tag, group)()

    def begin_send(self, x: np.ndarray, to: int, tag: int, group: str) -> Callable[[], Any]:
        """Begin to hand over an array that stays as it is; call the result to wait for the end."""
        rank = self._at("Send", to, group, other=True)
        return self._exchange("Send", group, {rank: x}, {}, tag)

    def receive(self, like: Spec, source: int, tag: int, group: str) -> np.ndarray:
        """The array that one rank sent."""
        return self.begin_receive(like, source, tag, group)()

    def begin_receive(
        self, like: Spec, source: int, tag: int, group: str
    ) -> Callable[[], np.ndarray]:
        """Begin to receive an array; call the result to wait for it."""
        rank = self._at("Receive", source, group, other=True)
        wait = self._exchange("Send", group, {}, {rank: like}, tag)
        return lambda: wait()[rank]

    def barrier(self, group: str) -> None:
        """Wait until every rank is here."""
        self._swap("Barrier", [_NOTHING] * self.size(group), group)()

    def abort(self, status: int) -> None:
        """This rank fails: end the whole job, if that takes more than to end this process."""

    def close(self) -> None:
        """Leave the other ranks, in peace."""

    # -- what they are made of ---------------------------------------------------------------------

    def _to_root(self, op: str, x: np.ndarray, root: int, group: str) -> list[np.ndarray] | None:
        to, members, op = self._at(op, root, group), self._members(group), f"{op} to {root}"
        self._agree(op, x, group)()
        if to != self._me:
            self._exchange(op, group, {to: x}, {})()
            return None
        others = {r: Spec(x.shape, x.dtype) for r in members if r != to}
        came = self._exchange(op, group, {}, others)()
        return [x if r == to else came[r] for r in members]

    def _from_root(self, op: str, parts: Sequence[np.ndarray], root: int, group: str) -> np.ndarray:
        source, mine, op = self._at(op, root, group), parts[self.rank(group)], f"{op} from {root}"
        self._agree(op, mine, group)()
        if source != self._me:
            like = {source: Spec(mine.shape, mine.dtype)}
            return self._exchange(op, group, {}, like)()[source]
        found = zip(self._members(group), parts, strict=True)
        self._exchange(op, group, {r: part for r, part in found if r != source}, {})()
        return mine

    def _agree(self, op: str, x: np.ndarray, group: str) -> Callable[[], Any]:
        """Say which call this is; the result waits, and raises if it is not that of all."""
        return self._swap(_about(op, Spec(x.shape, x.dtype)), [_NOTHING] * self.size(group), group)

    def _swap(
        self, op: str, parts: Sequence[np.ndarray], group: str, like: Sequence[Spec] | None = None
    ) -> Callable[[], list[np.ndarray]]:
        """Part i goes to rank i of the group; waits for what comes from each. Without ``like`` it
        is as what stays here.
        """
        own, members = parts[self.rank(group)], self._members(group)
        others = [i for i, r in enumerate(members) if r != self._me]
        here = [Spec(own.shape, own.dtype)] * len(members)
        specs = {members[i]: (like or here)[i] for i in others}
        wait = self._exchange(op, group, {members[i]: parts[i] for i in others}, specs)

        def finish() -> list[np.ndarray]:
            came = wait()
            return [own if r == self._me else came[r] for r in members]

        return finish

    def _exchange(
        self,
        op: str,
        group: str,
        out: Mapping[int, np.ndarray],
        like: Mapping[int, Spec],
        tag: int | None = None,
    ) -> Callable[[], dict[int, np.ndarray]]:
        """Begin to send ``out`` to its ranks; the result waits for what those of ``like`` send."""
        kind = _kind(self._members(group), tag)
        with self._lock:
            sent = [
                (
                    r,
                    self._send(
                        r, self._number("to", r, kind), _about(op, Spec(x.shape, x.dtype)), x
                    ),
                )
                for r, x in out.items()
            ]
            came = [
                (r, self._receive(r, self._number("from", r, kind), _about(op, spec), spec))
                for r, spec in like.items()
            ]

        def finish() -> dict[int, np.ndarray]:
            with self._lock:
                found = self._wait(op, came + sent, not any(spec.size for spec in like.values()))
            return dict(zip(like, found, strict=False))

        return finish

    def _number(self, way: str, rank: int, kind: int) -> int:
        """That of the next message of a kind to a rank or from it, the same on both sides."""
        self._calls[way, rank, kind] += 1
        return kind + self._calls[way, rank, kind]

    def _wait(self, op: str, awaited: Sequence[tuple[int, Poll]], doze: bool) -> list[Any]:
        """What the polls give, each of a rank, once all have given something.

        Raises:
            RuntimeError: it is no use to wait any longer.
        """
        found: list[Any] = [None] * len(awaited)
        began = time.monotonic()
        while True:
            waited = time.monotonic() - began
            left = self._left(waited)  # before the polls: what a rank has sent it has sent before
            missing = set[int]()
            for i, (rank, poll) in enumerate(awaited):
                if found[i] is None:
                    found[i] = poll()
                if found[i] is None:
                    missing.add(rank)
            if not missing:
                return found
            for rank in sorted(missing & set(left)):
                raise RuntimeError(
                    f"{op.partition(' ')[0]}: rank {rank} has ended while rank {self._me} waits "
                    "for it. All ranks of a group must make the same calls; look at what that rank "
                    "says of itself."
                )
            if waited > self._timeout:
                raise self._late(op, missing)
            self._idle(waited, doze)

    def _late(self, op: str, missing: Collection[int]) -> RuntimeError:
        return RuntimeError(
            f"{op.partition(' ')[0]}: rank {self._me} has waited {self._timeout:.0f} s for the "
            f"ranks {sorted(missing)}. All ranks of a group must make the same calls in the same "
            "order; HCCL_EXEC_TIMEOUT sets how long to wait."
        )

    def _check(self, rank: int, theirs: str, mine: str) -> None:
        """Raise unless a message of ``rank`` is what is expected here."""
        if theirs != mine:
            raise RuntimeError(
                f"{mine.partition(' ')[0]}: rank {rank} is in {theirs}, this rank in {mine}. All "
                "ranks of a group must make the same calls in the same order."
            )

    # -- for those of several processes ------------------------------------------------------------

    def _send(self, rank: int, number: int, about: str, x: np.ndarray) -> Poll:
        """Begin to send; the array stays as it is until the poll gives something."""
        raise NotImplementedError

    def _receive(self, rank: int, number: int, about: str, like: Spec) -> Poll:
        """Begin to receive; the poll gives the array, or raises if it is not what is expected."""
        raise NotImplementedError

    def _left(self, waited: float) -> Collection[int]:
        """The ranks that have ended."""
        return ()

    def _idle(self, waited: float, doze: bool) -> None:
        """Give way to others; ``doze`` where ranks may not be here yet, and no data is coming."""


def _about(op: str, spec: Spec) -> str:
    """What a message is; that without an array is ``op`` itself."""
    return (f"{op} with {spec}" if spec.size or spec.ndim > 1 else op)[:ABOUT_BYTES]


@lru_cache(1024)
def _kind(members: tuple[int, ...], tag: int | None) -> int:
    """A number for the messages of a group, or of those of them that have a tag."""
    return int.from_bytes(blake2b(f"{members} {tag}".encode(), digest_size=7).digest())


def _reduced(parts: list[np.ndarray], op: str) -> np.ndarray:
    first, *rest = parts
    made = first.copy()
    for part in rest:
        _REDUCE[op](made, part, out=made)
    return made


current = Transport()


def install(new: Transport) -> Transport:
    """Make ``new`` the transport; returns the one that was in place."""
    global current
    old, current = current, new
    return old
