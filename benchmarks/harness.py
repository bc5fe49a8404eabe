"""Time the same work on several sides, A B A B, each side in an interpreter of its own.

A *side* is a function of a file, run in a given interpreter as a process that lives as long as
the benchmark: it prepares once and then times rounds of steps on demand. All sides run through the
same server and the same clock, with the same number of threads, and take turns, so a slow minute
of the machine falls on all of them alike.

The function takes the benchmark's options and returns ``(step, about)``: what one step does, and a
line that says what ran.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import Any

SERVER = Path(__file__).with_name("side.py")
ROOT = SERVER.parents[1]
MODULES = os.pathsep.join([str(ROOT), str(ROOT / "examples")])  # what a side may import
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)

# What NumPy's OpenBLAS takes: the machine's own kernels, or those for AVX2. The kernels that other
# libraries bring are held to nothing.
BLAS: dict[str, dict[str, str]] = {"native": {}, "avx2": {"OPENBLAS_CORETYPE": "Haswell"}}

# Idle threads of a BLAS spin for a while after their last GEMM: the next side waits for that, and
# begins its turn with a few steps that fill the caches and don't count.
_SETTLE_SECONDS, _SETTLE_STEPS = 0.05, 3


class SideFailed(RuntimeError):
    """A side ended before it answered; its own error is on standard error."""


@dataclass(frozen=True)
class Round:
    """The wall-clock and processor time of one round of one side, in milliseconds per step."""

    ms_per_step: float
    cpu_ms_per_step: float


class Side:
    """A contestant: ``function`` of ``file``, run by ``python`` (or ours) with ``threads``
    threads.

    Use it in a ``with`` statement: the process ends with the block.
    """

    def __init__(
        self,
        name: str,
        file: Path,
        function: str,
        *,
        python: str | None = None,
        threads: int | None = None,
        blas: str | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.name, self.threads = name, threads or os.cpu_count() or 1
        environment = dict.fromkeys(THREAD_VARIABLES, str(self.threads)) | {"PYTHONPATH": MODULES}
        inherited = dict(os.environ)
        if blas is not None:
            inherited.pop("OPENBLAS_CORETYPE", None)
            environment |= BLAS[blas]
        self._process = subprocess.Popen(
            [python or sys.executable, str(SERVER), str(file), function, json.dumps(options or {})],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=inherited | environment,
        )
        self.about = ""

    def prepare(self) -> None:
        """Wait until the side has built what it times."""
        self.about = self._read_answer()["about"]

    def run(self, steps: int) -> Round:
        """Time ``steps`` steps and return the time of one."""
        assert self._process.stdin is not None
        print(json.dumps({"steps": steps}), file=self._process.stdin, flush=True)
        answer = self._read_answer()
        return Round(1e3 * answer["wall_s"] / steps, 1e3 * answer["cpu_s"] / steps)

    def _read_answer(self) -> dict[str, Any]:
        """Read a line of JSON from the process; raise SideFailed if it has ended."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SideFailed(f"{self.name}: the process ended with status {self._process.wait()}.")
        return json.loads(line)

    def __enter__(self) -> Side:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process: its input closes, which is its signal to leave."""
        assert self._process.stdin is not None and self._process.stdout is not None
        if kind is not None:
            self._process.kill()
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@dataclass
class Result:
    """All rounds of one side."""

    name: str
    threads: int
    about: str
    rounds: list[Round] = field(default_factory=list)

    @property
    def median_ms(self) -> float:
        """The median over the rounds of the wall-clock time of one step."""
        return statistics.median(r.ms_per_step for r in self.rounds)

    @property
    def spread_ms(self) -> tuple[float, float]:
        """The fastest and the slowest round."""
        times = [r.ms_per_step for r in self.rounds]
        return min(times), max(times)

    @property
    def cpu_ms(self) -> float:
        """The median processor time of one step, all threads together."""
        return statistics.median(r.cpu_ms_per_step for r in self.rounds)

    def ratio_to(self, other: Result, clock: str = "wall") -> float:
        """Return how many times as long as ``other`` a step takes, by the ``"wall"`` or
        ``"cpu"`` clock.
        """
        get_ms = attrgetter("ms_per_step" if clock == "wall" else "cpu_ms_per_step")
        pairs = zip(self.rounds, other.rounds, strict=True)
        return statistics.median(get_ms(mine) / get_ms(its) for mine, its in pairs)


def interleave(
    sides: Sequence[Side],
    *,
    rounds: int,
    steps: int | None = None,
    warm_up: int = 12,
    seconds: float = 0.5,
) -> list[Result]:
    """Time the sides in turn, ``steps`` steps in each of ``rounds`` rounds: A B, B A, A B, ...

    The order turns round each time, so no side always follows the same neighbour. Without ``steps``
    each side runs as many as fill ``seconds``. ``warm_up`` steps of every side come first and are
    not counted.
    """
    counts = []
    for side in sides:  # all of them first: to import and to compile disturbs the others
        side.prepare()
    for side in sides:
        side.run(warm_up)
        if steps is None:
            counts.append(max(3, int(1e3 * seconds / side.run(warm_up).ms_per_step)))
        else:
            counts.append(steps)
    results = [Result(side.name, side.threads, side.about) for side in sides]
    turns = list(zip(sides, results, counts, strict=True))
    for _ in range(rounds):
        for side, result, count in turns:
            time.sleep(_SETTLE_SECONDS)
            side.run(_SETTLE_STEPS)
            result.rounds.append(side.run(count))
        turns.reverse()
    return results


def format_table(results: Sequence[Result]) -> str:
    """Return the results as lines of text; the last column compares each side to the first."""
    width = max(len(r.name) for r in results)
    rows = [f"{'':{width}}  threads  ms/step  fastest..slowest  cpu ms/step  of the first"]
    for r in results:
        low, high = r.spread_ms
        rows.append(
            f"{r.name:{width}}  {r.threads:7d}  {r.median_ms:7.3f}  {low:7.3f}..{high:<7.3f}  "
            f"{r.cpu_ms:11.3f}  {r.ratio_to(results[0]):11.2f}x"
        )
    rows += [f"{r.name:{width}}  {r.about}" for r in results]
    return "\n".join(rows)


def describe_machine(blas: str | None = None) -> str:
    """Return the processor, cores and system, and the kernels that OpenBLAS is limited to
    unless ``blas`` names them.
    """
    system = f"{platform.system()} {platform.release()}"
    about = f"{_find_processor_name()}, {os.cpu_count()} cores, {system}"
    kernels = None if blas else os.environ.get("OPENBLAS_CORETYPE")
    return about + (f", OPENBLAS_CORETYPE={kernels}" if kernels else "")


def _find_processor_name() -> str:
    """Return the name of the processor, from /proc/cpuinfo where there is one."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        return platform.processor() or platform.machine()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
