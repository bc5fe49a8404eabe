"""Where this process stands among the ranks, by what its launcher has set and handed over."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from typing import NoReturn

HANDED = "MINISPORE_SOCKETS"  # descriptors, one for each rank, as the launcher hands them over
HOW_MPI = "pip install 'minispore[mpi]', and start with `mpirun -n N python script.py`"
# Variables by which an MPI process knows itself: of Open MPI, MPICH, Slurm and others of PMIx.
_MPI = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "PMIX_RANK")


def number(name: str, default: int) -> int:
    """The whole number that a variable holds."""
    text = os.environ.get(name) or str(default)
    try:
        return int(text)
    except ValueError:
        raise RuntimeError(f"init: {name} must be a whole number, got {text!r}.") from None


def by_mpi() -> bool:
    """Whether MPI has started this process, as one of several."""
    said = {name: number(name, 1) for name in _MPI if name in os.environ}
    return any(n > 1 for n in said.values()) or set(said) == {"PMIX_RANK"}


def by_variables() -> tuple[int, int]:
    """The rank of this process and the number of ranks, from what its launcher has set.

    Raises:
        RuntimeError: there are several ranks, and it is not said which one this is, or they are
            on several machines.
    """
    for rank_name, size_name in (("MS_NODE_ID", "MS_WORKER_NUM"), ("RANK_ID", "RANK_SIZE")):
        size = number(size_name, 1)
        if size > 1:
            rank = number(rank_name, -1)
            if not 0 <= rank < size:
                raise RuntimeError(
                    f"init: {rank_name} must be the rank of this process, from 0 to {size - 1}, "
                    f"where {size_name} is {size}; got {os.environ.get(rank_name)!r}."
                )
            return rank, size
    return 0, 1


def handed(rank: int) -> dict[int, socket.socket] | None:
    """The connections to other ranks that our launcher has handed over, if it has."""
    text = os.environ.pop(HANDED, None)
    if text is None:
        return None
    numbers = map(int, text.split(","))
    return {r: socket.socket(fileno=n) for r, n in enumerate(numbers) if r != rank}


def refuse_other_machines() -> None:
    """Raise if what the launcher has set names ranks on several machines."""
    table = os.environ.get("RANK_TABLE_FILE")
    if table and Path(table).exists():
        servers = json.loads(Path(table).read_text(encoding="utf-8")).get("server_list", [])
        if len(servers) > 1:
            _several(f"RANK_TABLE_FILE {table} names {len(servers)} servers")
    host = os.environ.get("MS_SCHED_HOST") or "127.0.0.1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((host, 0))  # only an address of this machine can be bound
        except OSError:
            _several(f"MS_SCHED_HOST is {host}, another machine")


def _several(why: str) -> NoReturn:
    raise RuntimeError(f"init: ranks on several machines need MPI, and {why}. {HOW_MPI}.")


def leave_as_scheduler() -> None:
    """End the process that msrun starts beside the workers: nothing here needs one."""
    if os.environ.get("MS_ROLE") == "MS_SCHED":
        sys.exit(0)
