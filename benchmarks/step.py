"""Whole training steps of fifteen networks: GRAPH, PYNATIVE, NumPy by hand, and peers."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.harness import BLAS, Result, Side, interleave, machine, table
from benchmarks.suite.peers import WRITTEN
from benchmarks.suite.work import WORK

SUITE = Path(__file__).parent / "suite"
GRAPH, PYNATIVE, TORCH = "minispore GRAPH", "minispore PYNATIVE", "PyTorch eager"


def main(argv: list[str]) -> None:
    """Time the sides of each network in turn and print a table for each, then how much faster than
    PyTorch all of them are, and the roofline.
    """
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks step",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    for peer in ("torch", "jax", "tinygrad", "mindspore"):
        parser.add_argument(f"--{peer}-python", metavar="PATH", help=f"an interpreter with {peer}")
    parser.add_argument("--compile", action="store_true", help="time torch.compile as well")
    parser.add_argument("--work", nargs="+", default=list(WORK), choices=list(WORK))
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="for every side")
    parser.add_argument(
        "--blas", default="native", choices=BLAS, help="the kernels of NumPy's OpenBLAS"
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--steady", action="store_true", help="a LeNet step after 10,000 steps")
    parser.add_argument("--seconds", type=float, default=0.2, help="aimed at for each round")
    args = parser.parse_args(argv)
    print(f"on {machine()}, {args.threads} threads for every side, BLAS {args.blas}")
    print(f"median of {args.rounds} rounds, the sides taking turns")
    found = {}
    for work in args.work:
        print(f"\n{work}, input {WORK[work].shape}", flush=True)
        found[work] = _contest(work, args)
        print(table(found[work]), flush=True)
    if args.torch_python:
        print("\n" + compared(found))
    print("\n" + _roofline(args.work))
    if args.steady:
        print("\n" + _steady())


def _contest(work: str, args: argparse.Namespace) -> list[Result]:
    with contextlib.ExitStack() as stack:
        sides: list[Side] = []

        def side(name: str, file: str, function: str, python: str | None = None, **more: object):  # type: ignore[no-untyped-def]
            options = {"work": work, **more}
            made = Side(
                name, SUITE / file, function, python=python, threads=args.threads, blas=args.blas,
                options=options,
            )  # fmt: skip
            sides.append(stack.enter_context(made))

        def peer(name: str, function: str, python: str | None) -> None:
            if work in WRITTEN[function]:
                side(name, "peers.py", function, python)

        side(GRAPH, "mindspore_nets.py", "minispore_step", mode="GRAPH")
        if args.torch_python:
            side(TORCH, "torch_nets.py", "torch_step", args.torch_python)
            if args.compile:
                python = args.torch_python
                side("torch.compile", "torch_nets.py", "torch_step", python, compile=True)
        peer("NumPy by hand", "handwritten_step", None)
        side(PYNATIVE, "mindspore_nets.py", "minispore_step", mode="PYNATIVE")
        if args.jax_python:
            peer("JAX jit", "jax_step", args.jax_python)
        if args.tinygrad_python:
            peer("tinygrad", "tinygrad_step", args.tinygrad_python)
        if args.mindspore_python:
            for mode in ("GRAPH", "PYNATIVE"):
                python = args.mindspore_python
                side(f"MindSpore {mode}", "mindspore_nets.py", "mindspore_step", python, mode=mode)
        return interleave(sides, rounds=args.rounds, seconds=args.seconds)


def compared(found: dict[str, list[Result]]) -> str:
    """How many times as fast as PyTorch each network is, by processor time and by wall clock, the
    geometric mean and the worst of them.
    """
    modes = (GRAPH, PYNATIVE)
    header = "".join(f"{f'{m.split()[1]} {clock}':>15}" for m in modes for clock in ("cpu", "wall"))
    width = max(map(len, [*found, "geometric mean"]))
    rows = [f"PyTorch eager / minispore; above 1 minispore is faster\n{'':{width}}{header}"]
    ratios: list[list[float]] = []
    for work, results in found.items():
        by_name = {r.name: r for r in results}
        torch = by_name[TORCH]
        row = []
        for mode in modes:
            row += [1 / by_name[mode].ratio_to(torch, "cpu"), 1 / by_name[mode].ratio_to(torch)]
        ratios.append(row)
        rows.append(f"{work:{width}}" + "".join(f"{r:15.2f}" for r in row))
    columns = list(zip(*ratios, strict=True))
    mean = [math.exp(statistics.fmean(map(math.log, c))) for c in columns]
    rows.append(f"{'geometric mean':{width}}" + "".join(f"{r:15.2f}" for r in mean))
    rows.append(f"{'worst':{width}}" + "".join(f"{min(c):15.2f}" for c in columns))
    return "\n".join(rows)


def _roofline(work: list[str]) -> str:
    """Bytes and flops of each GRAPH program against what this machine's GEMM and memory give."""
    import minispore as ms
    from benchmarks.suite.mindspore_nets import program

    gemm, copy = _measured_gemm(), _measured_copy()
    rows = [
        f"roofline of the plan at {gemm:.0f} GFLOP/s (a GEMM of 512) and {copy:.1f} GB/s (a copy)",
        f"{'':18} {'MFLOP':>8} {'MB moved':>9} {'bound ms':>9} {'peak MB':>8} {'calls':>6} "
        f"{'compile ms':>10}",
    ]
    ms.set_context(mode=ms.GRAPH_MODE)
    for name in work:
        made, compile_s = program(name)
        flops = sum(n.flops for n in made.nodes) / 1e6
        moved = sum(v.spec.nbytes for n in made.nodes for v in (*n.inputs, *n.outputs)) / 1e6
        bound = flops / gemm + moved / copy
        peak = made.peak_bytes / 1e6
        calls = len(made.nodes)
        rows.append(
            f"{name:18} {flops:8.1f} {moved:9.2f} {bound:9.3f} {peak:8.2f} {calls:6d} "
            f"{1e3 * compile_s:10.1f}"
        )
    return "\n".join(rows)


def _steady(steps: int = 10_000, window: int = 100, rounds: int = 9) -> str:
    """A LeNet step after a long training beside one that has just begun, and memory on the way.

    They take turns, because the pace of a shared machine changes within ten seconds.
    """
    from benchmarks.suite.mindspore_nets import minispore_step

    def taken(step: Callable[[], object]) -> float:
        start = time.perf_counter()
        for _ in range(window):
            step()
        return 1e3 * (time.perf_counter() - start) / window

    old, _ = minispore_step(work="lenet", mode="GRAPH")
    memory = []
    for _ in range(steps // window):
        taken(old)
        memory.append(_resident_mb())
    new, _ = minispore_step(work="lenet", mode="GRAPH")
    taken(new)
    pairs = [(taken(old), taken(new)) for _ in range(rounds)]
    after, before = (statistics.median(side) for side in zip(*pairs))
    ratio = statistics.median(a / b for a, b in pairs)
    return (
        f"steady: {after:.3f} ms a step after {steps} steps, {before:.3f} ms in a training that "
        f"has just begun, ratio {ratio:.3f}; resident {memory[0]:.1f} MB after {window} steps, "
        f"{memory[-1]:.1f} MB after {steps}"
    )


def _resident_mb() -> float:
    """Memory of this process that is in RAM; NaN where /proc is not there."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _best(f: object, times: int = 20) -> float:
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        f()  # type: ignore[operator]
        best = min(best, time.perf_counter() - start)
    return best


def _measured_gemm(n: int = 512) -> float:
    a = np.ones((n, n), np.float32)
    out = np.empty_like(a)
    return 2 * n**3 / _best(lambda: np.matmul(a, a, out=out)) / 1e9


def _measured_copy(mib: int = 32) -> float:
    a = np.zeros(mib << 18, np.float32)
    b = np.zeros_like(a)
    return 2 * a.nbytes / _best(lambda: np.copyto(b, a)) / 1e9
