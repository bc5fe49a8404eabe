"""How ranks find each other: rank 0 listens where all know, and tells each where the others are."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Iterator

_RETRY_SECONDS = 0.05

# Variables with the rank and the number of ranks: of MindSpore's msrun, of the launchers of Open
# MPI, MPICH and Slurm, and of scripts that start one process for each card.
_LAUNCHERS = (
    ("MS_NODE_ID", "MS_WORKER_NUM"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
    ("RANK_ID", "RANK_SIZE"),
)


def launched() -> tuple[int, int]:
    """The rank of this process and the number of ranks, from what its launcher has set.

    Raises:
        RuntimeError: there are several ranks, and it is not said which one this is.
    """
    for rank_name, size_name in _LAUNCHERS:
        size = _number(size_name, 1)
        if size > 1:
            rank = _number(rank_name, -1)
            if not 0 <= rank < size:
                raise RuntimeError(
                    f"init: {rank_name} must be the rank of this process, from 0 to {size - 1}, "
                    f"where {size_name} is {size}; got {os.environ.get(rank_name)!r}."
                )
            return rank, size
    return 0, 1


def address() -> tuple[str, int]:
    """Where rank 0 listens: MS_SCHED_HOST and MS_SCHED_PORT, or msrun's own defaults."""
    return os.environ.get("MS_SCHED_HOST") or "127.0.0.1", _number("MS_SCHED_PORT", 8118)


def seconds(name: str, default: int) -> float:
    """A time-out that a variable may set."""
    return float(_number(name, default))


def _number(name: str, default: int) -> int:
    text = os.environ.get(name) or str(default)
    try:
        return int(text)
    except ValueError:
        raise RuntimeError(f"init: {name} must be a whole number, got {text!r}.") from None


def meet(rank: int, size: int, where: tuple[str, int], timeout: float) -> dict[int, socket.socket]:
    """A connection to each other rank.

    Every rank listens on a port of its own and tells rank 0, which answers with all of them; then
    each rank calls those below it.

    Raises:
        RuntimeError: not all ranks came within ``timeout`` seconds.
    """
    clock = _Clock(timeout, rank, size, where)
    with contextlib.ExitStack() as undo:
        found: dict[int, socket.socket] = {}

        def keep(other: int, connection: socket.socket) -> None:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            found[other] = undo.enter_context(connection)

        if rank == 0:
            ports: dict[int, tuple[str, int]] = {}
            with _listening(where) as door:
                for other, port, connection in _callers(door, clock, found, size - 1):
                    keep(other, connection)
                    ports[other] = connection.getpeername()[0], port
            for connection in found.values():
                _say(connection, ports)
        else:
            clock.missing = [0]
            with _listening(("" if where[0] not in _HERE else where[0], 0)) as door:
                first = _call(where, clock)
                keep(0, first)
                _say(first, [rank, door.getsockname()[1]])
                try:
                    told = json.loads(_line(first, clock))
                except ConnectionError as exc:
                    raise RuntimeError("init: rank 0 has ended before all ranks had come.") from exc
                ports = {int(r): (host, port) for r, (host, port) in told.items()}
                for other in range(1, rank):
                    keep(other, _call(ports[other], clock))
                    _say(found[other], [rank, 0])
                for other, _, connection in _callers(door, clock, found, size - 1 - rank):
                    keep(other, connection)
        undo.pop_all()
    return found


_HERE = ("127.0.0.1", "localhost")


class _Clock:
    """How long this rank waits, and what it says then."""

    def __init__(self, timeout: float, rank: int, size: int, where: tuple[str, int]) -> None:
        self.timeout, self.rank, self.size, self.where = timeout, rank, size, where
        self.deadline = time.monotonic() + timeout
        self.missing = [r for r in range(size) if r != rank]

    def check(self) -> None:
        if time.monotonic() > self.deadline:
            raise RuntimeError(
                f"init: rank {self.rank} of {self.size} has waited {self.timeout:.0f} s at "
                f"{self.where[0]}:{self.where[1]} for the ranks {self.missing}. Start one process "
                "for each rank, as `python -m minispore --ranks N script.py` does; "
                "HCCL_CONNECT_TIMEOUT sets how long to wait."
            )


def _listening(where: tuple[str, int]) -> socket.socket:
    try:
        door = socket.create_server(where, backlog=128)
    except OSError as exc:
        raise RuntimeError(
            f"init: rank 0 can't listen at {where[0]}:{where[1]} ({exc}). "
            "Set MS_SCHED_HOST and MS_SCHED_PORT to a free address."
        ) from exc
    door.settimeout(_RETRY_SECONDS)
    return door


def _callers(
    door: socket.socket, clock: _Clock, found: dict[int, socket.socket], count: int
) -> Iterator[tuple[int, int, socket.socket]]:
    """The next ``count`` ranks that call, with the port that each names."""
    clock.missing = [r for r in range(clock.size) if r != clock.rank and r not in found]
    while count:
        clock.check()
        try:
            connection, _ = door.accept()
        except TimeoutError:
            continue
        with contextlib.ExitStack() as undo:
            undo.enter_context(connection)
            try:
                rank, port = json.loads(_line(connection, clock))
            except (ConnectionError, ValueError, TypeError):
                continue  # no rank: somebody who knocks at every port
            if rank not in clock.missing:
                raise RuntimeError(
                    f"init: rank {rank} of {clock.size} must come once, and not to rank "
                    f"{clock.rank}, which waits for the ranks {clock.missing}."
                )
            undo.pop_all()
        clock.missing.remove(rank)
        count -= 1
        yield rank, port, connection


def _call(where: tuple[str, int], clock: _Clock) -> socket.socket:
    """Connect, as soon as somebody listens there."""
    while True:
        clock.check()
        try:
            return socket.create_connection(where, timeout=1)
        except OSError:
            time.sleep(_RETRY_SECONDS)


def _say(connection: socket.socket, what: object) -> None:
    connection.settimeout(None)
    connection.sendall(json.dumps(what).encode() + b"\n")


def _line(connection: socket.socket, clock: _Clock) -> bytes:
    """One line, byte by byte: what follows it belongs to others."""
    connection.settimeout(_RETRY_SECONDS)
    line = b""
    while not line.endswith(b"\n"):
        clock.check()
        with contextlib.suppress(TimeoutError):
            byte = connection.recv(1)
            if not byte:
                raise ConnectionError
            line += byte
    return line
