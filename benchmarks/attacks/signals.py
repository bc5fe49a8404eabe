"""Signals that end a launcher: no rank, and no child of a rank, outlives it."""

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


def left_by(way: str, number: signal.Signals, limit_s: float = LIMIT_S) -> set[int]:
    """Send a signal to the launcher of two ranks, each with a child; those that are still there
    after ``limit_s``.

    Raises:
        AssertionError: the launcher ends as if all were well.
    """
    with tempfile.TemporaryDirectory() as at:
        script = Path(at) / "script.py"
        script.write_text(SCRIPT)
        started = subprocess.Popen(
            [sys.executable, "-m", "minispore", "--ranks", "2", str(script)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "MINISPORE_TRANSPORT": way},
            preexec_fn=_heed,
        )
        assert started.stdout is not None
        lines = [started.stdout.readline().split() for _ in range(2)]
        left = {int(pid) for line in lines for pid in line[-2:]}
        os.kill(started.pid, number)
        deadline = time.monotonic() + limit_s
        while left and time.monotonic() < deadline:
            started.poll()  # who is dead and not asked for is still there, for those that look
            left = {pid for pid in left if _runs(pid)}
            time.sleep(0.05)
        started.communicate(timeout=60)
        assert started.returncode != 0, f"{number.name}: the launcher ended with status 0"
        return left


def _heed() -> None:
    """Ignore no signal, whatever was said of this process (``nohup``, a job in the background)."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _runs(pid: int) -> bool:
    """Whether a process is there, and no zombie that nobody has asked for."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
