"""Let strangers disturb a job of several ranks: it must end as it would without them.

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
    """A running job of several ranks.

    Attributes:
        folder: where it runs, and puts its files.
        pids: the processes of its ranks, once they are all there.
        mailbox: the path of rank 0's mailbox, before all ranks run.
    """

    folder: Path
    started: list[subprocess.Popen[str]] = field(default_factory=list)
    pids: list[int] = field(default_factory=list)
    resources: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    @property
    def rendezvous_folder(self) -> Path:
        """The folder in which the ranks of this user meet."""
        return self.folder / f"minispore-{os.getuid()}"

    @property
    def mailbox(self) -> Path:
        """The mailbox of rank 0; waits until rank 0 has opened it."""
        return _wait_until(
            "rank 0 opens its door", lambda: next(self.rendezvous_folder.glob("*.0"), None)
        )

    def find_processes(self) -> set[int]:
        """Return all processes of the job: those that were started, and their descendants."""
        parents = {}
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                parents[int(entry.parent.name)] = int(
                    entry.read_text().rpartition(")")[2].split()[1]
                )
        results = {p.pid for p in self.started}
        while children := {pid for pid, parent in parents.items() if parent in results} - results:
            results |= children
        return results


def _wait_until(what: str, poll: Callable[[], Any]) -> Any:
    """Poll until the result is true, and return it; fail after ``PATIENCE_S``."""
    deadline = time.monotonic() + PATIENCE_S
    while not (actual := poll()):
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.02)
    return actual


# -- at the mailbox --------------------------------------------------------------------------------


def _send_messages(
    make_message: Callable[[Job], bytes], count: int = 1, attached_file: str = ""
) -> Callable[[Job], None]:
    """Return a function that sends messages to rank 0, each with a file or a socket attached."""

    def write(job: Job) -> None:
        mailbox, payload = str(job.mailbox), make_message(job)
        ours, theirs = socket.socketpair()
        job.resources.enter_context(ours)
        with theirs, open(attached_file or os.devnull) as file:
            descriptors = [file.fileno() if attached_file else theirs.fileno()]
            for _ in range(count):
                with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                    sender.settimeout(5.0)
                    with contextlib.suppress(OSError):  # he may come too late
                        sender.connect(mailbox)
                        socket.send_fds(sender, [payload], descriptors if payload else [])

    return write


def _send_bytes(payload: bytes, count: int = 1, attached_file: str = "") -> Callable[[Job], None]:
    """Return a function that sends the same bytes to rank 0 ``count`` times."""
    return _send_messages(lambda job: payload, count, attached_file)


def _send_as_rank(rank: int, attached_file: str = "") -> Callable[[Job], None]:
    """Return a function that sends a message as ``rank``, with the public half of the job's
    identity.
    """
    return _send_messages(
        lambda job: _MESSAGE.pack(bytes.fromhex(job.mailbox.stem) + b"guessed!", rank),
        1,
        attached_file,
    )


def _connect_stream(job: Job) -> None:
    """Connect by a stream, which a mailbox has none of."""
    with socket.socket(socket.AF_UNIX) as caller, contextlib.suppress(OSError):
        caller.connect(str(job.mailbox))


def _hold_connection(job: Job) -> None:
    """Connect to the mailbox and send nothing."""
    sender = job.resources.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    with contextlib.suppress(OSError):
        sender.connect(str(job.mailbox))


def _leave_sockets(job: Job) -> None:
    """Bind sockets of the mailboxes' names, as a job that was killed leaves them."""
    for rank in range(RANKS):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as old:
            old.bind(f"{_find_mailbox_prefix(job)}.{rank}")


def _find_mailbox_prefix(job: Job) -> Path:
    """Return the path of the mailboxes without their rank, from a rank that is started alone."""
    single = _start_rank(job, 0)
    name = str(job.mailbox)[: -len(".0")]
    single.kill()
    single.communicate()
    job.started.remove(single)
    Path(f"{name}.0").unlink(missing_ok=True)
    return Path(name)


def _leave_folders(job: Job) -> None:
    """Make folders with the names of the mailboxes."""
    name = _find_mailbox_prefix(job)
    for rank in range(RANKS):
        Path(f"{name}.{rank}", "full").mkdir(parents=True)


def _occupy_rendezvous_folder(job: Job) -> None:
    """Write a file with the name of the folder where ranks meet."""
    job.rendezvous_folder.write_text("mine")


def _litter_rendezvous_folder(job: Job) -> None:
    """Write 200 files with names like those of mailboxes."""
    mailbox = job.mailbox
    for i in range(200):
        mailbox.with_name(f"{i:016x}.{i % 5}").write_bytes(b"\0" * i)


def _join_from_other_job(job: Job) -> None:
    """Start a rank of the same number from another job of the same size."""
    assert job.mailbox
    other = _start_rank(job, 1, MS_SCHED_PORT="1")
    job.started.remove(other)
    job.resources.callback(_kill_process, other)
    time.sleep(1.0)


def _kill_process(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


# -- between the ranks of the launcher -------------------------------------------------------------


def _find_listening_ports(job: Job) -> list[tuple[int, Any]]:
    """Return the network ports and abstract sockets at which a process of the job listens."""
    inodes, results = set(), []
    for pid in job.find_processes():
        for link in Path(f"/proc/{pid}/fd").glob("*"):
            with contextlib.suppress(OSError):
                inodes.update(re.findall(r"socket:\[(\d+)\]", os.readlink(link)))
    for table, kind in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        table_path = Path(f"/proc/net/{table}")
        for line in table_path.read_text().splitlines()[1:] if table_path.exists() else ():
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


def _send_to_ports(payload: bytes, callers: int = 1) -> Callable[[Job], None]:
    """Return a function that sends bytes to every listening port."""

    def call(job: Job) -> None:
        for kind, address in _find_listening_ports(job):
            for _ in range(callers):
                with contextlib.suppress(OSError):
                    caller = job.resources.enter_context(socket.socket(kind))
                    caller.settimeout(2.0)
                    caller.connect(address)
                    caller.sendall(payload)

    return call


def _open_descriptors(job: Job) -> None:
    """Open the descriptors of the ranks, of which sockets must refuse it."""
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


def _write_to_outputs(job: Job) -> None:
    """Write into the pipes that carry the ranks' output."""
    for pid in job.pids:
        for number in (1, 2):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/fd/{number}", "wb") as pipe:
                pipe.write(b"a stranger was here\n\xff\xfe\0\n")


def _write_to_inputs(job: Job) -> None:
    """Write into the pipes that the ranks read."""
    for pid in job.pids:
        with contextlib.suppress(OSError):
            fd = os.open(f"/proc/{pid}/fd/0", os.O_WRONLY | os.O_NONBLOCK)
            os.write(fd, b"exit()\n")
            os.close(fd)


def _impersonate_rank_1(job: Job) -> None:
    """Start a process with the environment that the launcher has given rank 1."""
    text = Path(f"/proc/{job.pids[1]}/environ").read_bytes().split(b"\0")
    env = dict(line.split(b"=", 1) for line in text if b"=" in line)
    other = subprocess.Popen(
        _make_command(job), env=env, cwd=job.resources.enter_context(tempfile.TemporaryDirectory()),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    job.resources.callback(_kill_process, other)
    time.sleep(3.0)


def _fill_shared_memory(job: Job) -> None:
    """Write files into shared memory with names like those of the job."""
    for i in range(50):
        path = Path("/dev/shm", f"sm_segment.stranger.{os.getpid()}.{i}")
        with contextlib.suppress(OSError):
            path.write_bytes(b"\xff" * 4096)
            job.resources.callback(path.unlink, missing_ok=True)


def _leave_files(job: Job) -> None:
    """Write a file into each folder of the job."""
    for folder in (job.folder, *job.folder.glob("*/"), *job.folder.glob("*/*/")):
        with contextlib.suppress(OSError):
            (folder / "stranger").write_bytes(b"\xff" * 1000)


def _send_harmless_signals(job: Job) -> None:
    """Send each process signals that end nothing, such as a window's new size."""
    for pid in job.find_processes():
        for number in (signal.SIGWINCH, signal.SIGCHLD, signal.SIGCONT, signal.SIGURG):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


_MESSAGE = struct.Struct("!16sQ")
HTTP = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
NOISE = bytes(i * i % 251 for i in range(1 << 16))

AT_MAILBOX: dict[str, Callable[[Job], None]] = {
    "says nothing and stays": _hold_connection,
    "knocks as if there were a line": _connect_stream,
    "leaves an empty letter": _send_bytes(b""),
    "says one byte": _send_bytes(b"x"),
    "asks for a web page": _send_bytes(HTTP),
    "says zeros": _send_bytes(bytes(24)),
    "says ones": _send_bytes(b"\xff" * 24),
    "says he is rank 1 of another job": _send_bytes(_MESSAGE.pack(b"another job's id", 1)),
    "says he is rank 1 of a job like this": _send_as_rank(1),
    "says he is rank 0 itself": _send_as_rank(0),
    "says 64 KB of noise": _send_bytes(NOISE),
    "says a word too many": _send_bytes(bytes(25)),
    "comes as a crowd of 200": _send_bytes(b"\0", 200),
    "hands over a file": _send_as_rank(1, __file__),
    "fills the lobby with files": _litter_rendezvous_folder,
    "comes from another job": _join_from_other_job,
}
BEFORE_MAILBOX: dict[str, Callable[[Job], None]] = {
    "left sockets of these names": _leave_sockets,
    "left folders of these names": _leave_folders,
    "took the name of the lobby": _occupy_rendezvous_folder,
}
AT_PORTS: dict[str, Callable[[Job], None]] = {
    "stands at every port": _send_to_ports(b""),
    "asks every port for a web page": _send_to_ports(HTTP),
    "says a megabyte of noise to every port": _send_to_ports(NOISE),
    "comes to every port as a crowd of 50": _send_to_ports(b"\0", 50),
}
BETWEEN_RANKS: dict[str, Callable[[Job], None]] = {
    "opens the sockets of ranks": _open_descriptors,
    "writes into what ranks say": _write_to_outputs,
    "writes into what ranks read": _write_to_inputs,
    "comes with all that rank 1 was told": _impersonate_rank_1,
    "leaves shared memory of like names": _fill_shared_memory,
    "leaves files beside those of the job": _leave_files,
    "sends signals that end nothing": _send_harmless_signals,
}


KINDS = len(AT_MAILBOX) + len(BEFORE_MAILBOX) + len(AT_PORTS) + len(BETWEEN_RANKS)

# -- jobs ------------------------------------------------------------------------------------------


def _make_command(job: Job, *options: str) -> list[str]:
    return [sys.executable, "-m", "minispore", *options, str(job.folder / "script.py")]


def _make_environment(job: Job, **variables: str) -> dict[str, str]:
    common = {"OPENBLAS_NUM_THREADS": "1", "TMPDIR": str(job.folder), "HOME": str(job.folder)}
    paths = os.pathsep.join([os.getcwd(), *filter(None, [os.environ.get("PYTHONPATH")])])
    return os.environ | common | {"PYTHONPATH": paths} | variables


def _start_rank(job: Job, rank: int, **variables: str) -> subprocess.Popen[str]:
    """Start a rank as a shell's loop does."""
    options = {
        "RANK_ID": str(rank),
        "RANK_SIZE": str(RANKS),
        "HCCL_CONNECT_TIMEOUT": "100",
        **variables,
    }
    process = subprocess.Popen(
        _make_command(job), env=_make_environment(job, **options), cwd=job.folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    job.started.append(process)
    return process


@contextlib.contextmanager
def _run_job() -> Iterator[Job]:
    """Yield a job in a folder of its own, and kill its processes at the end."""
    with tempfile.TemporaryDirectory(prefix="ms") as folder:
        job = Job(Path(folder))
        (job.folder / "script.py").write_text(SCRIPT)
        with job.resources:
            try:
                yield job
            finally:
                for process in job.started:
                    _kill_process(process)


def _finish_job(job: Job) -> tuple[set[int], list[str]]:
    """Let the ranks go on; return their exit statuses and the lines with their results."""
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


def run_shell_job(strangers: list[Callable[[Job], Any]], before: bool = False) -> Any:
    """Run a job of a shell's loop while strangers are at its mailbox; return its result."""
    with _run_job() as job:
        if before:
            for disturb in strangers:
                disturb(job)
        _start_rank(job, 0)
        if not before:
            for disturb in strangers:
                disturb(job)
        for rank in range(1, RANKS):
            _start_rank(job, rank)
        return _finish_job(job)


def run_launcher_job(transport: str, strangers: list[Callable[[Job], Any]]) -> Any:
    """Run a job of our launcher among strangers, by ``"sockets"`` or ``"mpi"``; return its
    result.
    """
    with _run_job() as job:
        process = subprocess.Popen(
            _make_command(job, "--ranks", str(RANKS)), cwd=job.folder, text=True, errors="replace",
            env=_make_environment(job, MINISPORE_TRANSPORT=transport),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        job.started.append(process)
        ready_files = [job.folder / f"here{rank}" for rank in range(RANKS)]
        are_ready = lambda: all(p.exists() and p.read_text() for p in ready_files) or process.poll()  # noqa: E731
        _wait_until("all ranks are there", are_ready)
        assert process.poll() is None, f"the job has failed by itself: {process.communicate()}"
        job.pids = [int(p.read_text()) for p in ready_files]
        for disturb in strangers:
            disturb(job)
        return _finish_job(job)


def list_transports() -> list[str]:
    """Return the transports by which the launcher can join ranks on this machine."""
    return ["sockets", *(["mpi"] if find_spec("mpi4py") else [])]


def attack() -> tuple[int, list[str]]:
    """Let each stranger disturb a job; return how many jobs ran, and which ended otherwise."""
    runs: list[tuple[str, Any, Callable[[], Any]]] = []
    single = run_shell_job([])
    for kind, before in ((AT_MAILBOX, False), (BEFORE_MAILBOX, True)):
        for name, disturb in kind.items():
            runs.append(
                (
                    name,
                    single,
                    lambda disturb=disturb, before=before: run_shell_job([disturb], before),
                )
            )
    for transport in list_transports():
        undisturbed = run_launcher_job(transport, [])
        # The ports of an MPI are its own: Open MPI's waits for whoever stands there.
        kinds = BETWEEN_RANKS if transport == "mpi" else AT_PORTS | BETWEEN_RANKS
        for name, disturb in kinds.items():
            runs.append(
                (
                    f"{name}, by {transport}",
                    undisturbed,
                    lambda transport=transport, disturb=disturb: run_launcher_job(
                        transport, [disturb]
                    ),
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
