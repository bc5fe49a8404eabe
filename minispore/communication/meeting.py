"""How the ranks of one machine come to their sockets.

`python -m minispore --ranks N` hands each rank its own. Ranks that something else has started
(msrun, a shell loop with RANK_ID and RANK_SIZE) meet in a folder of the user's own: each listens at
a Unix socket there, calls the ranks below it and is called by those above. Who calls and does not
say which rank of this job it is, is left standing. Ranks on several machines need MPI.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import socket
import stat
import struct
import sys
import time
from collections.abc import Iterator
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path
from typing import Any, cast

from minispore.communication import place

if sys.platform != "win32":
    import fcntl

_HELLO = struct.Struct("!16sQ")  # the job, the rank
_PATIENCE_SECONDS = 5.0  # for a caller's hello; a rank says it at once
_RETRY_SECONDS = 0.02
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
    return _meet(rank, size, timeout)


def _meet(rank: int, size: int, timeout: float) -> dict[int, socket.socket]:
    # What the ranks of one job have in common: the group of a shell's script, or msrun as parent.
    family = os.getpgrp() if os.getpgrp() != os.getpid() else os.getppid()
    said = f"{family} {size} {os.environ.get('MS_SCHED_PORT')} {os.environ.get('RANK_TABLE_FILE')}"
    job = blake2b(said.encode(), digest_size=16).digest()
    door = _folder() / job.hex()[:16]
    deadline, found = time.monotonic() + timeout, dict[int, socket.socket]()

    def missing() -> list[int]:
        return [r for r in range(size) if r != rank and r not in found]

    def check() -> None:
        if time.monotonic() > deadline:
            raise RuntimeError(
                f"init: rank {rank} of {size} has waited {timeout:.0f} s for the ranks "
                f"{missing()} on this machine. Start one process for each rank, as `python -m "
                "minispore --ranks N script.py` does; HCCL_CONNECT_TIMEOUT sets how long to wait. "
                f"For several machines: {place.HOW_MPI}."
            )

    with contextlib.ExitStack() as undo, _listening(rank, size, f"{door}.{rank}") as listening:
        for other in range(rank):
            while other not in found:
                check()
                caller = socket.socket(_FAMILY)
                caller.settimeout(_PATIENCE_SECONDS)
                try:
                    caller.connect(f"{door}.{other}")
                    caller.sendall(_HELLO.pack(job, rank))
                    found[other] = undo.enter_context(caller)
                except OSError:
                    caller.close()
                    time.sleep(_RETRY_SECONDS)
        with contextlib.closing(_Callers(listening, job)) as callers:
            while missing():
                check()
                for other, caller in callers.heard():
                    if other in missing():
                        found[other] = undo.enter_context(caller)
                    else:
                        caller.close()
        undo.pop_all()
    for connection in found.values():
        connection.settimeout(None)  # the transport has waits of its own
    return found


@contextlib.contextmanager
def _listening(rank: int, size: int, name: str) -> Iterator[socket.socket]:
    """The socket at which this rank is called; its file is there only as long."""
    with open(f"{name}.lock", "w") as lock, contextlib.ExitStack() as door:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RuntimeError(
                f"init: rank {rank} of {size} must come once, and another process waits as this "
                "rank. Give each of several jobs a MS_SCHED_PORT of its own."
            ) from None
        own = Path(name)
        if own.is_dir() and not own.is_symlink():
            shutil.rmtree(own)
        own.unlink(missing_ok=True)
        door.callback(own.unlink, missing_ok=True)
        listening = door.enter_context(socket.socket(_FAMILY))
        listening.bind(name)
        listening.listen(max(size, 64))
        listening.setblocking(False)
        yield listening


class _Callers:
    """Who has called and not yet said who it is: many at once, none of them for long."""

    def __init__(self, listening: socket.socket, job: bytes) -> None:
        self._listening, self._job = listening, job
        self._said: dict[socket.socket, bytes] = {}
        self._until: dict[socket.socket, float] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(listening, selectors.EVENT_READ)

    def heard(self) -> list[tuple[int, socket.socket]]:
        """Ranks that have said so by now, after a short wait for somebody."""
        found = []
        for key, _ in self._selector.select(_RETRY_SECONDS):
            caller = cast(socket.socket, key.fileobj)
            if caller is self._listening:
                self._accept()
            elif (rank := self._hear(caller)) is not None:
                self._forget(caller)
                found.append((rank, caller))
        for caller, until in list(self._until.items()):
            if time.monotonic() > until:
                self._drop(caller)
        return found

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # there are no more, or too many
            while True:
                caller, _ = self._listening.accept()
                caller.setblocking(False)
                self._said[caller] = b""
                self._until[caller] = time.monotonic() + _PATIENCE_SECONDS
                self._selector.register(caller, selectors.EVENT_READ)

    def _hear(self, caller: socket.socket) -> int | None:
        """The rank of a caller, once it has said it; one that says something else is dropped."""
        try:
            came = caller.recv(_HELLO.size - len(self._said[caller]))
        except BlockingIOError:
            return None
        except OSError:
            came = b""
        self._said[caller] += came
        if came and len(self._said[caller]) < _HELLO.size:
            return None
        if came:
            job, rank = _HELLO.unpack(self._said[caller])
            if compare_digest(job, self._job):
                return int(rank)
        self._drop(caller)
        return None

    def _forget(self, caller: socket.socket) -> None:
        self._selector.unregister(caller)
        del self._said[caller], self._until[caller]

    def _drop(self, caller: socket.socket) -> None:
        self._forget(caller)
        caller.close()

    def close(self) -> None:
        """Send away those that have said nothing."""
        for caller in list(self._said):
            self._drop(caller)
        self._selector.close()


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
