"""Processes that are started, shown and ended together, as the ranks of a program."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType, TracebackType
from typing import IO

_PATIENCE_SECONDS = 2.0  # for processes to end by themselves, once one has failed
_LOOK_SECONDS = 0.05  # how often to look whether one has
# What asks a program to end: Windows has no SIGHUP.
_STOPS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class _Stopped(BaseException):
    """A signal came."""


def _stopped(number: int, frame: FrameType | None) -> None:
    raise _Stopped(number)


class Children:
    """Processes that are started, shown and ended together; all are gone at the end of ``with``.

    Attributes:
        status: the first that is not 0, or 128 + the number of the signal that came.
    """

    def __init__(self) -> None:
        self.status = 0
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._readers: list[threading.Thread] = []

    def __enter__(self) -> Children:
        for number in _STOPS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as of nohup
                signal.signal(number, _stopped)
        return self

    def start(
        self,
        name: str,
        line: Sequence[str],
        variables: dict[str, str],
        shown: Callable[[str], str],
        numbers: Sequence[int] = (),
    ) -> None:
        """Start one.

        Args:
            name: what to call it.
            line: its command.
            variables: its environment.
            shown: makes of each line that it prints what is to be seen of it.
            numbers: descriptors that it gets.
        """
        process = subprocess.Popen(
            line, env=variables, pass_fds=numbers, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, process_group=0,  # its children end with it
        )  # fmt: skip
        self._processes[name] = process
        for stream, out in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
            reader = threading.Thread(target=_relay, args=(shown, stream, out), daemon=True)
            reader.start()
            self._readers.append(reader)

    def wait(self) -> int:
        """Wait until all have ended, or one has failed; the status."""
        while True:
            states = [process.poll() for process in self._processes.values()]
            if any(states) or None not in states:
                break
            time.sleep(_LOOK_SECONDS)
        for name, process in self._processes.items():
            if status := process.returncode:
                how = f"status {status}" if status > 0 else signal.Signals(-status).name
                print(f"minispore: {name} ended with {how}", file=sys.stderr)
                self._end(_PATIENCE_SECONDS)
                self.status = status if status > 0 else 128 - status
                break
        return self.status

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        for number in _STOPS:
            signal.signal(number, signal.SIG_IGN)  # the end has begun
        if isinstance(error, _Stopped):
            self.status = 128 + error.args[0]
            self._signal(error.args[0])
            self._end(_PATIENCE_SECONDS)
        self._end(0)
        for reader in self._readers:  # not for ever: a process left behind may hold its output
            reader.join(_PATIENCE_SECONDS)
        return isinstance(error, _Stopped)

    def _end(self, patience: float) -> None:
        """Wait for processes to end, then make them, and what they have started."""
        deadline = time.monotonic() + patience
        for process in self._processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
        if any(process.poll() != 0 for process in self._processes.values()):
            self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        for process in self._processes.values():
            process.wait()

    def _signal(self, number: int) -> None:
        for process in self._processes.values():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if sys.platform == "win32":  # no process groups, and one signal that ends
                    process.terminate()
                else:
                    os.killpg(process.pid, number)


def _relay(shown: Callable[[str], str], stream: IO[bytes], out: IO[str]) -> None:
    """Show the lines of a process; the last may not be a whole one."""
    with stream:
        for line in stream:
            text = shown(line.decode(errors="replace").removesuffix("\n"))
            with contextlib.suppress(BrokenPipeError):  # nobody reads any more
                out.write(f"{text}\n")
                out.flush()
