"""The transport of MPI: mpi4py moves the arrays, ``mpirun`` or ``srun`` has started the ranks.

A sum of numbers that MPI knows is made by MPI, in an order of its own: all ranks get the same bits,
which with more than two ranks are not always those of a sum in rank order. With
``set_context(deterministic="ON")`` it is made in rank order, as are sums of float16 and bfloat16.

Each call of a group begins with an exchange of its digest, so ranks that make different calls are
told so. All waits are loops with an end, so Ctrl-C and HCCL_EXEC_TIMEOUT hold; a rank that waits
for long says so to the others, which names those that are missing, and those that have left.
"""

from __future__ import annotations

import os
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from types import TracebackType

import numpy as np
from mpi4py import MPI

from minispore import context
from minispore.communication.ranks import Members, Ranks, differ, late
from minispore.core.value import Spec

_SUMMED = "bhilqBHILQfdFD"  # what MPI adds as NumPy does, by the letters of dtypes
_ABOUT = 240  # bytes of the text that says what a call is
_NOTE = struct.Struct("!8sQ48s")  # the kind of call, its number, its op
_LONG_SECONDS = 1.0  # a wait of which the others are told
_SPIN_NS, _YIELD_NS = 50_000, 2_000_000
_LOOK_SECONDS = 0.0005


def world() -> tuple[int, int]:
    """The rank of this process and the number of ranks.

    Raises:
        RuntimeError: MPI knows of another number of ranks than the launcher.
    """
    size = int(os.environ.get("OMPI_COMM_WORLD_SIZE") or MPI.COMM_WORLD.size)
    if size != MPI.COMM_WORLD.size:
        raise RuntimeError(
            f"init: mpirun must be of the MPI that mpi4py uses, got {size} ranks of the one and "
            f"{MPI.COMM_WORLD.size} of the other. Use the mpirun of the extra mpi."
        )
    return MPI.COMM_WORLD.rank, size


class Mpi(Ranks):
    """See the module's text."""

    def __init__(self, members: Members, timeout: float) -> None:
        world = MPI.COMM_WORLD
        super().__init__(world.rank, members, timeout)
        self._lock = threading.RLock()  # one op at a time, from whichever thread
        self._notes = world.Dup()  # who waits, and in which call
        self._comms = {tuple(range(world.size)): (world.Dup(), world.Dup())}  # data, digests
        self._calls: Counter[bytes] = (
            Counter()
        )  # so far, of each group or of each two ranks and tag
        self._told: list[tuple[MPI.Request, bytes]] = []
        near = world.Split_type(MPI.COMM_TYPE_SHARED)
        ranks, cores = np.zeros(near.size, int), _cores()
        near.Allgather(np.array([world.rank]), ranks)
        near.Allreduce(MPI.IN_PLACE, cores, MPI.MAX)
        near.Free()
        self._near = tuple(sorted(ranks.tolist()))
        self._spin_ns = 0 if len(ranks) > cores.sum() else _SPIN_NS
        self._hook, sys.excepthook = sys.excepthook, self._fail

    def neighbours(self) -> tuple[int, ...]:
        return self._near

    # -- the transport -----------------------------------------------------------------------------

    def begin_all_reduce(self, x: np.ndarray, op: str, group: str) -> Callable[[], np.ndarray]:
        ordered = context.current().deterministic == "ON"
        if op != "sum" or x.dtype.char not in _SUMMED or ordered or self.size(group) == 1:
            return super().begin_all_reduce(x, op, group)
        said, mine = f"AllReduce {op}", np.ascontiguousarray(x)
        made = np.empty_like(mine)
        with self._lock:
            agreed = self._ask(said, mine, group)
            request = self._pair(said, group)[0].Iallreduce(mine, made)
        sent = [mine]  # a request of a collective does not keep what it sends

        def finish() -> np.ndarray:
            with self._lock:
                agreed()
                self._wait(said, b"", [request])
            sent.clear()
            return made

        return finish

    def send(self, x: np.ndarray, to: int, tag: int, group: str) -> None:
        rank = self._other("Send", to, group)
        key = _digest(f"{self._me} to {rank}, {tag} {self._members(group)}")
        head = _text(_about("Send", x))
        with self._lock:
            number = self._count(key)
            ends = [self._notes.Isend(part, rank, number) for part in (head, _bytes(x))]
            self._wait("Send", key, ends, [rank])

    def receive(self, like: Spec, source: int, tag: int, group: str) -> np.ndarray:
        rank = self._other("Receive", source, group)
        key = _digest(f"{rank} to {self._me}, {tag} {self._members(group)}")
        head, made = np.empty(_ABOUT, np.uint8), np.empty(like.shape, like.dtype)
        with self._lock:
            number = self._count(key)
            self._wait("Receive", key, [self._notes.Irecv(head, rank, number)], [rank])
            theirs, mine = _read(head), _about("Send", made)
            if theirs != mine:
                raise differ("Receive", rank, theirs, mine)
            self._wait("Receive", key, [self._notes.Irecv(_bytes(made), rank, number)], [rank])
        return made

    def _begin(
        self, op: str, group: str, out: Mapping[int, np.ndarray], like: Mapping[int, Spec]
    ) -> Callable[[], dict[int, np.ndarray]]:
        came = {r: np.empty(spec.shape, spec.dtype) for r, spec in like.items()}
        with self._lock:
            comm, _ = self._pair(op, group)
            place = self._members(group).index
            ends = [comm.Irecv(_bytes(x), place(r)) for r, x in came.items()]
            ends += [comm.Isend(_bytes(x), place(r)) for r, x in out.items()]

        def finish() -> dict[int, np.ndarray]:
            with self._lock:
                self._wait(op, b"", ends)
            return came

        return finish

    def _agree(self, op: str, x: np.ndarray, group: str) -> None:
        with self._lock:
            self._ask(op, x, group)()

    def abort(self, status: int) -> None:
        """End all ranks: those that wait for this one would wait for ever."""
        sys.stdout.flush()
        sys.stderr.flush()
        MPI.COMM_WORLD.Abort(status)

    def close(self) -> None:
        """Wait until every rank leaves; end all if one waits for a call that will not come."""
        sys.excepthook = self._hook
        with self._lock:
            leaving = self._notes.Ibarrier()
            while not leaving.Test():
                for rank, key, number, op in self._heard():
                    if number > self._calls[key]:  # a call that this rank has not made
                        print(
                            f"minispore: {op}: rank {self._me} has ended while rank {rank} waits "
                            "for it. All ranks of a group must make the same calls.",
                            file=sys.stderr,
                        )
                        self.abort(1)
                time.sleep(_LOOK_SECONDS)
            for pair in self._comms.values():
                for comm in pair:
                    comm.Free()
            self._notes.Free()

    def _fail(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Show an uncaught error, and end all ranks."""
        self._hook(kind, error, trace)
        print(f"minispore: rank {self._me} has failed: {kind.__name__}", file=sys.stderr)
        self.abort(130 if issubclass(kind, KeyboardInterrupt) else 1)

    # -- calls -------------------------------------------------------------------------------------

    def _pair(self, op: str, group: str) -> tuple[MPI.Intracomm, MPI.Intracomm]:
        """The communicators of a group, for data and for digests."""
        members = self._members(group)
        if members not in self._comms:
            self.rank(group)
            key, nothing = _digest(f"group {members}"), np.empty(0, np.uint8)
            number = self._count(key)
            others = [r for r in members if r != self._me]
            ends = [self._notes.Irecv(nothing, r, number) for r in others]
            ends += [self._notes.Isend(nothing, r, number) for r in others]
            self._wait(op, key, ends, others, doze=True)  # what follows has no end
            ranks, create = MPI.COMM_WORLD.group.Incl(members), MPI.COMM_WORLD.Create_group
            self._comms[members] = create(ranks, number), create(ranks, number)
        return self._comms[members]

    def _count(self, key: bytes) -> int:
        """Count a call of this kind; the tag of its messages, the same on all ranks."""
        self._calls[key] += 1
        return 1 + int.from_bytes(key[:2])

    def _ask(self, op: str, x: np.ndarray, group: str) -> Callable[[], None]:
        """Say which call this is; the result waits, and raises if it is not that of all."""
        _, comm = self._pair(op, group)
        members, about = self._members(group), _about(op, x)
        key = _digest(str(members))
        self._count(key)
        mine = np.frombuffer(_digest(about), np.uint8)
        all_of_them = np.empty((len(members), 8), np.uint8)
        request = comm.Iallgather(mine, all_of_them)

        def finish() -> None:
            self._wait(op, key, [request], members, doze=True)
            if (all_of_them != mine).any():
                said = np.empty((len(members), _ABOUT), np.uint8)
                comm.Allgather(_text(about), said)
                for rank, theirs in zip(members, map(_read, said), strict=True):
                    if theirs != about:
                        raise differ(op, rank, theirs, about)

        return finish

    # -- waits -------------------------------------------------------------------------------------

    def _wait(
        self,
        op: str,
        key: bytes,
        requests: list[MPI.Request],
        others: Sequence[int] = (),
        doze: bool = False,
    ) -> None:
        """Wait, in a loop; ``doze`` where ranks may not be here yet, and no data is on its way."""
        began, told = time.monotonic_ns(), False
        while not MPI.Request.Testall(requests):
            waited = time.monotonic_ns() - began
            if doze and waited > _YIELD_NS:
                time.sleep(_LOOK_SECONDS)
            elif waited > self._spin_ns:
                _give_way()
            if waited > _LONG_SECONDS * 1e9 and not told:
                told = True
                self._tell(op, key, others)
            if waited > self._timeout * 1e9:
                raise late(op, self._me, self._timeout, self._missing(key, others))

    def _tell(self, op: str, key: bytes, others: Sequence[int]) -> None:
        """Say to the others that this rank waits for them."""
        note = _NOTE.pack(key, self._calls[key], op.encode()[:48])
        self._told += [(self._notes.Isend(note, r, 0), note) for r in others if r != self._me]

    def _heard(self) -> list[tuple[int, bytes, int, str]]:
        """Who waits for this rank, in which call: group or pair, number, op."""
        found, status, note = [], MPI.Status(), bytearray(_NOTE.size)
        while self._notes.Iprobe(tag=0, status=status):
            self._notes.Recv(note, status.source, 0)
            key, number, op = _NOTE.unpack(note)
            found.append((status.source, key, number, op.rstrip(b"\0").decode()))
        return found

    def _missing(self, key: bytes, others: Sequence[int]) -> list[int]:
        """Those of the others that do not wait in the same call."""
        time.sleep(1.5 * _LONG_SECONDS)  # who came late has not said so yet
        here = {r for r, k, n, _ in self._heard() if (k, n) == (key, self._calls[key])}
        return [r for r in others if r not in here | {self._me}]


_give_way = getattr(os, "sched_yield", lambda: time.sleep(0))


def _cores() -> np.ndarray:
    """1 for each core on which this process may run."""
    count = os.cpu_count() or 1
    affinity = getattr(os, "sched_getaffinity", lambda _: range(count))
    return np.isin(np.arange(max(count, 1024)), list(affinity(0))).astype(int)


def _bytes(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x).reshape(-1).view(np.uint8)


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()


def _text(about: str) -> np.ndarray:
    return np.frombuffer(about.ljust(_ABOUT).encode(), np.uint8)


def _read(text: np.ndarray) -> str:
    return text.tobytes().decode().rstrip()


def _about(op: str, x: np.ndarray) -> str:
    return f"{op} with {Spec(x.shape, x.dtype)}"[:_ABOUT]
