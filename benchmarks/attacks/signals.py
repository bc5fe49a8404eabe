"""End a launcher by a signal: no rank, and no child of a rank, may outlive it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
LIMIT_S = 5.0

SCRIPT = """
import os, subprocess, time
from mindspore.communication import init
init()
child = subprocess.Popen(["sleep", "100"])
os.write(1, f"ready {os.getpid()} {child.pid}\\n".encode())
time.sleep(100)
"""


def signal_launcher(transport: str, number: signal.Signals, limit_s: float = LIMIT_S) -> set[int]:
    """Send a signal to the launcher of two ranks, each with a child; return the processes that
    still run after ``limit_s``.

    Raises:
        AssertionError: the launcher ends as if all were well.
    """
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.py"
        script.write_text(SCRIPT)
        launcher = subprocess.Popen(
            [sys.executable, "-m", "minispore", "--ranks", "2", str(script)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "MINISPORE_TRANSPORT": transport},
            preexec_fn=_reset_signal_handlers,
        )
        assert launcher.stdout is not None
        lines = [launcher.stdout.readline().split() for _ in range(2)]
        survivors = {int(pid) for line in lines for pid in line[-2:]}
        os.kill(launcher.pid, number)
        deadline = time.monotonic() + limit_s
        while survivors and time.monotonic() < deadline:
            launcher.poll()  # who is dead and not asked for is still there, for those that look
            survivors = {pid for pid in survivors if _is_running(pid)}
            time.sleep(0.05)
        launcher.communicate(timeout=60)
        assert launcher.returncode != 0, f"{number.name}: the launcher ended with status 0"
        return survivors


def _reset_signal_handlers() -> None:
    """Restore the default of each signal, which ``nohup`` or a background job may ignore."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _is_running(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
