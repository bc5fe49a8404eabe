"""Run the program of the page's editor; ``worker.js`` imports this file in the browser."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

import minispore as ms
from minispore import context


def run_program(text: str) -> str | None:
    """Run a program in an empty folder, and print the traceback of an exception that it raises.

    Returns:
        The report page that the program's profiler wrote, or None.
    """
    previous_folder, settings = os.getcwd(), context.current()
    names: dict[str, Any] = {"__name__": "__main__", "__file__": "program.py"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("program.py").write_text(text, encoding="utf-8")  # for the lines of a traceback
            _execute(text, names)
            reports = sorted(Path().rglob("report.html"))
            return reports[-1].read_text(encoding="utf-8") if reports else None
        finally:
            os.chdir(previous_folder)
            context.restore(settings)
            for value in names.values():
                if isinstance(value, ms.Profiler) and value.running:  # the program did not finish
                    value.stop()


def _execute(text: str, names: dict[str, Any]) -> None:
    """Execute a program among ``names``, and print what it raises."""
    try:
        exec(compile(text, "program.py", "exec"), names)
    except SystemExit as error:
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
    except BaseException as error:  # KeyboardInterrupt, too: the button Stop
        frames = error.__traceback__ and error.__traceback__.tb_next  # without this function
        traceback.print_exception(type(error), error, frames)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
