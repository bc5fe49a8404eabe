"""A whole LeNet-5 training step, GRAPH and PYNATIVE, with PyTorch's eager step beside it."""

from __future__ import annotations

import argparse
import contextlib
import os
from pathlib import Path

from benchmarks.harness import Side, describe_machine, format_table, interleave

STEP = Path(__file__).with_name("lenet_step.py")


def main(argv: list[str]) -> None:
    """Time the sides in turn and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks lenet",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--torch-python", metavar="PATH", help="an interpreter that has PyTorch")
    parser.add_argument("--device", default="CPU", choices=("CPU", "GPU", "Ascend"))
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="for every side")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=300, help="in each round")
    args = parser.parse_args(argv)

    with contextlib.ExitStack() as stack:

        def add_side(
            name: str, function: str, python: str | None = None, **options: object
        ) -> Side:
            options |= {"batch_size": args.batch_size}
            return stack.enter_context(
                Side(name, STEP, function, python=python, threads=args.threads, options=options)
            )

        sides = [
            add_side("minispore GRAPH", "make_minispore_step", mode="GRAPH", device=args.device),
            add_side(
                "minispore PYNATIVE", "make_minispore_step", mode="PYNATIVE", device=args.device
            ),
        ]
        if args.torch_python:
            sides.insert(1, add_side("PyTorch eager", "make_torch_step", args.torch_python))
        warm_up = max(1, args.steps // 3)
        results = interleave(sides, rounds=args.rounds, steps=args.steps, warm_up=warm_up)
    print(f"LeNet-5 training step, batch {args.batch_size}, on {describe_machine()}")
    print(f"median of {args.rounds} rounds of {args.steps} steps, the sides taking turns\n")
    print(format_table(results))
