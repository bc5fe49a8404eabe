"""Thirteen programs learn beside PyTorch, in float64 and float32: how far apart the losses are.

A distance is that of a loss from the loss of PyTorch in float64 at the same step, in parts of it.
In float32 two trainings that round differently drift apart, some runs by luck and in the end all of
them. So the distance of a run is the geometric mean over its first hundred steps, to which the
early steps count as much as the late ones; ours is divided by PyTorch's own of the same weights and
batches, and the ratios of several seeds are averaged, geometrically, too. How well that is known
stands beside it: a program misses when its ratio lies above 1 by more than twice that.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness import Side, describe_machine
from benchmarks.suite.curves_work import PROGRAMS

SUITE = Path(__file__).parent / "suite"
BOUND = 1e-9  # of the distance in float64 over the first hundred steps
FIRST = 100
UNSEEN = 2.0**-25  # float32 tells no smaller distances: half of its rounding

Runs = Sequence[Sequence[float]]  # the losses of each seed


class Curves(NamedTuple):
    """The losses of one program in float64 and float32: minispore's and PyTorch's, from the same
    seeds.
    """

    ours64: Runs
    torch64: Runs
    ours32: Runs
    torch32: Runs

    @property
    def distance64(self) -> float:
        """The largest distance from PyTorch over the first hundred steps of any run."""
        pairs = zip(self.ours64, self.torch64, strict=True)
        return max(max(compute_distances(*pair)) for pair in pairs)

    @property
    def distances32(self) -> list[tuple[float, float]]:
        """The distances in float32 from PyTorch's float64, minispore's and PyTorch's, one pair a
        run.
        """
        return [
            (
                compute_typical(compute_distances(mine, truth)),
                compute_typical(compute_distances(its, truth)),
            )
            for mine, its, truth in zip(self.ours32, self.torch32, self.torch64, strict=True)
        ]

    @property
    def ratios(self) -> list[float]:
        """The ratio of minispore's distance to PyTorch's, of each run."""
        return [mine / its for mine, its in self.distances32]

    @property
    def mean_error_factor(self) -> float:
        """The standard error of the mean of the ratios, as a factor."""
        logs = [math.log(r) for r in self.ratios]
        return math.exp(statistics.stdev(logs) / math.sqrt(len(logs))) if len(logs) > 1 else 1.0

    @property
    def holds(self) -> bool:
        """Whether float64 agrees, and float32 is not farther away than PyTorch's by more than
        chance.
        """
        return (
            self.distance64 <= BOUND and compute_typical(self.ratios) <= self.mean_error_factor**2
        )


def compute_distances(losses: Sequence[float], truth: Sequence[float]) -> list[float]:
    """Return the relative distance at each of the first hundred steps."""
    return [abs(a - b) / abs(b) for a, b in zip(losses, truth, strict=True)][:FIRST]


def compute_typical(sizes: Sequence[float]) -> float:
    """Return the geometric mean; sizes below ``UNSEEN`` count as that."""
    return math.exp(statistics.fmean(math.log(max(size, UNSEEN)) for size in sizes))


def main(argv: list[str]) -> int:
    """Train each program on four sides from the same weights and batches, once for each seed; print
    some losses of the first run, and the distances.
    """
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks curves",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--torch-python", required=True, help="an interpreter with torch")
    parser.add_argument("--program", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS))
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seeds", type=int, default=5, help="runs from other weights and batches")
    parser.add_argument("--mode", default="GRAPH", choices=("GRAPH", "PYNATIVE"))
    parser.add_argument(
        "--winograd", type=int, default=4, choices=(0, 2, 4), help="minispore's conv_winograd"
    )
    parser.add_argument("--threads", type=int, default=1, help="for every side")
    args = parser.parse_args(argv)
    if args.steps < FIRST or args.seeds < 1:
        parser.error(f"--steps must be at least {FIRST} and --seeds 1")
    about = f"{args.steps} steps, {args.seeds} seeds, {args.mode}, conv_winograd {args.winograd}"
    print(f"on {describe_machine()}; {about}\n\n{HEADER}", flush=True)
    missed = []
    for name in args.program:
        curves = train_program(name, args)
        print("\n".join(format_rows(PROGRAMS[name].title, curves)), flush=True)
        if not curves.holds:
            missed.append(PROGRAMS[name].title)
    print("\nevery program holds" if not missed else f"\nmissed by {', '.join(missed)}")
    return bool(missed)


def train_program(name: str, args: argparse.Namespace) -> Curves:
    """Train one program on all four sides; PyTorch's float64, the first, draws the weights."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())

        def make_side(ours: bool, dtype: str) -> Side:
            options = {
                "program": name, "dtype": dtype, "steps": args.steps, "seeds": args.seeds,
                "folder": folder, "threads": args.threads,
            }  # fmt: skip
            file, function = "torch_curves.py", "compute_torch_losses"
            if ours:
                file, function = "mindspore_curves.py", "compute_minispore_losses"
                options |= {"mode": args.mode, "winograd": args.winograd}
            python = None if ours else args.torch_python
            title = f"{'minispore' if ours else 'PyTorch'} {dtype}"
            output = Side(
                title, SUITE / file, function, python=python, threads=args.threads, options=options
            )
            return stack.enter_context(output)

        def read_losses(actual: Side) -> list[list[float]]:
            actual.prepare()
            return list(json.loads(actual.about))

        torch64 = read_losses(make_side(False, "float64"))
        ours64, ours32 = make_side(True, "float64"), make_side(True, "float32")
        losses64, losses32 = read_losses(ours64), read_losses(ours32)
        return Curves(losses64, torch64, losses32, read_losses(make_side(False, "float32")))


HEADER = f"{'':20} {'':18}" + "".join(
    f"{title:>15}" for title in ("step 1", "step 10", "step 100", "last", "distance")
)


def format_rows(title: str, curves: Curves) -> list[str]:
    """Return the lines of one program."""
    mine, its = (compute_typical(side) for side in zip(*curves.distances32, strict=True))
    sides = (
        ("PyTorch float64", curves.torch64, ""),
        ("minispore float64", curves.ours64, f"{curves.distance64:.1e}"),
        ("PyTorch float32", curves.torch32, f"{its:.1e}"),
        ("minispore float32", curves.ours32, f"{mine:.1e}"),
    )
    outputs = []
    for i, (name, (losses, *_), distance) in enumerate(sides):
        printed = [losses[0], losses[9], losses[FIRST - 1], losses[-1]]
        row = f"{title if not i else '':20} {name:18}" + "".join(f"{x:15.9g}" for x in printed)
        outputs.append(f"{row}{distance:>15}".rstrip())
    typical_ratio = compute_typical(curves.ratios)
    outputs.append(
        f"{'':20} ours / PyTorch's distance in float32: {typical_ratio:.2f}, known to a factor "
        f"of {curves.mean_error_factor:.2f}; median {statistics.median(curves.ratios):.2f}"
    )
    return outputs
