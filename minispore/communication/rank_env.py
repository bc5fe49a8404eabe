"""The rank of this process and the number of ranks, from the launcher's environment variables and
sockets.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from typing import NoReturn

SOCKETS_VARIABLE = "MINISPORE_SOCKETS"  # inherited descriptors, one for each rank
MPI_HINT = "pip install 'minispore[mpi]', and start with `mpirun -n N python script.py`"
# Variables that identify an MPI process: those of Open MPI, MPICH, Slurm and other users of PMIx.
_MPI_VARIABLES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "PMIX_RANK")


def read_integer(name: str, default: int) -> int:
    """Return the integer in an environment variable, ``default`` if it is unset or empty; raise a
    RuntimeError for any other text.
    """
    text = os.environ.get(name) or str(default)
    try:
        return int(text)
    except ValueError:
        raise RuntimeError(f"init: {name} must be a whole number, got {text!r}.") from None


def is_started_by_mpi() -> bool:
    """Whether MPI started this process as one of several."""
    values = {name: read_integer(name, 1) for name in _MPI_VARIABLES if name in os.environ}
    return any(n > 1 for n in values.values()) or set(values) == {"PMIX_RANK"}


def read_rank() -> tuple[int, int]:
    """Return the rank of this process and the number of ranks, from its launcher's variables; (0,
    1) without them.

    Raises:
        RuntimeError: there are several ranks, and the variable with this rank's number is missing
            or out of range.
    """
    for rank_name, size_name in (("MS_NODE_ID", "MS_WORKER_NUM"), ("RANK_ID", "RANK_SIZE")):
        size = read_integer(size_name, 1)
        if size > 1:
            rank = read_integer(rank_name, -1)
            if not 0 <= rank < size:
                raise RuntimeError(
                    f"init: {rank_name} must be the rank of this process, from 0 to {size - 1}, "
                    f"where {size_name} is {size}; got {os.environ.get(rank_name)!r}."
                )
            return rank, size
    return 0, 1


def take_inherited_sockets(rank: int) -> dict[int, socket.socket] | None:
    """Return the sockets passed on by minispore's launcher, by the rank at the other end; None if
    there are none.

    Removes the environment variable, so that children of this process don't use the sockets.
    """
    text = os.environ.pop(SOCKETS_VARIABLE, None)
    if text is None:
        return None
    descriptors = map(int, text.split(","))
    return {r: socket.socket(fileno=n) for r, n in enumerate(descriptors) if r != rank}


def check_single_machine() -> None:
    """Raise a RuntimeError if the launcher's variables name several machines or a different one."""
    table = os.environ.get("RANK_TABLE_FILE")
    if table and Path(table).exists():
        servers = json.loads(Path(table).read_text(encoding="utf-8")).get("server_list", [])
        if len(servers) > 1:
            _raise_several_machines(f"RANK_TABLE_FILE {table} names {len(servers)} servers")
    host = os.environ.get("MS_SCHED_HOST") or "127.0.0.1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((host, 0))  # only an address of this machine can be bound
        except OSError:
            _raise_several_machines(f"MS_SCHED_HOST is {host}, another machine")


def _raise_several_machines(reason: str) -> NoReturn:
    """Raise a RuntimeError: ranks on several machines are not supported, for this reason."""
    raise RuntimeError(f"init: ranks on several machines need MPI, and {reason}. {MPI_HINT}.")


def exit_if_scheduler() -> None:
    """Exit in the scheduler process that msrun starts beside the workers."""
    if os.environ.get("MS_ROLE") == "MS_SCHED":
        sys.exit(0)
