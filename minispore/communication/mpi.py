"""The MPI transport: mpi4py transfers the arrays; ``mpirun`` or ``srun`` starts the ranks.

MPI computes sums of the dtypes that it supports, in its own order: all ranks get bitwise equal
results, which with more than two ranks may differ from a sum in rank order. With
``set_context(deterministic="ON")`` sums are computed in rank order, as are those of float16 and
bfloat16.

All waits are loops with a time limit, so Ctrl-C and HCCL_EXEC_TIMEOUT work. A rank that leaves
sends a message to the others; if one of them still waits for it, it ends the job.
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
from minispore.ir.value import Spec
from minispore.ops.support.transport import DESCRIPTION_BYTES, Members, Poll, Transport

_SUMMABLE = "bhilqBHILQfdFD"  # dtype characters that MPI sums like NumPy
_LONG_SECONDS = 1.0  # waiting time after which a rank checks whether others have left
_SPIN_SECONDS, _YIELD_SECONDS, _DOZE_SECONDS = 50e-6, 2e-3, 0.5e-3
_FAILURE_SECONDS = 2.0  # for ranks that fail together to print their errors
_FAILURE = 0  # tag of the message of a rank that has printed its error
_GOODBYE, _NOTHING = 0, np.zeros(0, np.uint8)  # a rank's last message: tag, content


def world() -> tuple[int, int]:
    """Return the rank of this process and the number of ranks.

    Raises:
        RuntimeError: the number of ranks differs between MPI and the launcher.
    """
    size = int(os.environ.get("OMPI_COMM_WORLD_SIZE") or MPI.COMM_WORLD.size)
    if size != MPI.COMM_WORLD.size:
        raise RuntimeError(
            f"init: mpirun must be of the MPI that mpi4py uses, got {size} ranks of the one and "
            f"{MPI.COMM_WORLD.size} of the other. Use the mpirun of the extra mpi."
        )
    return MPI.COMM_WORLD.rank, size


class Mpi(Transport):
    """Transport by mpi4py; see the module's docstring."""

    def __init__(self, members: Members, timeout: float) -> None:
        world = MPI.COMM_WORLD
        super().__init__(world.rank, members, timeout)
        self._heads, self._arrays = world.Dup(), world.Dup()  # description, array
        self._comms = {tuple(range(world.size)): world.Dup()}  # communicators of groups, for sums
        self._tags = int(world.Get_attr(MPI.TAG_UB) or 2**15 - 1)  # MPI guarantees 2^15 - 1
        self._departed: set[int] = set()
        local = world.Split_type(MPI.COMM_TYPE_SHARED)
        self._local_ranks = tuple(sorted(local.allgather(world.rank)))
        local.Free()
        _unlink_shared_segments()
        self._spin_seconds = 0 if len(self._local_ranks) > (os.cpu_count() or 1) else _SPIN_SECONDS
        self._previous_excepthook, sys.excepthook = sys.excepthook, self._on_uncaught_error

    def neighbours(self) -> tuple[int, ...]:
        """Return the ranks whose processes share this one's memory, in order."""
        return self._local_ranks

    def begin_all_reduce(self, x: np.ndarray, op: str, group: str) -> Callable[[], np.ndarray]:
        """Begin a sum by MPI; other reductions and dtypes, and deterministic sums, are computed in
        rank order.
        """
        is_ordered = context.current().deterministic == "ON"
        if op != "sum" or x.dtype.char not in _SUMMABLE or is_ordered or self.size(group) == 1:
            return super().begin_all_reduce(x, op, group)
        description, operand = f"AllReduce {op}", np.ascontiguousarray(x)
        result = np.empty_like(operand)
        with self._lock:
            comm = self._get_communicator(group)
            finish_check = self._begin_agreement(description, operand, group)
            request = comm.Iallreduce(operand, result)
        keep_alive = [operand]  # the request does not refer to the array

        def finish() -> np.ndarray:
            """Wait until all ranks have agreed on the call and the sum is complete; return the
            sum.
            """
            finish_check()
            with self._lock:
                self._wait_for_polls(
                    description,
                    [(r, lambda: request.Test() or None) for r in self._get_members(group)],
                    False,
                )
            keep_alive.clear()
            return result

        return finish

    def _get_communicator(self, group: str) -> MPI.Intracomm:
        """Return the communicator of a group; the first use creates it and waits for all ranks."""
        members = self._get_members(group)
        if members not in self._comms:
            self.barrier(group)  # creating a communicator has no timeout
            ranks = MPI.COMM_WORLD.group.Incl(members)
            self._comms[members] = MPI.COMM_WORLD.Create_group(ranks)
        return self._comms[members]

    def _begin_message(self, rank: int, number: int, description: str, x: np.ndarray) -> Poll:
        """Begin to send the description and, unless it is empty, the array; return a poll that
        tells when both are sent.
        """
        tag = 1 + number % self._tags
        head = np.frombuffer(description.encode().ljust(DESCRIPTION_BYTES), np.uint8)
        requests = [self._heads.Isend(head, rank, tag)]
        if x.size:
            requests.append(self._arrays.Isend(_view_as_bytes(np.ascontiguousarray(x)), rank, tag))
        return lambda: MPI.Request.Testall(requests) or None

    def _begin_reception(self, rank: int, number: int, description: str, like: Spec) -> Poll:
        """Begin to receive the description; the array is received once the description is as
        expected.
        """
        tag = 1 + number % self._tags
        head, array = np.empty(DESCRIPTION_BYTES, np.uint8), np.empty(like.shape, like.dtype)
        requests = [self._heads.Irecv(head, rank, tag)]

        def poll() -> np.ndarray | None:
            """Return the array once it has arrived, else None.

            Starts to receive the array when its description has arrived and is as expected.
            """
            if MPI.Request.Testall(requests) and len(requests) == 1:
                self._check_description(rank, head.tobytes().decode().rstrip(), description)
                requests.append(MPI.REQUEST_NULL)
                if array.size:  # only now is the length known to match
                    requests[1] = self._arrays.Irecv(_view_as_bytes(array), rank, tag)
            return array if len(requests) > 1 and MPI.Request.Testall(requests) else None

        return poll

    def _find_ended_ranks(self, waited: float) -> Collection[int]:
        """Receive goodbyes, only after a second of waiting; return all ranks that have sent one."""
        status = MPI.Status()
        while waited > _LONG_SECONDS and self._heads.Iprobe(tag=_GOODBYE, status=status):
            self._heads.Recv(_NOTHING, status.source, _GOODBYE)
            self._departed.add(status.source)
        return self._departed

    def _make_progress(self, waited: float, may_sleep: bool) -> None:
        """Let other processes run; MPI transfers when a request is tested."""
        if may_sleep and waited > _YIELD_SECONDS:
            time.sleep(_DOZE_SECONDS)
        elif waited > self._spin_seconds:
            _yield_cpu()

    def abort(self, status: int) -> None:
        """End all ranks with this exit status: those that wait for this one would wait forever."""
        sys.stdout.flush()
        sys.stderr.flush()
        MPI.COMM_WORLD.Abort(status)

    def close(self) -> None:
        """Send a goodbye and wait for that of every rank; a rank that still waits for this one ends
        all ranks.

        Also frees the communicators, and restores the hook for uncaught errors.
        """
        sys.excepthook = self._previous_excepthook
        others = set(range(MPI.COMM_WORLD.size)) - {self._own_rank}
        requests = [self._heads.Isend(_NOTHING, r, _GOODBYE) for r in others]
        requests += [self._heads.Irecv(_NOTHING, r, _GOODBYE) for r in others - self._departed]
        while not MPI.Request.Testall(requests):
            time.sleep(_DOZE_SECONDS)
        for comm in (self._heads, self._arrays, *self._comms.values()):
            comm.Free()

    def _on_uncaught_error(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Print an uncaught error, and end all ranks."""
        self._previous_excepthook(kind, error, trace)
        print(f"minispore: rank {self._own_rank} has failed: {kind.__name__}", file=sys.stderr)
        sys.stderr.flush()
        is_interrupt = issubclass(kind, KeyboardInterrupt)
        try:
            if not is_interrupt:
                self._await_other_errors()
        finally:
            self.abort(130 if is_interrupt else 1)

    def _await_other_errors(self) -> None:
        """Wait briefly until all ranks have printed an error; usually only one rank fails.

        If several ranks notice an error at once, each prints its own message before Abort ends them
        all.
        """
        world = MPI.COMM_WORLD
        others = set(range(world.size)) - {self._own_rank}
        requests = [world.Isend(_NOTHING, r, _FAILURE) for r in others]
        requests += [world.Irecv(_NOTHING, r, _FAILURE) for r in others]
        deadline = time.monotonic() + _FAILURE_SECONDS
        while not MPI.Request.Testall(requests) and time.monotonic() < deadline:
            time.sleep(_DOZE_SECONDS)


def _unlink_shared_segments() -> None:
    """Unlink the files of MPI's shared memory, which all ranks of this machine have already mapped.

    Thus no file remains if the ranks are killed.
    """
    with contextlib.suppress(OSError), open("/proc/self/maps") as maps:
        for name in set(re.findall(r"/dev/shm/sm_segment\S+", maps.read())):
            Path(name).unlink(missing_ok=True)


_yield_cpu = getattr(os, "sched_yield", lambda: time.sleep(0))


def _view_as_bytes(x: np.ndarray) -> np.ndarray:
    """Return the content of an array as flat uint8, without a copy if it is contiguous."""
    return x.reshape(-1).view(np.uint8)
