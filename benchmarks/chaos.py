"""Attack the package: kills, full disks, hostile files, faults, strangers; counts in, counts out.

``python -m benchmarks chaos [PART ...] [--share 0.1] [--seed 1]``: the parts are kills, resumes,
disks, fuzz, hostile, faults, clock, second (process), mode, forks, strangers and signals;
``--share`` takes a part of each count but the last two. An attack that succeeds is shown with the
seed that repeats it, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from benchmarks.attacks import disks, fuzz, interference, resumes, signals, strangers, writers
from tests.train import fault_runs

COUNTS = {
    "kills": 330,
    "resumes": 100,
    "disks": 110,
    "fuzz": 60_000,
    "hostile": 0,
    "faults": 360,
    "clock": 50,
    "second": 5,
    "mode": 100,
    "forks": 100,
    "strangers": 0,
    "signals": 0,
}


def main(argv: list[str]) -> int:
    """Run the parts that ``argv`` names, or all; return 1 if an attack succeeded, else 0."""
    options = argparse.ArgumentParser("python -m benchmarks chaos", description=__doc__)
    options.add_argument("parts", nargs="*", metavar="PART", choices=[*COUNTS, []])
    options.add_argument("--share", type=float, default=1.0)
    options.add_argument("--seed", type=int, default=0)
    inputs = options.parse_args(argv)
    succeeded = 0
    for part in inputs.parts or COUNTS:
        count = round(COUNTS[part] * inputs.share)
        start = time.monotonic()
        done, wrong = PARTS[part](count, inputs.seed)
        print(f"{part:<8} {done}; {len(wrong)} succeeded; {time.monotonic() - start:.0f} s")
        for what in wrong:
            print(f"         {what}", flush=True)
        succeeded += len(wrong)
    return min(succeeded, 1)


def _attack_each(
    names: list[str], attack: Callable[[str, int, int], int], count: int, seed: int
) -> tuple[int, int, list[str]]:
    """Attack each name; return how many attacks there were, their results' sum, and successes."""
    count_each, results, wrong = -(-count // len(names)), 0, []
    for name in names:
        try:
            results += attack(name, count_each, seed)
        except AssertionError as error:
            wrong.append(str(error))
    return count_each * len(names), results, wrong


def _run_kills(count: int, seed: int) -> tuple[str, list[str]]:
    tried, killed, wrong = _attack_each([*writers.WRITERS], writers.attack, count, seed)
    return f"{tried} writes of {len(writers.WRITERS)} writers, {killed} killed", wrong


def _run_disks(count: int, seed: int) -> tuple[str, list[str]]:
    tried, full, wrong = _attack_each([*disks.WRITERS], disks.attack, count, seed)
    return f"{tried} writes of {len(disks.WRITERS)} writers, {full} on a full disk", wrong


def _run_fuzz(count: int, seed: int) -> tuple[str, list[str]]:
    tried, refused, wrong = _attack_each([*fuzz.READERS], fuzz.attack, count, seed)
    return f"{tried} inputs of {len(fuzz.READERS)} readers, {refused} refused", wrong


def _run_hostile(count: int, seed: int) -> tuple[str, list[str]]:
    wrong = []
    files = [*fuzz.HOSTILE, *fuzz.LARGE]
    for what in files:
        try:
            fuzz.read_hostile_file(what)
        except AssertionError as error:
            wrong.append(str(error))
    return f"{len(files)} files written by hand", wrong


def _run_resumes(count: int, seed: int) -> tuple[str, list[str]]:
    try:
        killed, resumed = resumes.attack(count, seed)
    except AssertionError as error:
        return f"{count} trainings", [str(error)]
    return f"{count} trainings, {killed} killed, {resumed} resumed, all bit-identical", []


def _run_faults(count: int, seed: int) -> tuple[str, list[str]]:
    wrong = []
    for fault_seed in range(seed, seed + count):
        try:
            fault_runs.one(fault_seed)
        except AssertionError as error:
            wrong.append(str(error))
    return f"{count} trainings with a fault", wrong


def _run_clock(count: int, seed: int) -> tuple[str, list[str]]:
    done, wrong = interference.attack_clock(count, seed)
    return f"{done} trainings under a clock that jumps", wrong


def _run_second_process(count: int, seed: int) -> tuple[str, list[str]]:
    done, wrong = interference.attack_with_second_process(count, seed)
    return f"{done} pairs of processes that write the same files", wrong


def _run_mode(count: int, seed: int) -> tuple[str, list[str]]:
    done, wrong = interference.attack_mode(count, seed)
    return f"{done} sinks whose mode a thread changes", wrong


def _run_forks(count: int, seed: int) -> tuple[str, list[str]]:
    done, wrong = interference.attack_forks(count, seed)
    return f"{done} interrupts while workers are forked", wrong


def _run_strangers(count: int, seed: int) -> tuple[str, list[str]]:
    jobs, wrong = strangers.attack()
    return f"{strangers.KINDS} kinds of stranger at {jobs} jobs", wrong


def _run_signals(count: int, seed: int) -> tuple[str, list[str]]:
    wrong = []
    cases = [
        (transport, number)
        for transport in strangers.list_transports()
        for number in signals.SIGNALS
    ]
    for transport, number in cases:
        survivors = signals.signal_launcher(transport, number)
        if survivors:
            wrong.append(f"{number.name} by {transport}: {sorted(survivors)} are left after 5 s")
    return f"{len(signals.SIGNALS)} signals at {len(cases)} launchers", wrong


PARTS = {
    "kills": _run_kills,
    "resumes": _run_resumes,
    "disks": _run_disks,
    "fuzz": _run_fuzz,
    "hostile": _run_hostile,
    "faults": _run_faults,
    "clock": _run_clock,
    "second": _run_second_process,
    "mode": _run_mode,
    "forks": _run_forks,
    "strangers": _run_strangers,
    "signals": _run_signals,
}
