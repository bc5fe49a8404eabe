"""Ranks that go, and jobs side by side: does the job end, is nobody left, who is named."""

from __future__ import annotations

import argparse
import importlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.harness import MODULES, describe_machine

RANKS = 3
LIMIT_SECONDS, STALL_SECONDS = 5.0, 3
ENDINGS = {
    "kill": "os.kill(os.getpid(), signal.SIGKILL)",
    "raise": "raise ValueError('no more')",
    "exit(3)": "sys.exit(3)",
    "exit(0)": "sys.exit(0)",
    "stop": "os.kill(os.getpid(), signal.SIGSTOP)",
}
GONE = """
import os, signal, sys, time
from mindspore import ops, Tensor
from mindspore.communication import init, get_rank
init()
print(f"here {os.getpid()}", flush=True)
ops.AllReduce()(Tensor([1.0]))
if get_rank() == 1:
    print(f"gone {time.time()}", flush=True)
    GOES
ops.AllReduce()(Tensor([1.0]))
"""
SIDE_BY_SIDE = """
import os
from mindspore import ops, Tensor
from mindspore.communication import init
init()
print("sum", *[int(ops.AllReduce()(Tensor([float(os.environ["JOB"])])).asnumpy()[0])
               for _ in range(50)])
"""


def make_commands(way: str, script: Path) -> list[list[str]]:
    """Return the commands that start a job; the way ``shell`` needs one for each rank."""
    program = ["-m", "minispore"]
    if way in ("sockets", "launcher"):
        return [[sys.executable, *program, "--ranks", str(RANKS), str(script)]]
    if way == "shell":
        return [[sys.executable, *program, str(script)] for _ in range(RANKS)]
    mpirun = importlib.import_module("minispore.communication.launch")._find_mpirun()
    options = ["--oversubscribe", "--bind-to", "none", "--allow-run-as-root"]
    return [[mpirun, "-n", str(RANKS), *options, sys.executable, *program, str(script)]]


def start_job(way: str, script: Path, **variables: str) -> list[subprocess.Popen[str]]:
    """Start the processes of a job and return them."""
    common = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": MODULES} | variables
    common["MINISPORE_TRANSPORT"] = "sockets" if way == "sockets" else "mpi"
    started = []
    for rank, line in enumerate(make_commands(way, script)):
        rank_variables = {"RANK_ID": str(rank), "RANK_SIZE": str(RANKS)} if way == "shell" else {}
        started.append(
            subprocess.Popen(
                line, env=common | rank_variables, text=True, start_new_session=way != "shell",
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )
        )  # fmt: skip
    return started


def is_running(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def end_one_rank(way: str, ending: str, script: Path) -> tuple[set[str], float]:
    """End one rank of a job; return what was wrong, and the seconds until the job ended."""
    script.write_text(GONE.replace("GOES", ENDINGS[ending]))
    (job,) = start_job(way, script, HCCL_EXEC_TIMEOUT=str(STALL_SECONDS))
    out, err = job.communicate(timeout=300)
    ended = time.time()
    end_match = re.search(r"gone ([\d.]+)", out)
    seconds = ended - float(end_match[1]) if end_match else float("nan")
    allowed = LIMIT_SECONDS + (STALL_SECONDS if ending == "stop" else 0)
    time.sleep(1.0)  # who looks for its launcher looks twice a second
    wrong = {
        "status 0": job.returncode == 0,
        "late": not seconds <= allowed,
        "left": any(is_running(int(pid)) for pid in re.findall(r"here (\d+)", out)),
        "unnamed": not re.search(r"rank:? \[?1\b|ranks \[1\]|,1\]", err),
    }
    return {what for what, is_so in wrong.items() if is_so}, seconds


def run_two_jobs(way: str, script: Path) -> bool:
    """Run two jobs at once and return whether each gets its own sums."""
    script.write_text(SIDE_BY_SIDE)
    jobs = {n: start_job(way, script, JOB=str(n), MS_SCHED_PORT=str(9000 + n)) for n in (1, 2)}
    right = True
    for n, processes in jobs.items():
        ended = [p.communicate(timeout=300)[0] for p in processes]
        sums = re.findall(r"sum ([\d ]+)", "\n".join(ended))
        right &= len(sums) == RANKS and all(s.split() == [str(n * RANKS)] * 50 for s in sums)
        right &= not any(p.returncode for p in processes)
    return right


def main(argv: list[str]) -> None:
    """Print how many jobs ended in order."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks ranks_ends", description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--ways", nargs="*", default=["mpirun", "launcher", "sockets"])
    args = parser.parse_args(argv)
    print(describe_machine())
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.py"
        print(f"\none of {RANKS} ranks goes: in order, of {args.times}; the longest, s\n")
        for way in args.ways:
            for ending in ENDINGS:
                results = [end_one_rank(way, ending, script) for _ in range(args.times)]
                wrong = Counter(what for whats, _ in results for what in whats)
                right = sum(not whats for whats, _ in results)
                longest = max(seconds for _, seconds in results)
                print(
                    f"{way:9} {ending:8} {right:3}  {longest:6.1f}  {dict(wrong) or ''}", flush=True
                )
        print(f"\ntwo jobs at once: right, of {args.times}\n")
        for way in [*args.ways, "shell"]:
            right = sum(run_two_jobs(way, script) for _ in range(args.times))
            print(f"{way:9} {right:3}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
