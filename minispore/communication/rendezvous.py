"""Rendezvous: how the ranks of one machine get sockets to each other.

`python -m minispore --ranks N` passes its sockets to each rank. Ranks started in other ways (msrun,
a shell loop with RANK_ID and RANK_SIZE) find each other in a folder that only this user may enter.
Each rank has a mailbox in it: a Unix socket named after the job and the rank, to which each higher
rank sends one end of a socket pair. Messages of other jobs are discarded.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import stat
import struct
import time
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from minispore.communication import rank_env

with contextlib.suppress(ImportError):  # Windows and WebAssembly, which have no Unix sockets
    import fcntl

_MESSAGE = struct.Struct("!16sQ")  # job id, sender's rank; a socket is attached
_SEND_SECONDS, _RETRY_SECONDS = 5.0, 0.02  # wait for a full mailbox, and between two attempts
_SOCKET_FAMILY: Any = getattr(socket, "AF_UNIX", None)


def connect_ranks(rank: int, size: int, timeout: float) -> dict[int, socket.socket]:
    """Wait for the other ranks of this machine and return a connection to each, by rank.

    Raises:
        RuntimeError: the ranks are on several machines, not all ranks started within ``timeout``
            seconds, another process claims the same rank, or there is no private folder for this
            user.
    """
    inherited = rank_env.take_inherited_sockets(rank)
    if inherited is not None:
        return inherited
    if _SOCKET_FAMILY is None:
        raise RuntimeError(f"init: several ranks on this system need MPI. {rank_env.MPI_HINT}.")
    rank_env.check_single_machine()
    # Shared by the ranks of one job: the process group of a shell script, or msrun as parent.
    parent_id = os.getpgrp() if os.getpgrp() != os.getpid() else os.getppid()
    description = (
        f"{parent_id} {size} {os.environ.get('MS_SCHED_PORT')} {os.environ.get('RANK_TABLE_FILE')}"
    )
    job_id = blake2b(description.encode(), digest_size=16).digest()
    mailboxes = [f"{_get_private_folder()}/{job_id.hex()[:16]}.{r}" for r in range(size)]
    deadline, connections = time.monotonic() + timeout, dict[int, socket.socket]()
    with contextlib.ExitStack() as cleanup, _open_mailbox(mailboxes[rank]) as mailbox:
        while missing := [r for r in range(size) if r != rank and r not in connections]:
            if time.monotonic() > deadline:
                raise RuntimeError(
                    f"init: rank {rank} of {size} has waited {timeout:.0f} s for the ranks "
                    f"{missing} on this machine. Start one process for each rank, as `python -m "
                    "minispore --ranks N script.py` does; HCCL_CONNECT_TIMEOUT sets how long to "
                    f"wait. For several machines: {rank_env.MPI_HINT}."
                )
            if missing[0] < rank:  # a rank calls the lower ranks, then listens for higher ones
                other = missing[0]
                connection = _send_message(mailboxes[other], _MESSAGE.pack(job_id, rank))
            else:
                other, connection = _receive_message(mailbox, job_id)
            if connection is not None and other in missing:
                connections[other] = cleanup.enter_context(connection)
            elif connection is not None:
                connection.close()
        cleanup.pop_all()
    return connections


@contextlib.contextmanager
def _open_mailbox(name: str) -> Iterator[socket.socket]:
    """Open this rank's mailbox; its file exists only inside the ``with`` block.

    Raises:
        RuntimeError: another process has already opened the mailbox of this rank.
    """
    with (
        open(f"{name}.lock", "w") as lock,
        socket.socket(_SOCKET_FAMILY, socket.SOCK_DGRAM) as mailbox,
    ):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RuntimeError(
                f"init: rank {Path(name).suffix[1:]} must come once, and another process claims "
                "the same rank. Give each of several jobs a MS_SCHED_PORT of its own."
            ) from None
        path = Path(name)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        mailbox.bind(name)
        try:
            mailbox.settimeout(_RETRY_SECONDS)
            yield mailbox
        finally:
            path.unlink(missing_ok=True)


def _send_message(name: str, message: bytes) -> socket.socket | None:
    """Send one end of a new socket pair to a mailbox; return the other end, connected.

    Returns None, after a short wait, if the mailbox is not open yet.
    """
    own_end, sent_end = socket.socketpair()
    with sent_end, socket.socket(_SOCKET_FAMILY, socket.SOCK_DGRAM) as sender:
        try:
            sender.settimeout(_SEND_SECONDS)
            sender.connect(name)
            socket.send_fds(sender, [message], [sent_end.fileno()])
        except OSError:
            own_end.close()
            time.sleep(_RETRY_SECONDS)
            return None
    return own_end


def _receive_message(mailbox: socket.socket, job: bytes) -> tuple[int, socket.socket | None]:
    """Receive a message in the mailbox; return its sender and socket.

    Returns (-1, None) if none arrives within a short time, or if it is not a complete message of
    this job.
    """
    with contextlib.ExitStack() as cleanup:
        try:
            message, descriptors, _, _ = socket.recv_fds(mailbox, _MESSAGE.size + 1, 1)
        except OSError:
            return -1, None
        for descriptor in descriptors:
            cleanup.callback(os.close, descriptor)
        if (
            len(message) != _MESSAGE.size
            or not descriptors
            or not stat.S_ISSOCK(os.fstat(descriptors[0]).st_mode)
        ):
            return -1, None
        message_job, rank = _MESSAGE.unpack(message)
        if message_job != job:
            return -1, None
        cleanup.pop_all()
        return rank, socket.socket(fileno=descriptors[0])


def _get_private_folder() -> Path:
    """Return a folder that only this user may enter: in TMPDIR, or at home if that name is taken.

    Raises:
        RuntimeError: both belong to other users or are accessible to them.
    """
    name = f"minispore-{os.getuid()}"
    candidates = [Path(os.environ.get("TMPDIR") or "/tmp") / name, Path.home() / f".{name}"]
    for folder in candidates:
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            status = folder.lstat()
            is_own_folder = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
            if is_own_folder and not stat.S_IMODE(status.st_mode) & 0o077:
                return folder
    names = " or ".join(map(str, candidates))
    raise RuntimeError(f"init: {names} must be this user's own folder, with mode 700. Remove it.")
