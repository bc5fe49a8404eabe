"""Strangers who reach for a job of several ranks: it ends as it would have without them.

A stranger is another process of this machine, and of the same user, who may do what the system
lets him but end the job's processes or read their memory. He comes while ranks wait: for each other
at the door (ranks that a shell's loop has started), or for a file between two all-reduces.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PATIENCE_S = 120.0  # far more than a job needs, on a busy machine too
RANKS = 2

SCRIPT = """
import os, sys, time
import numpy as np
import mindspore as ms
from mindspore import ops, Tensor
from mindspore.communication import init, get_rank

init()
total = ops.AllReduce()(Tensor(np.arange(5, dtype=np.float32) + get_rank()))
open(f"here{get_rank()}", "w").write(str(os.getpid()))
while not os.path.exists("go"):
    time.sleep(0.02)
for _ in range(20):
    total = ops.AllReduce()(total / 3 + get_rank())
print("rank", get_rank(), "has", *total.asnumpy().tolist(), flush=True)
"""


@dataclass
class Job:
    """A job that runs.

    Attributes:
        folder: where it runs, and puts its files.
        pids: the processes of its ranks, once they are all there.
        door: the letter box of rank 0, before they are.
    """

    folder: Path
    started: list[subprocess.Popen[str]] = field(default_factory=list)
    pids: list[int] = field(default_factory=list)
    held: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    @property
    def lobby(self) -> Path:
        return self.folder / f"minispore-{os.getuid()}"

    @property
    def door(self) -> Path:
        return _until("rank 0 opens its door", lambda: next(self.lobby.glob("*.0"), None))

    def family(self) -> set[int]:
        """All processes of the job: those that were started, and below them."""
        parents = {}
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                parents[int(entry.parent.name)] = int(
                    entry.read_text().rpartition(")")[2].split()[1]
                )
        results = {p.pid for p in self.started}
        while more := {pid for pid, parent in parents.items() if parent in results} - results:
            results |= more
        return results


def _until(what: str, look: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while not (actual := look()):
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.02)
    return actual


# -- at the door -----------------------------------------------------------------------------------


def _writes(
    letter: Callable[[Job], bytes], count: int = 1, hands: str = ""
) -> Callable[[Job], None]:
    """Puts letters into the box of rank 0, each with a file of this name, or with a socket."""

    def write(job: Job) -> None:
        door, words = str(job.door), letter(job)
        ours, theirs = socket.socketpair()
        job.held.enter_context(ours)
        with theirs, open(hands or os.devnull) as file:
            ends = [file.fileno() if hands else theirs.fileno()]
            for _ in range(count):
                with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as post:
                    post.settimeout(5.0)
                    with contextlib.suppress(OSError):  # he may come too late
                        post.connect(door)
                        socket.send_fds(post, [words], ends if words else [])

    return write


def _says(words: bytes, count: int = 1, hands: str = "") -> Callable[[Job], None]:
    return _writes(lambda job: words, count, hands)


def _in_the_name_of(rank: int, hands: str = "") -> Callable[[Job], None]:
    """With the first half of the job's own name, which is that of its door."""
    return _writes(
        lambda job: _LETTER.pack(bytes.fromhex(job.door.stem) + b"guessed!", rank), 1, hands
    )


def _calls(job: Job) -> None:
    """A connection, which a letter box has none of."""
    with socket.socket(socket.AF_UNIX) as caller, contextlib.suppress(OSError):
        caller.connect(str(job.door))


def _stays(job: Job) -> None:
    """Holds the box open for letters and writes none."""
    post = job.held.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    with contextlib.suppress(OSError):
        post.connect(str(job.door))


def _left_a_socket(job: Job) -> None:
    """A file of the door's name, of a job that was killed."""
    for rank in range(RANKS):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as old:
            old.bind(f"{_door_before(job)}.{rank}")


def _door_before(job: Job) -> Path:
    """Where rank 0 will open; a rank that is asked alone tells it."""
    single = _start(job, 0)
    name = str(job.door)[: -len(".0")]
    single.kill()
    single.communicate()
    job.started.remove(single)
    Path(f"{name}.0").unlink(missing_ok=True)
    return Path(name)


def _left_a_folder(job: Job) -> None:
    name = _door_before(job)
    for rank in range(RANKS):
        Path(f"{name}.{rank}", "full").mkdir(parents=True)


def _took_the_lobby(job: Job) -> None:
    """Somebody has made a file of the name of the folder where ranks meet."""
    job.lobby.write_text("mine")


def _litters(job: Job) -> None:
    door = job.door
    for i in range(200):
        door.with_name(f"{i:016x}.{i % 5}").write_bytes(b"\0" * i)


def _other_job(job: Job) -> None:
    """A rank of the same number, of another job of the same size."""
    assert job.door
    other = _start(job, 1, MS_SCHED_PORT="1")
    job.started.remove(other)
    job.held.callback(_ends, other)
    time.sleep(1.0)


def _ends(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


# -- between the ranks of the launcher -------------------------------------------------------------


def _ports(job: Job) -> list[tuple[int, Any]]:
    """The doors of the network, and the abstract ones, at which a process of the job listens."""
    inodes, results = set(), []
    for pid in job.family():
        for link in Path(f"/proc/{pid}/fd").glob("*"):
            with contextlib.suppress(OSError):
                inodes.update(re.findall(r"socket:\[(\d+)\]", os.readlink(link)))
    for table, kind in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        there = Path(f"/proc/net/{table}")
        for line in there.read_text().splitlines()[1:] if there.exists() else ():
            parts = line.split()
            if parts[3] == "0A" and parts[9] in inodes:
                local = "127.0.0.1" if kind == socket.AF_INET else "::1"
                results.append((kind, (local, int(parts[1].rpartition(":")[2], 16))))
    for line in Path("/proc/net/unix").read_text().splitlines()[1:]:
        parts = line.split()
        if len(parts) > 7 and parts[6] in inodes and parts[3] == "00010000":
            name = parts[7].replace("@", "\0", 1) if parts[7][0] == "@" else parts[7]
            results.append((socket.AF_UNIX, name))
    return results


def _at_ports(words: bytes, callers: int = 1) -> Callable[[Job], None]:
    def call(job: Job) -> None:
        for kind, address in _ports(job):
            for _ in range(callers):
                with contextlib.suppress(OSError):
                    caller = job.held.enter_context(socket.socket(kind))
                    caller.settimeout(2.0)
                    caller.connect(address)
                    caller.sendall(words)

    return call


def _descriptors(job: Job) -> None:
    """Open what the ranks hold: their sockets can't be, so nobody gets between two ranks."""
    for pid in job.pids:
        for link in Path(f"/proc/{pid}/fd").glob("*"):
            with contextlib.suppress(OSError):
                if not os.readlink(link).startswith("socket:"):
                    continue
                try:
                    os.close(os.open(link, os.O_RDWR))
                except OSError as error:
                    assert error.errno in (errno.ENXIO, errno.EACCES), error
                else:
                    raise AssertionError(f"{link} was opened")


def _output(job: Job) -> None:
    """Write into the pipes that carry what the ranks say."""
    for pid in job.pids:
        for number in (1, 2):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/fd/{number}", "wb") as pipe:
                pipe.write(b"a stranger was here\n\xff\xfe\0\n")


def _inputs(job: Job) -> None:
    for pid in job.pids:
        with contextlib.suppress(OSError):
            fd = os.open(f"/proc/{pid}/fd/0", os.O_WRONLY | os.O_NONBLOCK)
            os.write(fd, b"exit()\n")
            os.close(fd)


def _impostor(job: Job) -> None:
    """A process with all that the launcher has set for rank 1, which says that it is rank 1."""
    text = Path(f"/proc/{job.pids[1]}/environ").read_bytes().split(b"\0")
    env = dict(line.split(b"=", 1) for line in text if b"=" in line)
    other = subprocess.Popen(
        _line(job), env=env, cwd=job.held.enter_context(tempfile.TemporaryDirectory()),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    job.held.callback(_ends, other)
    time.sleep(3.0)


def _shared_memory(job: Job) -> None:
    """Files of the job in memory: no stranger makes them longer or takes their names."""
    for i in range(50):
        path = Path("/dev/shm", f"sm_segment.stranger.{os.getpid()}.{i}")
        with contextlib.suppress(OSError):
            path.write_bytes(b"\xff" * 4096)
            job.held.callback(path.unlink, missing_ok=True)


def _temporaries(job: Job) -> None:
    """Files beside those of the job, in each folder that it has made."""
    for folder in (job.folder, *job.folder.glob("*/"), *job.folder.glob("*/*/")):
        with contextlib.suppress(OSError):
            (folder / "stranger").write_bytes(b"\xff" * 1000)


def _harmless_signals(job: Job) -> None:
    """Those that end nothing: a window's size, a child's end, go on."""
    for pid in job.family():
        for number in (signal.SIGWINCH, signal.SIGCHLD, signal.SIGCONT, signal.SIGURG):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


_LETTER = struct.Struct("!16sQ")
HTTP = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
NOISE = bytes(i * i % 251 for i in range(1 << 16))

AT_THE_DOOR: dict[str, Callable[[Job], None]] = {
    "says nothing and stays": _stays,
    "knocks as if there were a line": _calls,
    "leaves an empty letter": _says(b""),
    "says one byte": _says(b"x"),
    "asks for a web page": _says(HTTP),
    "says zeros": _says(bytes(24)),
    "says ones": _says(b"\xff" * 24),
    "says he is rank 1 of another job": _says(_LETTER.pack(b"another job's id", 1)),
    "says he is rank 1 of a job like this": _in_the_name_of(1),
    "says he is rank 0 itself": _in_the_name_of(0),
    "says 64 KB of noise": _says(NOISE),
    "says a word too many": _says(bytes(25)),
    "comes as a crowd of 200": _says(b"\0", 200),
    "hands over a file": _in_the_name_of(1, __file__),
    "fills the lobby with files": _litters,
    "comes from another job": _other_job,
}
BEFORE_THE_DOOR: dict[str, Callable[[Job], None]] = {
    "left sockets of these names": _left_a_socket,
    "left folders of these names": _left_a_folder,
    "took the name of the lobby": _took_the_lobby,
}
AT_PORTS: dict[str, Callable[[Job], None]] = {
    "stands at every port": _at_ports(b""),
    "asks every port for a web page": _at_ports(HTTP),
    "says a megabyte of noise to every port": _at_ports(NOISE),
    "comes to every port as a crowd of 50": _at_ports(b"\0", 50),
}
BETWEEN_RANKS: dict[str, Callable[[Job], None]] = {
    "opens the sockets of ranks": _descriptors,
    "writes into what ranks say": _output,
    "writes into what ranks read": _inputs,
    "comes with all that rank 1 was told": _impostor,
    "leaves shared memory of like names": _shared_memory,
    "leaves files beside those of the job": _temporaries,
    "sends signals that end nothing": _harmless_signals,
}


KINDS = len(AT_THE_DOOR) + len(BEFORE_THE_DOOR) + len(AT_PORTS) + len(BETWEEN_RANKS)

# -- jobs ------------------------------------------------------------------------------------------


def _line(job: Job, *options: str) -> list[str]:
    return [sys.executable, "-m", "minispore", *options, str(job.folder / "script.py")]


def _environment(job: Job, **said: str) -> dict[str, str]:
    common = {"OPENBLAS_NUM_THREADS": "1", "TMPDIR": str(job.folder), "HOME": str(job.folder)}
    paths = os.pathsep.join([os.getcwd(), *filter(None, [os.environ.get("PYTHONPATH")])])
    return os.environ | common | {"PYTHONPATH": paths} | said


def _start(job: Job, rank: int, **more: str) -> subprocess.Popen[str]:
    """A rank as a shell's loop starts it."""
    options = {"RANK_ID": str(rank), "RANK_SIZE": str(RANKS), "HCCL_CONNECT_TIMEOUT": "100", **more}
    process = subprocess.Popen(
        _line(job), env=_environment(job, **options), cwd=job.folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    job.started.append(process)
    return process


@contextlib.contextmanager
def _job() -> Iterator[Job]:
    with tempfile.TemporaryDirectory(prefix="ms") as at:
        job = Job(Path(at))
        (job.folder / "script.py").write_text(SCRIPT)
        with job.held:
            try:
                yield job
            finally:
                for process in job.started:
                    _ends(process)


def _result(job: Job) -> tuple[set[int], list[str]]:
    """How all ended, and what the ranks have said of their numbers."""
    (job.folder / "go").touch()
    messages = []
    for process in job.started:
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise AssertionError("a rank has not ended") from None
        messages += re.findall(r"rank \d has .*", out)
        if process.returncode:
            print(err, file=sys.stderr)
    return {p.returncode for p in job.started}, sorted(messages)


def at_the_door(strangers: list[Callable[[Job], Any]], before: bool = False) -> Any:
    """What a job of a shell's loop comes to while strangers are at its door."""
    with _job() as job:
        if before:
            for come in strangers:
                come(job)
        _start(job, 0)
        if not before:
            for come in strangers:
                come(job)
        for rank in range(1, RANKS):
            _start(job, rank)
        return _result(job)


def between_ranks(way: str, strangers: list[Callable[[Job], Any]]) -> Any:
    """What a job of our launcher comes to, by ``"sockets"`` or ``"mpi"``."""
    with _job() as job:
        process = subprocess.Popen(
            _line(job, "--ranks", str(RANKS)), cwd=job.folder, text=True, errors="replace",
            env=_environment(job, MINISPORE_TRANSPORT=way),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        job.started.append(process)
        here = [job.folder / f"here{rank}" for rank in range(RANKS)]
        there = lambda: all(p.exists() and p.read_text() for p in here) or process.poll()  # noqa: E731
        _until("all ranks are there", there)
        assert process.poll() is None, f"the job has failed by itself: {process.communicate()}"
        job.pids = [int(p.read_text()) for p in here]
        for come in strangers:
            come(job)
        return _result(job)


def ways() -> list[str]:
    """How the launcher can join ranks here."""
    return ["sockets", *(["mpi"] if find_spec("mpi4py") else [])]


def attack() -> tuple[int, list[str]]:
    """Let all strangers come, one to a job; how many jobs there were, and which ended otherwise."""
    runs: list[tuple[str, Any, Callable[[], Any]]] = []
    single = at_the_door([])
    for kind, before in ((AT_THE_DOOR, False), (BEFORE_THE_DOOR, True)):
        for name, come in kind.items():
            runs.append(
                (name, single, lambda come=come, before=before: at_the_door([come], before))
            )
    for way in ways():
        undisturbed = between_ranks(way, [])
        # The ports of an MPI are its own: Open MPI's waits for whoever stands there.
        kinds = BETWEEN_RANKS if way == "mpi" else AT_PORTS | BETWEEN_RANKS
        for name, come in kinds.items():
            runs.append(
                (
                    f"{name}, by {way}",
                    undisturbed,
                    lambda way=way, come=come: between_ranks(way, [come]),
                )
            )
    wrong = []
    for name, expected, run in runs:
        try:
            got = run()
            if got != expected:
                wrong.append(f"who {name}: {got}, not {expected}")
        except AssertionError as error:
            wrong.append(f"who {name}: {error}")
    return len(runs), wrong
