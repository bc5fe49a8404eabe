"""Training on two ranks beside one, and all-reduces, over sockets and over MPI."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.harness import MODULES, SideFailed, describe_machine

WORK = Path(__file__).with_name("ranks_work.py")
TRANSPORTS = ("sockets", "mpi")
SIZES = {"4 B": 4, "4 KB": 4 << 10, "1 MB": 1 << 20, "64 MB": 64 << 20}


def run_ranks(ranks: int, transport: str, *arguments: object) -> dict[str, float]:
    """Run ``ranks_work.py`` on ranks with one thread of BLAS each; return what rank 0 measured."""
    launch_options = ["--ranks", str(ranks)] if ranks > 1 else []
    options = {"MINISPORE_TRANSPORT": transport, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": MODULES}
    completed = subprocess.run(
        [sys.executable, "-m", "minispore", *launch_options, str(WORK), *map(str, arguments)],
        env=os.environ | options,
        capture_output=True,
        text=True,
        check=False,
    )
    if completed.returncode:
        raise SideFailed(f"{transport}, {ranks} ranks: {completed.stderr.strip()[-500:]}")
    return json.loads(completed.stdout.partition("{")[1] + completed.stdout.partition("{")[2])


def main(argv: list[str]) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks ranks", description=__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=4, help="of one rank beside several, in turn")
    parser.add_argument("--lenet", type=int, default=400, metavar="STEPS")
    parser.add_argument("--resnet20", type=int, default=20, metavar="STEPS")
    args = parser.parse_args(argv)
    print(describe_machine())
    print(f"\nall-reduce among {args.ranks} ranks, microseconds\n")
    print(f"{'':8}" + "".join(f"{size:>12}" for size in SIZES))
    for transport in TRANSPORTS:
        us = [
            1e6 * run_ranks(args.ranks, transport, "all_reduce", n)["seconds"]
            for n in SIZES.values()
        ]
        print(f"{transport:8}" + "".join(f"{u:12,.1f}" for u in us))
    print(f"\na step on {args.ranks} ranks beside one, batch 32 each, one thread each, A B A B\n")
    print(f"{'':18} one, ms  several, ms  efficiency  buckets a step  hidden behind backward")
    for name, steps in (("lenet", args.lenet), ("resnet20", args.resnet20)):
        for transport in TRANSPORTS if steps else ():
            pairs = [
                tuple(run_ranks(n, transport, name, steps) for n in (1, args.ranks))
                for _ in range(args.rounds)
            ]
            one_s, many_s = (statistics.median(p[i]["seconds"] for p in pairs) for i in (0, 1))
            ratio = statistics.median(a["seconds"] / b["seconds"] for a, b in pairs)
            last = pairs[-1][1]
            print(
                f"{name + ', ' + transport:18} {1e3 * one_s:7.2f}  {1e3 * many_s:11.2f}  "
                f"{ratio:10.2f}  "
                f"{last['buckets']:14.0f}  {100 * last['hidden']:20.0f} %"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
