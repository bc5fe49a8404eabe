"""The process of one side of ``benchmarks programs``: ``python program_side.py PACKAGE SECONDS``.

It runs each program of its input, a line of JSON, in a child and a folder of its own, and answers
with what that printed and how it ended; standard library only.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path


def serve(package: str, timeout: float) -> int:
    """Answer each line of the input, a program, by what it prints and how it ends."""
    if package == "minispore":
        importlib.import_module("minispore.__main__").install()
    importlib.import_module("mindspore")
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    top = Path.cwd()
    for line in sys.stdin:
        program = json.loads(line)
        folder = Path(tempfile.mkdtemp(prefix=program["id"] + "_", dir=top))
        child = os.fork()
        if not child:
            os.chdir(folder)
            try:
                run_program(program["source"])
            finally:
                os._exit(0)
        for _ in range(int(timeout * 50)):
            if os.waitpid(child, os.WNOHANG)[0]:
                break
            time.sleep(0.02)
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        printed = (folder / "printed.txt").read_text(encoding="utf-8", errors="replace")
        error = folder / "error.txt"
        answer = {"printed": printed, "error": error.read_text() if error.exists() else "crash"}
        answers.write(json.dumps(answer) + "\n")
    return 0


def run_program(source: str) -> None:
    """Run a program; what it prints and its error go into files of the current folder."""
    Path("program.py").write_text(source, encoding="utf-8")
    os.dup2(os.open("printed.txt", os.O_WRONLY | os.O_CREAT), 1)
    sys.stdout = open(1, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    spec = importlib.util.spec_from_file_location("program", "program.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules["program"] = importlib.util.module_from_spec(spec)
    error = ""
    try:
        spec.loader.exec_module(module)
    except Exception as exc:
        kind = next(c for c in type(exc).__mro__ if c.__module__ == "builtins")
        error = f"{kind.__name__}: {exc}"
    sys.stdout.flush()
    Path("error.txt").write_text(error, encoding="utf-8")


if __name__ == "__main__":
    sys.path.pop(0)  # not this folder: its modules would be imported in place of libraries
    sys.exit(serve(sys.argv[1], float(sys.argv[2])))
