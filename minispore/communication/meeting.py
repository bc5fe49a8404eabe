"""How the ranks of one machine come to their sockets.

`python -m minispore --ranks N` hands each rank its own. Ranks that something else has started
(msrun, a shell loop with RANK_ID and RANK_SIZE) find each other in a folder that only this user may
enter. Each has a letter box there, a Unix socket named after the job and the rank, into which each
rank above it puts one end of a pair of sockets. A letter that is not of this job is thrown away.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import stat
import struct
import sys
import time
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from minispore.communication import place

if sys.platform != "win32":
    import fcntl

_LETTER = struct.Struct("!16sQ")  # the job, the rank that writes; and with it a socket
_FULL_SECONDS, _RETRY_SECONDS = 5.0, 0.02  # for a box that is full, and between two looks
_FAMILY: Any = getattr(socket, "AF_UNIX", None)


def sockets(rank: int, size: int, timeout: float) -> dict[int, socket.socket]:
    """A connection to each other rank of this machine.

    Raises:
        RuntimeError: the ranks are on several machines, not all came within ``timeout`` seconds,
            another process waits as this rank, or there is no folder that is this user's own.
    """
    handed = place.handed(rank)
    if handed is not None:
        return handed
    if _FAMILY is None:
        raise RuntimeError(f"init: several ranks on this system need MPI. {place.HOW_MPI}.")
    place.refuse_other_machines()
    # What the ranks of one job have in common: the group of a shell's script, or msrun as parent.
    family = os.getpgrp() if os.getpgrp() != os.getpid() else os.getppid()
    said = f"{family} {size} {os.environ.get('MS_SCHED_PORT')} {os.environ.get('RANK_TABLE_FILE')}"
    job = blake2b(said.encode(), digest_size=16).digest()
    boxes = [f"{_folder()}/{job.hex()[:16]}.{r}" for r in range(size)]
    deadline, found = time.monotonic() + timeout, dict[int, socket.socket]()
    with contextlib.ExitStack() as undo, _opened(boxes[rank]) as box:
        while missing := [r for r in range(size) if r != rank and r not in found]:
            if time.monotonic() > deadline:
                raise RuntimeError(
                    f"init: rank {rank} of {size} has waited {timeout:.0f} s for the ranks "
                    f"{missing} on this machine. Start one process for each rank, as `python -m "
                    "minispore --ranks N script.py` does; HCCL_CONNECT_TIMEOUT sets how long to "
                    f"wait. For several machines: {place.HOW_MPI}."
                )
            if missing[0] < rank:
                other, end = missing[0], _posted(boxes[missing[0]], _LETTER.pack(job, rank))
            else:
                other, end = _read(box, job)
            if end is not None and other in missing:
                found[other] = undo.enter_context(end)
            elif end is not None:
                end.close()
        undo.pop_all()
    return found


@contextlib.contextmanager
def _opened(name: str) -> Iterator[socket.socket]:
    """A box for letters; its file is there only as long."""
    with open(f"{name}.lock", "w") as lock, socket.socket(_FAMILY, socket.SOCK_DGRAM) as box:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RuntimeError(
                f"init: rank {Path(name).suffix[1:]} must come once, and another process waits as "
                "this rank. Give each of several jobs a MS_SCHED_PORT of its own."
            ) from None
        own = Path(name)
        if own.is_dir() and not own.is_symlink():
            shutil.rmtree(own)
        own.unlink(missing_ok=True)
        box.bind(name)
        try:
            box.settimeout(_RETRY_SECONDS)
            yield box
        finally:
            own.unlink(missing_ok=True)


def _posted(name: str, letter: bytes) -> socket.socket | None:
    """Put one end of a pair into a box; the other end, if the box was there."""
    mine, theirs = socket.socketpair()
    with theirs, socket.socket(_FAMILY, socket.SOCK_DGRAM) as post:
        try:
            post.settimeout(_FULL_SECONDS)
            post.connect(name)
            socket.send_fds(post, [letter], [theirs.fileno()])
        except OSError:
            mine.close()
            time.sleep(_RETRY_SECONDS)
            return None
    return mine


def _read(box: socket.socket, job: bytes) -> tuple[int, socket.socket | None]:
    """Who has written a letter of this job, and the socket with it; after a short wait."""
    with contextlib.ExitStack() as undo:
        try:
            letter, ends, _, _ = socket.recv_fds(box, _LETTER.size + 1, 1)
        except OSError:
            return -1, None
        for end in ends:
            undo.callback(os.close, end)
        if len(letter) != _LETTER.size or not ends or not stat.S_ISSOCK(os.fstat(ends[0]).st_mode):
            return -1, None
        said, rank = _LETTER.unpack(letter)
        if said != job:
            return -1, None
        undo.pop_all()
        return rank, socket.socket(fileno=ends[0])


def _folder() -> Path:
    """A folder of this user's own: in TMPDIR, or at home if its name is taken there."""
    name = f"minispore-{os.getuid()}"
    tried = [Path(os.environ.get("TMPDIR") or "/tmp") / name, Path.home() / f".{name}"]
    for folder in tried:
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            about = folder.lstat()
            own = stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid()
            if own and not stat.S_IMODE(about.st_mode) & 0o077:
                return folder
    shown = " or ".join(map(str, tried))
    raise RuntimeError(f"init: {shown} must be this user's own folder, with mode 700. Remove it.")
