"""``python -m tests.mutants``: change one place of the sources at a time; does a test fail?

Usage: ``make mutants``, or of a part ``make mutants PART=train SAMPLE=300``.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import py_compile
import random
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tests.mutants.catalogue import ROOT, SETTINGS, Mutant, equivalent, files, mutants, runs
from tests.mutants.choice import Reached
from tests.mutants.report import Result, format_report

FOLDER = ROOT / "build" / "mutants"
RETRIED = ("survived", "no test", "timed out")
BY_CONTENT = py_compile.PycInvalidationMode.CHECKED_HASH


def main() -> None:
    inputs = _parse_arguments()
    parts = [part for part in SETTINGS["parts"] if part.startswith(inputs.part)]
    if not parts:
        names = ", ".join(SETTINGS["parts"])
        sys.exit(f"mutants: PART must begin one of {names}, got {inputs.part!r}.")
    reached = Reached(_record_reached(inputs.tests or SETTINGS["tests"], inputs.map))
    samples = [result for part in parts for result in _draw_results(part, inputs)]
    outcomes = {} if inputs.again == "all" else _read_outcomes()
    requests = [
        result
        for result in samples
        if not result.why
        and (
            result.key not in outcomes or (inputs.again and outcomes[result.key]["word"] in RETRIED)
        )
    ]
    _try_mutants(requests, reached, inputs)
    outcomes = _read_outcomes()
    print(format_report([dataclasses.replace(r, **outcomes.get(r.key, {})) for r in samples]))


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--part", default="", help="parts whose name begins so; all if not given")
    parser.add_argument("--sample", type=int, help="so many mutants of each part; all if not given")
    parser.add_argument("--seed", type=int, default=0, help="which ones a sample holds")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="most that a mutant's tests take"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes, each with a copy")
    parser.add_argument("--tests", nargs="+", help="ask only these of the settings' tests")
    parser.add_argument(
        "--again", choices=("survived", "all"), help="try those again that have a result"
    )
    parser.add_argument("--map", action="store_true", help="see anew which tests reach which line")
    return parser.parse_args()


def _draw_results(part: str, inputs: argparse.Namespace) -> Iterator[Result]:
    """Yield the part's mutants in random order; a larger sample continues a smaller one."""
    every = [mutant for file in files(part) for mutant in mutants(file)]
    random.Random(f"{inputs.seed} {part}").shuffle(every)
    for mutant in islice(filter(runs, every), inputs.sample):
        yield Result(part, len(every), mutant, _compute_key(mutant), equivalent(mutant) or "")


def _compute_key(mutant: Mutant) -> str:
    return hashlib.sha256(f"{mutant.file}\n{mutant.source()}".encode()).hexdigest()[:16]


def _record_reached(folders: list[str], is_forced: bool) -> list[Path]:
    """Return the records of which tests reach which line; make those that are missing, or all."""
    names = {folder: "-".join(Path(folder).with_suffix("").parts) for folder in folders}
    paths = {folder: FOLDER / f"reached-{name}.json" for folder, name in names.items()}
    missing = {folder: path for folder, path in paths.items() if is_forced or not path.exists()}
    tree = _copy_tree("tree-0") if missing else FOLDER
    for folder, path in missing.items():
        _start_program(tree, "reached", folder, str(path)).wait()
    return list(paths.values())


def _read_outcomes() -> dict[str, dict[str, str]]:
    """Return the outcome of each mutant that was ever tried; the latest counts."""
    return {r["key"]: {"word": r["word"], "test": r["test"]} for r in _read_results()}


def _count_kills() -> dict[str, Counter[str]]:
    """Count how many mutants of each file every test has killed."""
    actual: dict[str, Counter[str]] = defaultdict(Counter)
    for result in _read_results():
        if result["word"] == "killed":
            actual[result["file"]][result["test"]] += 1
    return actual


def _read_results() -> Iterator[dict[str, str]]:
    for path in sorted(FOLDER.glob("results-*.jsonl")):
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _try_mutants(requests: list[Result], reached: Reached, inputs: argparse.Namespace) -> None:
    """Run the mutants in several jobs, each with its share."""
    started = []
    now = time.strftime("%Y%m%d-%H%M%S")
    kills = _count_kills()
    for job in range(min(inputs.jobs, len(requests))):
        tasks = [
            {"key": r.key, "file": r.mutant.file, "source": r.mutant.source()}
            | reached.choice(r.mutant, inputs.seconds, kills[r.mutant.file])._asdict()
            for r in requests[job :: inputs.jobs]
        ]
        tasks_path = FOLDER / f"tasks-{job}.json"
        tasks_path.write_text(json.dumps(tasks), encoding="utf-8")
        results = FOLDER / f"results-{now}-{job}.jsonl"
        started.append(
            _start_program(_copy_tree(f"tree-{job}"), "trial", str(tasks_path), str(results))
        )
    for process in started:
        process.wait()


def _copy_tree(name: str) -> Path:
    """Copy the sources and tests into a tree that may be changed; compiled files stay in it.

    The sources' bytecode is held against what they say, not when they were written: a mutant may
    look as old as the original.
    """
    tree = FOLDER / name
    git_files = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    files = {tree / file: ROOT / file for file in git_files.stdout.splitlines()}
    for copy in [path for path in tree.rglob("*.py*") if path.suffix != ".pyc"]:
        if copy not in files:
            copy.unlink()
    for copy, original in files.items():
        if original.exists() and _get_age(copy) != _get_age(original):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(original, copy)
            if copy.suffix == ".py" and copy.is_relative_to(tree / "minispore"):
                py_compile.compile(str(copy), invalidation_mode=BY_CONTENT)
    return tree


def _get_age(path: Path) -> tuple[int, int] | None:
    if not path.exists():
        return None
    return path.stat().st_mtime_ns, path.stat().st_size


def _start_program(tree: Path, program: str, *arguments: str) -> subprocess.Popen[bytes]:
    settings = {
        "PYTHONPATH": str(tree),  # before the folder that is installed
        "OPENBLAS_NUM_THREADS": "1",
        "HYPOTHESIS_PROFILE": "ci",
    }
    command = [sys.executable, "-m", f"tests.mutants.{program}", *arguments]
    return subprocess.Popen(command, cwd=tree, env=os.environ | settings)


if __name__ == "__main__":
    main()
