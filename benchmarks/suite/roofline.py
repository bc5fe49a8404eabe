"""Measure what a machine could give: the roofline of each GRAPH program, and the pace of a
long run.

Sides of ``python -m benchmarks step``, in processes of their own: with the BLAS that is timed.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

Report = tuple[Callable[[], None], str]


def _do_nothing() -> None:
    """Do nothing: the step of a side that only reports."""


def roofline(work: list[str]) -> Report:
    """Report the bytes and flops of each GRAPH program against this machine's GEMM and memory."""
    import minispore as ms
    from benchmarks.suite.mindspore_nets import compile_step

    gemm, copy = _measure_gemm_gflops(), _measure_copy_gbs()
    rows = [
        f"roofline of the plan at {gemm:.0f} GFLOP/s (a GEMM of 512) and {copy:.1f} GB/s (a copy)",
        f"{'':18} {'MFLOP':>8} {'MB moved':>9} {'bound ms':>9} {'peak MB':>8} {'calls':>6} "
        f"{'compile ms':>10}",
    ]
    ms.set_context(mode=ms.GRAPH_MODE)
    for name in work:
        output, compile_s = compile_step(name)
        flops = sum(n.flops for n in output.nodes) / 1e6
        moved = sum(v.spec.nbytes for n in output.nodes for v in (*n.inputs, *n.outputs)) / 1e6
        bound = flops / gemm + moved / copy
        peak = output.peak_bytes / 1e6
        calls = len(output.nodes)
        rows.append(
            f"{name:18} {flops:8.1f} {moved:9.2f} {bound:9.3f} {peak:8.2f} {calls:6d} "
            f"{1e3 * compile_s:10.1f}"
        )
    return _do_nothing, "\n".join(rows)


def steady(steps: int = 10_000, window: int = 100, rounds: int = 9) -> Report:
    """Report a LeNet step after a long training beside one of a new training, and the
    memory on the way.

    They take turns, because the pace of a shared machine changes within ten seconds.
    """
    from benchmarks.suite.mindspore_nets import make_minispore_step

    def measure_step_ms(step: Callable[[], object]) -> float:
        start = time.perf_counter()
        for _ in range(window):
            step()
        return 1e3 * (time.perf_counter() - start) / window

    old, _ = make_minispore_step(work="lenet", mode="GRAPH")
    memory = []
    for _ in range(steps // window):
        measure_step_ms(old)
        memory.append(_measure_resident_mb())
    new, _ = make_minispore_step(work="lenet", mode="GRAPH")
    measure_step_ms(new)
    pairs = [(measure_step_ms(old), measure_step_ms(new)) for _ in range(rounds)]
    after, before = (statistics.median(side) for side in zip(*pairs))
    ratio = statistics.median(a / b for a, b in pairs)
    return _do_nothing, (
        f"steady: {after:.3f} ms a step after {steps} steps, {before:.3f} ms in a training that "
        f"has just begun, ratio {ratio:.3f}; resident {memory[0]:.1f} MB after {window} steps, "
        f"{memory[-1]:.1f} MB after {steps}"
    )


def _measure_resident_mb() -> float:
    """Return the memory of this process in RAM in MB; NaN without /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _measure_best_s(run: object, times: int = 20) -> float:
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        run()  # type: ignore[operator]
        best = min(best, time.perf_counter() - start)
    return best


def _measure_gemm_gflops(n: int = 512) -> float:
    a = np.ones((n, n), np.float32)
    out = np.empty_like(a)
    return 2 * n**3 / _measure_best_s(lambda: np.matmul(a, a, out=out)) / 1e9


def _measure_copy_gbs(mib: int = 32) -> float:
    a = np.zeros(mib << 18, np.float32)
    b = np.zeros_like(a)
    return 2 * a.nbytes / _measure_best_s(lambda: np.copyto(b, a)) / 1e9
