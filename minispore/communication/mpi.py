"""The transport of MPI: mpi4py moves the arrays, ``mpirun`` or ``srun`` has started the ranks.

A sum of numbers that MPI knows is made by MPI, in an order of its own: all ranks get the same bits,
which with more than two ranks are not always those of a sum in rank order. With
``set_context(deterministic="ON")`` it is made in rank order, as are sums of float16 and bfloat16.

All waits are loops with an end, so Ctrl-C and HCCL_EXEC_TIMEOUT hold. A rank that leaves says so to
the others, and one that waits for it ends the job.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Callable, Collection
from pathlib import Path
from types import TracebackType

import numpy as np
from mpi4py import MPI

from minispore import context
from minispore.core.value import Spec
from minispore.ops.support.transport import ABOUT_BYTES, Members, Poll, Transport

_SUMMED = "bhilqBHILQfdFD"  # what MPI adds as NumPy does, by the letters of dtypes
_LONG_SECONDS = 1.0  # after which a wait asks whether the other rank has left
_SPIN_SECONDS, _YIELD_SECONDS, _DOZE_SECONDS = 50e-6, 2e-3, 0.5e-3
_GOODBYE, _NOTHING = 0, np.zeros(0, np.uint8)  # the tag of a rank's last message, and its content


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


class Mpi(Transport):
    """See the module's text."""

    def __init__(self, members: Members, timeout: float) -> None:
        world = MPI.COMM_WORLD
        super().__init__(world.rank, members, timeout)
        self._heads, self._arrays = world.Dup(), world.Dup()  # what comes, and then itself
        self._comms = {tuple(range(world.size)): world.Dup()}  # of groups, for sums
        self._tags = int(world.Get_attr(MPI.TAG_UB) or 2**15 - 1)  # what MPI promises
        self._gone: set[int] = set()
        near = world.Split_type(MPI.COMM_TYPE_SHARED)
        self._near = tuple(sorted(near.allgather(world.rank)))
        near.Free()
        _take_names_away()
        self._spin_seconds = 0 if len(self._near) > (os.cpu_count() or 1) else _SPIN_SECONDS
        self._hook, sys.excepthook = sys.excepthook, self._fail

    def neighbours(self) -> tuple[int, ...]:
        return self._near

    def begin_all_reduce(self, x: np.ndarray, op: str, group: str) -> Callable[[], np.ndarray]:
        ordered = context.current().deterministic == "ON"
        if op != "sum" or x.dtype.char not in _SUMMED or ordered or self.size(group) == 1:
            return super().begin_all_reduce(x, op, group)
        said, mine = f"AllReduce {op}", np.ascontiguousarray(x)
        made = np.empty_like(mine)
        with self._lock:
            comm = self._comm(group)
            agreed = self._agree(said, mine, group)
            request = comm.Iallreduce(mine, made)
        sent = [mine]  # a request of a collective does not keep what it sends

        def finish() -> np.ndarray:
            agreed()
            with self._lock:
                self._wait(
                    said, [(r, lambda: request.Test() or None) for r in self._members(group)], False
                )
            sent.clear()
            return made

        return finish

    def _comm(self, group: str) -> MPI.Intracomm:
        """The communicator of a group."""
        members = self._members(group)
        if members not in self._comms:
            self.barrier(group)  # to make one has no end
            ranks = MPI.COMM_WORLD.group.Incl(members)
            self._comms[members] = MPI.COMM_WORLD.Create_group(ranks)
        return self._comms[members]

    def _send(self, rank: int, number: int, about: str, x: np.ndarray) -> Poll:
        tag = 1 + number % self._tags
        head = np.frombuffer(about.encode().ljust(ABOUT_BYTES), np.uint8)
        ends = [self._heads.Isend(head, rank, tag)]
        if x.size:
            ends.append(self._arrays.Isend(_bytes(np.ascontiguousarray(x)), rank, tag))
        return lambda: MPI.Request.Testall(ends) or None

    def _receive(self, rank: int, number: int, about: str, like: Spec) -> Poll:
        tag = 1 + number % self._tags
        head, made = np.empty(ABOUT_BYTES, np.uint8), np.empty(like.shape, like.dtype)
        ends = [self._heads.Irecv(head, rank, tag)]

        def poll() -> np.ndarray | None:
            if MPI.Request.Testall(ends) and len(ends) == 1:
                self._check(rank, head.tobytes().decode().rstrip(), about)
                ends.append(MPI.REQUEST_NULL)
                if made.size:  # only now is it known to be as long as it is here
                    ends[1] = self._arrays.Irecv(_bytes(made), rank, tag)
            return made if len(ends) > 1 and MPI.Request.Testall(ends) else None

        return poll

    def _left(self, waited: float) -> Collection[int]:
        status = MPI.Status()
        while waited > _LONG_SECONDS and self._heads.Iprobe(tag=_GOODBYE, status=status):
            self._heads.Recv(_NOTHING, status.source, _GOODBYE)
            self._gone.add(status.source)
        return self._gone

    def _idle(self, waited: float, doze: bool) -> None:
        if doze and waited > _YIELD_SECONDS:
            time.sleep(_DOZE_SECONDS)
        elif waited > self._spin_seconds:
            _give_way()

    def abort(self, status: int) -> None:
        """End all ranks: those that wait for this one would wait for ever."""
        sys.stdout.flush()
        sys.stderr.flush()
        MPI.COMM_WORLD.Abort(status)

    def close(self) -> None:
        """Say goodbye and wait until every rank has; one that still waits for this one ends all."""
        sys.excepthook = self._hook
        others = set(range(MPI.COMM_WORLD.size)) - {self._me}
        ends = [self._heads.Isend(_NOTHING, r, _GOODBYE) for r in others]
        ends += [self._heads.Irecv(_NOTHING, r, _GOODBYE) for r in others - self._gone]
        while not MPI.Request.Testall(ends):
            time.sleep(_DOZE_SECONDS)
        for comm in (self._heads, self._arrays, *self._comms.values()):
            comm.Free()

    def _fail(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Show an uncaught error, and end all ranks."""
        self._hook(kind, error, trace)
        print(f"minispore: rank {self._me} has failed: {kind.__name__}", file=sys.stderr)
        self.abort(130 if issubclass(kind, KeyboardInterrupt) else 1)


def _take_names_away() -> None:
    """Of MPI's shared memory, which all ranks of this machine have by now: so none of it is left
    when they are killed.
    """
    with contextlib.suppress(OSError), open("/proc/self/maps") as maps:
        for name in set(re.findall(r"/dev/shm/sm_segment\S+", maps.read())):
            Path(name).unlink(missing_ok=True)


_give_way = getattr(os, "sched_yield", lambda: time.sleep(0))


def _bytes(x: np.ndarray) -> np.ndarray:
    return x.reshape(-1).view(np.uint8)
