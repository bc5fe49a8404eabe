"""Single ops, forward and gradient, beside PyTorch eager."""

from __future__ import annotations

import argparse
import contextlib
import math
import statistics
from pathlib import Path

from benchmarks.harness import BLAS, Side, describe_machine, interleave
from benchmarks.suite.single_ops import SHAPES

FILE = Path(__file__).parent / "suite" / "single_ops.py"


def main(argv: list[str]) -> None:
    """Time each op in turn with PyTorch, and print a line for it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks ops",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--torch-python", metavar="PATH", help="an interpreter with torch")
    parser.add_argument("--op", nargs="+", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--threads", type=int, default=1, help="for either side")
    parser.add_argument("--blas", default="native", choices=BLAS)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.05, help="aimed at for each round")
    args = parser.parse_args(argv)
    print(f"on {describe_machine(args.blas)}, {args.threads} threads, BLAS {args.blas}")
    print(f"{'processor time':18}{'minispore ms':>14}{'PyTorch ms':>12}{'ratio':>8}  of")
    ratios = []
    for name in args.op:
        with contextlib.ExitStack() as stack:
            sides = []
            peers = [("minispore_op", None), ("torch_op", args.torch_python)]
            for function, python in peers:
                if function == "minispore_op" or python:
                    side = Side(
                        function, FILE, function, python=python, threads=args.threads,
                        blas=args.blas, options={"name": name},
                    )  # fmt: skip
                    sides.append(stack.enter_context(side))
            ours, *torch = interleave(sides, rounds=args.rounds, seconds=args.seconds)
        line = f"{name:18}{ours.cpu_ms:14.3f}"
        if torch:
            ratios.append(torch[0].ratio_to(ours, "cpu"))
            line += f"{torch[0].cpu_ms:12.3f}{ratios[-1]:8.2f}"
        print(f"{line}  {' '.join(map(str, SHAPES[name]))}", flush=True)
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"geometric mean {mean:.2f}, worst {min(ratios):.2f}")
