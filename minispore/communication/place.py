"""Where this process stands among the ranks, and its sockets to the others on this machine.

`python -m minispore --ranks N` hands each rank its sockets. Ranks that something else has started
(msrun, a shell loop with RANK_ID and RANK_SIZE) meet in a folder of the user's own: each listens
at a Unix socket there and calls the ranks below it. Ranks on several machines need MPI.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import struct
import sys
import time
from hashlib import blake2b
from pathlib import Path
from typing import NoReturn

if sys.platform != "win32":
    import fcntl

HANDED = "MINISPORE_SOCKETS"  # descriptors, one for each rank, as the launcher hands them over
HOW_MPI = "pip install 'minispore[mpi]', and start with `mpirun -n N python script.py`"
# Variables by which an MPI process knows itself: of Open MPI, MPICH, Slurm and others of PMIx.
_MPI = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "PMIX_RANK")
_HELLO = struct.Struct("!Q")
_RETRY_SECONDS = 0.02


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


def sockets(rank: int, size: int, timeout: float) -> dict[int, socket.socket]:
    """A connection to each other rank of this machine.

    Raises:
        RuntimeError: the ranks are on several machines, or not all came within ``timeout`` seconds.
    """
    handed = os.environ.pop(HANDED, None)
    if handed is not None:
        numbers = map(int, handed.split(","))
        return {r: socket.socket(fileno=n) for r, n in enumerate(numbers) if r != rank}
    if not hasattr(socket, "AF_UNIX"):
        raise RuntimeError(f"init: several ranks on this system need MPI. {HOW_MPI}.")
    _refuse_other_machines()
    return _meet(rank, size, timeout)


def _refuse_other_machines() -> None:
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


def _meet(rank: int, size: int, timeout: float) -> dict[int, socket.socket]:
    """Each rank listens, calls those below it and is called by those above."""
    # What the ranks of one job have in common: the group of a shell's script, or msrun as parent.
    family = os.getpgrp() if os.getpgrp() != os.getpid() else os.getppid()
    job = f"{family} {size} {os.environ.get('MS_SCHED_PORT')} {os.environ.get('RANK_TABLE_FILE')}"
    place = _folder() / blake2b(job.encode(), digest_size=8).hexdigest()
    deadline, found = time.monotonic() + timeout, dict[int, socket.socket]()

    def missing() -> list[int]:
        return [r for r in range(size) if r != rank and r not in found]

    def check() -> None:
        if time.monotonic() > deadline:
            raise RuntimeError(
                f"init: rank {rank} of {size} has waited {timeout:.0f} s for the ranks "
                f"{missing()} on this machine. Start one process for each rank, as `python -m "
                "minispore --ranks N script.py` does; HCCL_CONNECT_TIMEOUT sets how long to wait. "
                f"For several machines: {HOW_MPI}."
            )

    with contextlib.ExitStack() as undo, contextlib.ExitStack() as door:
        lock = door.enter_context(open(f"{place}.{rank}.lock", "w"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RuntimeError(
                f"init: rank {rank} of {size} must come once, and another process waits as this "
                "rank. Give each of several jobs a MS_SCHED_PORT of its own."
            ) from None
        own = Path(f"{place}.{rank}")
        own.unlink(missing_ok=True)
        door.callback(own.unlink, missing_ok=True)
        listening = door.enter_context(socket.socket(socket.AF_UNIX))
        listening.bind(str(own))
        listening.listen(size)
        listening.settimeout(_RETRY_SECONDS)
        for other in range(rank):
            while other not in found:
                check()
                caller = undo.enter_context(socket.socket(socket.AF_UNIX))
                try:
                    caller.connect(f"{place}.{other}")
                    caller.sendall(_HELLO.pack(rank))
                    found[other] = caller
                except OSError:
                    time.sleep(_RETRY_SECONDS)
        while missing():
            check()
            with contextlib.suppress(TimeoutError):
                caller = undo.enter_context(listening.accept()[0])
                caller.settimeout(1.0)  # for a hello; who says none is no rank
                with contextlib.suppress(OSError, struct.error):
                    (other,) = _HELLO.unpack(caller.recv(_HELLO.size, socket.MSG_WAITALL))
                    if other in missing():
                        found[other] = caller
        undo.pop_all()
    return found


def _folder() -> Path:
    """A folder of this user's own."""
    folder = Path(os.environ.get("TMPDIR") or "/tmp") / f"minispore-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    about = folder.lstat()
    if about.st_uid != os.getuid() or stat.S_IMODE(about.st_mode) & 0o077:
        raise RuntimeError(f"init: {folder} must be this user's own, with mode 700. Remove it.")
    return folder


def leave_as_scheduler() -> None:
    """End the process that msrun starts beside the workers: nothing here needs one."""
    if os.environ.get("MS_ROLE") == "MS_SCHED":
        sys.exit(0)
