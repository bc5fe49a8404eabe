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
    """Time the sides of each network in turn; print their tables, the ratios to PyTorch and
    the roofline.
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
        actual[work] = _time_sides(work, args)
        print(format_table(actual[work]), flush=True)
    if args.torch_python:
        print("\n" + format_ratios(actual))
    print("\n" + _run_report("roofline", args, work=args.work))
    if args.steady:
        print("\n" + _run_report("steady", args))


def _run_report(function: str, args: argparse.Namespace, **options: object) -> str:
    """Return the report of ``function`` of roofline.py, with the threads and the BLAS of
    the sides.
    """
    with Side(
        function, SUITE / "roofline.py", function,
        threads=args.threads, blas=args.blas, options=options,
    ) as side:  # fmt: skip
        side.prepare()
        return side.about


def _time_sides(work: str, args: argparse.Namespace) -> list[Result]:
    """Time all sides of a network that the arguments name."""
    with contextlib.ExitStack() as stack:
        sides: list[Side] = []

        def add_side(  # type: ignore[no-untyped-def]
            name: str, file: str, function: str, python: str | None = None, **more: object
        ):
            options = {"work": work, **more}
            output = Side(
                name, SUITE / file, function, python=python, threads=args.threads, blas=args.blas,
                options=options,
            )  # fmt: skip
            sides.append(stack.enter_context(output))

        def add_peer(name: str, function: str, python: str | None) -> None:
            if work in WRITTEN[function]:
                add_side(name, "peers.py", function, python)

        add_side(GRAPH, "mindspore_nets.py", "make_minispore_step", mode="GRAPH")
        if args.torch_python:
            add_side(TORCH, "torch_nets.py", "make_torch_step", args.torch_python)
            if args.compile:
                python = args.torch_python
                add_side("torch.compile", "torch_nets.py", "make_torch_step", python, compile=True)
        add_peer("NumPy by hand", "make_handwritten_step", None)
        add_side(PYNATIVE, "mindspore_nets.py", "make_minispore_step", mode="PYNATIVE")
        if args.jax_python:
            add_peer("JAX jit", "make_jax_step", args.jax_python)
        if args.tinygrad_python:
            add_peer("tinygrad", "make_tinygrad_step", args.tinygrad_python)
        if args.mindspore_python:
            for mode in ("GRAPH", "PYNATIVE"):
                python = args.mindspore_python
                add_side(
                    f"MindSpore {mode}",
                    "mindspore_nets.py",
                    "make_mindspore_step",
                    python,
                    mode=mode,
                )
        return interleave(sides, rounds=args.rounds, seconds=args.seconds)


def format_ratios(actual: dict[str, list[Result]]) -> str:
    """Return a table of the speed relative to PyTorch, by processor time and wall clock,
    with mean and worst.
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
