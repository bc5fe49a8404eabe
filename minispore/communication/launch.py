"""Start a program once for each rank, on this machine: ``python -m minispore --ranks 4 script.py``.

The ranks are processes that find each other on the loopback interface. What they print comes out
line by line, with the rank before it. When one fails the others are ended, and its status is that
of the whole.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO

_PATIENCE_SECONDS = 5.0  # for ranks to end by themselves, once one has failed
_LOOK_SECONDS = 0.05


def launch(ranks: int, arguments: Sequence[str]) -> int:
    """Run ``python -m minispore *arguments`` as ``ranks`` ranks; returns the exit status."""
    port = _free_port()
    started: list[subprocess.Popen[bytes]] = []
    readers: list[threading.Thread] = []
    try:
        for rank in range(ranks):
            process = subprocess.Popen(
                [sys.executable, "-m", "minispore", *arguments],
                env=os.environ | _environment(rank, ranks, port),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            started.append(process)
            for stream, out in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
                assert stream is not None
                reader = threading.Thread(target=_relay, args=(rank, stream, out), daemon=True)
                reader.start()
                readers.append(reader)
        return _wait(started)
    except KeyboardInterrupt:  # the ranks, of the same terminal, have it too
        _end(started)
        return 128 + signal.SIGINT
    finally:
        _end(started, patience=0)
        for reader in readers:  # not for ever: a process that a rank has left may hold its output
            reader.join(_PATIENCE_SECONDS)


def _environment(rank: int, ranks: int, port: int) -> Mapping[str, str]:
    """What msrun sets, and what scripts of one process per card read."""
    cores = os.cpu_count() or 1
    return {
        "MS_WORKER_NUM": str(ranks),
        "MS_NODE_ID": str(rank),
        "MS_ROLE": "MS_WORKER",
        "MS_SCHED_HOST": "127.0.0.1",
        "MS_SCHED_PORT": str(port),
        "RANK_SIZE": str(ranks),
        "RANK_ID": str(rank),
        "DEVICE_NUM": str(ranks),
        "DEVICE_ID": str(rank),
        "PYTHONUNBUFFERED": "1",
        "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", str(max(1, cores // ranks))),
    }


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return door.getsockname()[1]


def _relay(rank: int, stream: IO[bytes], out: IO[str]) -> None:
    with stream:
        for line in stream:
            text = line.decode(errors="replace").removesuffix("\n")
            out.write(f"[{rank}] {text}\n")  # the last line may not be a whole one
            out.flush()


def _wait(started: Sequence[subprocess.Popen[bytes]]) -> int:
    """The first status that is not 0, or 0 when all have ended."""
    while True:
        states = [process.poll() for process in started]
        failed = [(rank, s) for rank, s in enumerate(states) if s]
        if failed:
            _end(started)
            rank, status = failed[0]
            print(f"minispore: rank {rank} ended with status {status}", file=sys.stderr)
            return status if status > 0 else 128 - status
        if all(s == 0 for s in states):
            return 0
        time.sleep(_LOOK_SECONDS)


def _end(started: Sequence[subprocess.Popen[bytes]], patience: float = _PATIENCE_SECONDS) -> None:
    """Wait for processes to end, then make them."""
    deadline = time.monotonic() + patience
    for end in (None, subprocess.Popen.terminate, subprocess.Popen.kill):
        for process in started:
            if end is not None and process.poll() is None:
                end(process)
        for process in started:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
        deadline = time.monotonic() + _PATIENCE_SECONDS
