"""What more cores give: GRAPH steps of fifteen networks on one core and on several, in turns."""

from __future__ import annotations

import argparse
import math
import os
import statistics

from benchmarks.harness import BLAS, Side, describe_machine, interleave
from benchmarks.step import SUITE
from benchmarks.suite.work import WORK


def main(argv: list[str]) -> None:
    """Print for each network how many times as fast it is by the wall clock."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks cores",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--work", nargs="+", default=list(WORK), choices=list(WORK))
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the other side")
    parser.add_argument(
        "--blas", default="native", choices=BLAS, help="the kernels of NumPy's OpenBLAS"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="aimed at for each round")
    args = parser.parse_args(argv)
    print(f"on {describe_machine(args.blas)}, BLAS {args.blas}, median of {args.rounds} rounds")
    print(f"{'ms per step':18}{'1 core':>10}{f'{args.threads} cores':>10}{'times':>8}")
    gains = []
    for work in args.work:
        one, more = _make_side(work, 1, args), _make_side(work, args.threads, args)
        with one, more:
            one_core, all_cores = interleave([one, more], rounds=args.rounds, seconds=args.seconds)
        gains.append(one_core.ratio_to(all_cores))
        times = f"{one_core.median_ms:10.3f}{all_cores.median_ms:10.3f}"
        print(f"{work:18}{times}{gains[-1]:8.2f}", flush=True)
    print(f"{'geometric mean':38}{math.exp(statistics.fmean(map(math.log, gains))):8.2f}")


def _make_side(work: str, threads: int, args: argparse.Namespace) -> Side:
    options = {"work": work, "mode": "GRAPH"}
    path = SUITE / "mindspore_nets.py"
    name = f"GRAPH {threads}"
    return Side(name, path, "make_minispore_step", threads=threads, blas=args.blas, options=options)
