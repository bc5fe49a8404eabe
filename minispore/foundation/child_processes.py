"""Child processes that start and end together, with their output relayed line by line."""

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

_PATIENCE_SECONDS = 2.0  # time for the other processes to end by themselves, once one has failed
_POLL_SECONDS = 0.05  # interval at which the states of the processes are read
# Signals that ask a program to end; Windows has no SIGHUP.
_STOP_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class _SignalReceived(BaseException):
    """Raised in the main thread when a stop signal arrives; the argument is its number."""


def _raise_on_signal(signal_number: int, frame: FrameType | None) -> None:
    """Signal handler that raises :class:`_SignalReceived`."""
    raise _SignalReceived(signal_number)


class ChildProcesses:
    """Child processes that are all ended when the ``with`` block ends.

    Attributes:
        status: the first nonzero exit status, or 128 + the number of the received signal.
    """

    def __init__(self) -> None:
        self.status = 0
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._readers: list[threading.Thread] = []

    def __enter__(self) -> ChildProcesses:
        """Let stop signals raise an exception in the block, except ignored ones."""
        for number in _STOP_SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP
                signal.signal(number, _raise_on_signal)
        return self

    def start(
        self,
        name: str,
        command: Sequence[str],
        variables: dict[str, str],
        format_line: Callable[[str], str],
        descriptors: Sequence[int] = (),
    ) -> None:
        """Start a process in its own process group, without input, and relay its output.

        Args:
            name: its name in messages.
            command: program and arguments.
            variables: the environment.
            format_line: returns the text to print for a line of output.
            descriptors: file descriptors that the process inherits.
        """
        process = subprocess.Popen(
            command, env=variables, pass_fds=descriptors,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, process_group=0,  # so that its own children end with it
        )  # fmt: skip
        self._processes[name] = process
        for stream, out in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
            reader = threading.Thread(
                target=_relay_lines, args=(format_line, stream, out), daemon=True
            )
            reader.start()
            self._readers.append(reader)

    def wait(self) -> int:
        """Wait until all processes have ended; if one fails, report it and end the others; return
        the status.
        """
        while True:
            states = [process.poll() for process in self._processes.values()]
            if any(states) or None not in states:
                break
            time.sleep(_POLL_SECONDS)
        for name, process in self._processes.items():
            if status := process.returncode:
                how = f"status {status}" if status > 0 else signal.Signals(-status).name
                print(f"minispore: {name} ended with {how}", file=sys.stderr)
                self._end_processes(_PATIENCE_SECONDS)
                self.status = status if status > 0 else 128 - status
                break
        return self.status

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """End all processes, and wait for the rest of their output; stop signals are ignored from
        then on.

        A signal that ended the block is forwarded to them, and its exception is suppressed.
        """
        for number in _STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)  # a second signal must not interrupt this
        if isinstance(error, _SignalReceived):
            self.status = 128 + error.args[0]
            self._send_signal(error.args[0])
            self._end_processes(_PATIENCE_SECONDS)
        self._end_processes(0)
        for reader in self._readers:  # limited, since a surviving process may keep the pipe open
            reader.join(_PATIENCE_SECONDS)
        return isinstance(error, _SignalReceived)

    def _end_processes(self, patience: float) -> None:
        """Wait up to ``patience`` seconds for the processes to end, then kill the remaining ones
        and their children; return when all have ended.
        """
        deadline = time.monotonic() + patience
        for process in self._processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
        if any(process.poll() != 0 for process in self._processes.values()):
            self._send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        for process in self._processes.values():
            process.wait()

    def _send_signal(self, signal_number: int) -> None:
        """Send a signal to all processes and their children."""
        for process in self._processes.values():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if sys.platform == "win32":  # no process groups, and only one way to end a process
                    process.terminate()
                else:
                    os.killpg(process.pid, signal_number)


def _relay_lines(format_line: Callable[[str], str], stream: IO[bytes], out: IO[str]) -> None:
    """Write the formatted lines of a process's output stream to ``out`` until it ends; close the
    stream.
    """
    with stream:
        for line in stream:
            text = format_line(line.decode(errors="replace").removesuffix("\n"))
            with contextlib.suppress(BrokenPipeError):  # this process's output is closed
                out.write(f"{text}\n")
                out.flush()
