"""Whole training steps of fifteen networks: GRAPH, PYNATIVE, NumPy by hand, and peers."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import statistics
from pathlib import Path

from benchmarks.harness import BLAS, Result, Side, describe_machine, format_table, interleave
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
    print(
        f"on {describe_machine(args.blas)}, {args.threads} threads for every side, BLAS {args.blas}"
    )
    print(f"median of {args.rounds} rounds, the sides taking turns")
    actual = {}
    for work in args.work:
        print(f"\n{work}, input {WORK[work].shape}", flush=True)
        actual[work] = _contest(work, args)
        print(format_table(actual[work]), flush=True)
    if args.torch_python:
        print("\n" + compared(actual))
    print("\n" + _told("roofline", args, work=args.work))
    if args.steady:
        print("\n" + _told("steady", args))


def _told(function: str, args: argparse.Namespace, **options: object) -> str:
    """What ``function`` of the suite finds, with the threads and the BLAS of the sides."""
    with Side(
        function, SUITE / "roofline.py", function,
        threads=args.threads, blas=args.blas, options=options,
    ) as side:  # fmt: skip
        side.prepare()
        return side.about


def _contest(work: str, args: argparse.Namespace) -> list[Result]:
    with contextlib.ExitStack() as stack:
        sides: list[Side] = []

        def side(name: str, file: str, function: str, python: str | None = None, **more: object):  # type: ignore[no-untyped-def]
            options = {"work": work, **more}
            output = Side(
                name, SUITE / file, function, python=python, threads=args.threads, blas=args.blas,
                options=options,
            )  # fmt: skip
            sides.append(stack.enter_context(output))

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


def compared(actual: dict[str, list[Result]]) -> str:
    """How many times as fast as PyTorch each network is, by processor time and by wall clock, the
    geometric mean and the worst of them.
    """
    modes = (GRAPH, PYNATIVE)
    header = "".join(f"{f'{m.split()[1]} {clock}':>15}" for m in modes for clock in ("cpu", "wall"))
    width = max(map(len, [*actual, "geometric mean"]))
    rows = [f"PyTorch eager / minispore; above 1 minispore is faster\n{'':{width}}{header}"]
    ratios: list[list[float]] = []
    for work, results in actual.items():
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
