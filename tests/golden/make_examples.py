"""Make examples.json: what the real MindSpore prints for the examples of the reference.

``python tests/golden/make_examples.py``, with MindSpore's Python. What it does not have, or can't
do on a CPU, is left out; an example that ends the process is left out, too.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import linecache
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "minispore" / "foundation" / "reference"
FILE = Path(__file__).with_name("examples.json")
LIMIT_SECONDS = 60  # for one example
ROOMS = """
    minispore minispore.ops minispore.nn minispore.mint minispore.mint.nn
    minispore.mint.nn.functional minispore.mint.special minispore.numpy
    minispore.scipy.linalg minispore.common.initializer minispore.experimental.optim
    minispore.experimental.optim.lr_scheduler minispore.dataset.vision
    minispore.dataset.transforms minispore.nn.probability.bijector
    minispore.nn.probability.distribution
"""


def outputs(text: str) -> dict[str, str]:
    """What each statement of a docstring's example prints, up to the first that fails."""
    examples = doctest.DocTestParser().get_examples(text)
    sources = [e.source.replace("minispore", "mindspore") for e in examples]
    path = Path("example.py").resolve()
    path.write_text("".join(sources), encoding="utf-8")  # MindSpore reads what it differentiates
    linecache.clearcache()
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    outputs_by_source, above = {}, 0
    for example, source in zip(examples, sources, strict=True):
        out = io.StringIO()
        signal.alarm(LIMIT_SECONDS)
        try:
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * above + source, str(path), "single"), names)
        except Exception:
            break
        finally:
            signal.alarm(0)
        above += source.count("\n")
        if example.want and out.getvalue().strip():
            outputs_by_source[example.source] = out.getvalue()
    return outputs_by_source


def some(room: str, first: int) -> None:
    """Print a line of JSON for each entry of a room from number ``first`` on."""

    def late(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)
    entries = (FOLDER / f"{room}.txt").read_text(encoding="utf-8").split("\n\f\n")
    lines = os.fdopen(os.dup(1), "w", buffering=1)
    for number in range(first, len(entries)):
        name, _, text = entries[number].partition("\n")
        lines.write(json.dumps([number, name, None]) + "\n")  # if this is the last word, it crashed
        lines.write(json.dumps([number, name, outputs(text)]) + "\n")
    lines.flush()
    os._exit(0)  # MindSpore's own end may hang


def main() -> None:
    """Ask a process for each room, and another one where it crashed."""
    options: dict[str, dict[str, dict[str, str]]] = {}
    for room in ROOMS.split():
        options[room], first = {}, 0
        while True:
            with tempfile.TemporaryDirectory() as folder:
                line = [sys.executable, str(Path(__file__).resolve()), room, str(first)]
                done = subprocess.run(line, stdout=subprocess.PIPE, text=True, cwd=folder)
            rows = [json.loads(row) for row in done.stdout.splitlines() if row.startswith("[")]
            options[room] |= {name: actual for _, name, actual in rows if actual}
            if not done.returncode or not rows:
                break
            first = rows[-1][0] + 1
            print(f"{room}: {rows[-1][1]} ends the process", flush=True)
        print(room, len(options[room]), flush=True)
    FILE.write_text(json.dumps(options, indent=0, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        some(sys.argv[1], int(sys.argv[2]))
    main()
