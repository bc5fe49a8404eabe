"""Random whole programs, run by minispore and a real MindSpore, compared in all that they print.

A program trains a small network on a dataset of a few operations and writes files. What it draws
comes from NumPy, so both sides have the same data and weights. Each runs the programs in children
of one process. A program that differs is shortened by the statements without which it still does.
Where a number differs, minispore runs the program again with weights that are changed by 1e-5, or
1e-4 where it computes a tanh, which MindSpore's CPU rounds as coarsely: a training that amplifies
this change tells nothing about the difference, and one that diverges is compared until then.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.suite.program_parts import (
    generate_programs,
    make_nudged_weight_scale,
    write_source,
)

SIDE = Path(__file__).parent / "suite" / "program_side.py"


class Side:
    """A process that runs programs by one interpreter, each in a child and a folder of its own."""

    def __init__(self, python: str, package: str, folder: Path, timeout: float) -> None:
        self.folder = folder
        folder.mkdir()
        threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MINISPORE_PROGRESS": "0"}
        self.process = subprocess.Popen(
            [python, str(SIDE), package, str(timeout)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            cwd=folder, env={**os.environ, **threads, "GLOG_v": "4"},
        )  # fmt: skip

    def start(self, program: dict[str, Any]) -> None:
        """Begin to run a program."""
        assert self.process.stdin is not None
        source = {"id": program["id"], "source": write_source(program)}
        print(json.dumps(source), file=self.process.stdin, flush=True)

    def wait(self) -> dict[str, Any]:
        """Return what the program printed, and the type and message of its error."""
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def close(self) -> None:
        """End the process, which ends with its input."""
        self.process.communicate()


# -- the comparison --------------------------------------------------------------------------------

_NUMBER = re.compile(r"-?(?:\d+\.\d*(?:e[-+]?\d+)?|\d+(?:e[-+]?\d+)?|nan|inf)\b")
#: Texts of errors of one side with which programs are not compared: refusals of the real one, of
#: which docs/compat.md explains most, and of what it calls differently.
_INTENDED = re.compile(
    "Kernel select failed|in convert map|changes its parameters|not a tree|seq_abs|Loss.update|"
    "In JIT strict mode|branches on the value of a tensor|object is not callable|"
    "size of column_name_id_map must be equal"
)
#: Ops whose CPU kernels in MindSpore turn a NaN into a number (docs/compat.md).
_REPLACES_NAN = re.compile(r"clip_by_value|ReLU|relu|clamp|maximum|hardtanh")
_TANH = re.compile(r"rnn|RNN|GRU|LSTM|anh\b")
_DIVERGED = re.compile(r"\b\d{5,}\.|e\+")
_TIME = re.compile(r"^.*per step time.*$", re.MULTILINE)


def find_difference(
    ours: dict[str, Any], real: dict[str, Any], nudged: dict[str, Any] | None = None
) -> str:
    """Return a line that says how two runs differ; "" if they are alike.

    Errors are compared by their type, numbers to 1e-4, absolutely or of the larger one, or to
    twice what changed most in the line of ``nudged``, a run of ours with weights barely changed.
    """
    kinds = [side["error"].partition(":")[0] for side in (ours, real)]
    if any(_INTENDED.search(side["error"]) for side in (ours, real)):
        return ""
    if kinds[0] != kinds[1]:
        errors = [" ".join(side["error"].split())[:300] or "no error" for side in (ours, real)]
        return f"error: {errors[0]} <> {errors[1]}"
    sides = (ours, real, nudged or ours)
    lines = [_TIME.sub("(times)", side["printed"]).splitlines() for side in sides]
    for mine, its, changed in itertools.zip_longest(*lines, fillvalue="(no line)"):
        if _NUMBER.sub("#", mine) != _NUMBER.sub("#", its):
            return f"line: {mine[:120]} <> {its[:120]}"
        if _DIVERGED.search(mine):
            break
        numbers = [[float(n) for n in _NUMBER.findall(line)] for line in (mine, its, changed)]
        changes = (abs(a - c) for a, c in zip(numbers[0], numbers[2], strict=False))
        tolerance = max(1e-4, 2 * max(changes, default=0))
        for a, b in zip(*numbers[:2], strict=True):
            if repr(a) != repr(b) and not math.isclose(a, b, rel_tol=1e-4, abs_tol=tolerance):
                return f"number: {mine[:50]}... {a} <> {b}"
    return ""


def shorten(program: dict[str, Any], differs: Callable[[dict[str, Any]], str]) -> dict[str, Any]:
    """Return the program without the blocks and statements that its difference does not need."""
    kind = differs(program).partition(":")[0]
    for part, first in (("blocks", 0), ("layers", 1)):
        for index in range(len(program[part]) - 1, first - 1, -1):
            rest = [*program[part][:index], *program[part][index + 1 :]]
            shorter = {**program, part: rest}
            difference = differs(shorter)
            if difference.partition(":")[0] == kind and "NameError" not in difference:
                program = shorter
    return program


def main(argv: list[str]) -> int:
    """Print each program that differs with its difference, and how many do."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks programs", description=__doc__)
    parser.add_argument("python", help="an interpreter with MindSpore")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--timeout", type=float, default=60, help="seconds of one run (60)")
    parser.add_argument("--shorten", action="store_true", help="leave out what is not needed")
    args = parser.parse_args(argv)
    counts = collections.Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        pairs = ((sys.executable, "minispore"), (args.python, "mindspore"))
        ours, real = (Side(p, name, Path(folder, name), args.timeout) for p, name in pairs)

        def differs(program: dict[str, Any]) -> str:
            ours.start(program)
            real.start(program)
            runs = ours.wait(), real.wait()
            difference, source = find_difference(*runs), write_source(program)
            if re.search("(?i)nan", difference) and _REPLACES_NAN.search(source):
                return ""
            if not difference.startswith("number"):
                return difference
            scale = make_nudged_weight_scale(1e-4 if _TANH.search(source) else 1e-5)
            ours.start({**program, "weight_scale": scale})
            return find_difference(*runs, ours.wait())

        for program in generate_programs(args.seed, args.count):
            if not (difference := differs(program)):
                continue
            counts["refused" if difference.startswith("error: no error <>") else "differ"] += 1
            if args.shorten:
                program = shorten(program, differs)
                difference = differs(program)
            statements = [line for _, line in program["layers"]] + program["blocks"]
            print(f"{program['id']} {program['mode']} {difference}", flush=True)
            print(textwrap.indent("\n".join(statements), "    "), flush=True)
        for side in (ours, real):
            side.close()
    refused, differing = counts["refused"], counts["differ"]
    print(f"{args.count} programs: {differing} differ, MindSpore refuses {refused} more")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
