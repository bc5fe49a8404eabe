"""Thirteen programs learn beside PyTorch, in float64 and float32: how far apart the losses are."""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness import Side, machine
from benchmarks.suite.curves_work import PROGRAMS

SUITE = Path(__file__).parent / "suite"
BOUND = 1e-9  # of the distance in float64 over the first hundred steps
FIRST = 100


class Curves(NamedTuple):
    """The losses of one program: ours and PyTorch's, in both dtypes."""

    ours64: Sequence[float]
    torch64: Sequence[float]
    ours32: Sequence[float]
    torch32: Sequence[float]

    @property
    def distance64(self) -> float:
        """The largest relative distance from PyTorch over the first hundred steps."""
        return max(distances(self.ours64, self.torch64)[:FIRST])

    @property
    def distance32(self) -> tuple[float, float]:
        """How far float32 is from PyTorch's float64, ours and PyTorch's own: root mean squares of
        relative distances over the first hundred steps.
        """
        mine, its = (
            statistics.fmean(d * d for d in distances(losses, self.torch64)[:FIRST]) ** 0.5
            for losses in (self.ours32, self.torch32)
        )
        return mine, its

    @property
    def holds(self) -> bool:
        """Whether both figures are what they must be."""
        mine, its = self.distance32
        return self.distance64 <= BOUND and mine <= its


def distances(losses: Sequence[float], truth: Sequence[float]) -> list[float]:
    """The relative distance at each step."""
    return [abs(a - b) / abs(b) for a, b in zip(losses, truth, strict=True)]


def main(argv: list[str]) -> int:
    """Train each program four times from the same weights on the same batches; print the losses at
    steps 1, 10, 100 and the last one, and the distances.
    """
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks curves",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--torch-python", required=True, help="an interpreter with torch")
    parser.add_argument("--program", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS))
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--mode", default="GRAPH", choices=("GRAPH", "PYNATIVE"))
    parser.add_argument(
        "--winograd", type=int, default=4, choices=(0, 2, 4), help="minispore's conv_winograd"
    )
    parser.add_argument("--threads", type=int, default=1, help="for every side")
    args = parser.parse_args(argv)
    if args.steps < FIRST:
        parser.error(f"--steps must be at least {FIRST}, got {args.steps}")
    about = f"{args.steps} steps, {args.mode}, conv_winograd {args.winograd}"
    print(f"on {machine()}; {about}\n\n{HEADER}", flush=True)
    missed = []
    for name in args.program:
        curves = trained(name, args)
        print("\n".join(rows(PROGRAMS[name].title, curves)), flush=True)
        if not curves.holds:
            missed.append(PROGRAMS[name].title)
    print("\nevery program holds" if not missed else f"\nmissed by {', '.join(missed)}")
    return bool(missed)


def trained(name: str, args: argparse.Namespace) -> Curves:
    """Train one program on all four sides; PyTorch's float64, the first, draws the weights."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        weights = str(Path(folder) / "weights.npz")

        def side(ours: bool, dtype: str) -> Side:
            options = {
                "program": name, "dtype": dtype, "steps": args.steps, "weights": weights,
                "threads": args.threads,
            }  # fmt: skip
            file, function = "torch_curves.py", "torch_losses"
            if ours:
                file, function = "mindspore_curves.py", "minispore_losses"
                options |= {"mode": args.mode, "winograd": args.winograd}
            python = None if ours else args.torch_python
            title = f"{'minispore' if ours else 'PyTorch'} {dtype}"
            made = Side(
                title, SUITE / file, function, python=python, threads=args.threads, options=options
            )
            return stack.enter_context(made)

        def losses(made: Side) -> list[float]:
            made.prepare()
            return list(json.loads(made.about))

        torch64 = losses(side(False, "float64"))
        ours64, ours32 = side(True, "float64"), side(True, "float32")
        found64, found32 = losses(ours64), losses(ours32)
        return Curves(found64, torch64, found32, losses(side(False, "float32")))


HEADER = f"{'':20} {'':18}" + "".join(
    f"{title:>15}" for title in ("step 1", "step 10", "step 100", "last", "distance")
)


def rows(title: str, curves: Curves) -> list[str]:
    """The lines of one program."""
    mine, its = curves.distance32
    sides = (
        ("PyTorch float64", curves.torch64, ""),
        ("minispore float64", curves.ours64, f"{curves.distance64:.1e}"),
        ("PyTorch float32", curves.torch32, f"{its:.1e}"),
        ("minispore float32", curves.ours32, f"{mine:.1e}"),
    )
    made = []
    for i, (name, losses, distance) in enumerate(sides):
        shown = [losses[0], losses[9], losses[FIRST - 1], losses[-1]]
        row = f"{title if not i else '':20} {name:18}" + "".join(f"{x:15.9g}" for x in shown)
        made.append(f"{row}{distance:>15}".rstrip())
    return made
