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
from tests.mutants.report import Result, report

FOLDER = ROOT / "build" / "mutants"
AGAIN = ("survived", "no test", "timed out")
BY_CONTENT = py_compile.PycInvalidationMode.CHECKED_HASH


def main() -> None:
    inputs = _arguments()
    parts = [part for part in SETTINGS["parts"] if part.startswith(inputs.part)]
    if not parts:
        text = ", ".join(SETTINGS["parts"])
        sys.exit(f"mutants: PART must begin one of {text}, got {inputs.part!r}.")
    reached = Reached(_reached(inputs.tests or SETTINGS["tests"], inputs.map))
    samples = [result for part in parts for result in _drawn(part, inputs)]
    text = {} if inputs.again == "all" else _known()
    requests = [
        result
        for result in samples
        if not result.why
        and (result.key not in text or (inputs.again and text[result.key]["word"] in AGAIN))
    ]
    _try(requests, reached, inputs)
    text = _known()
    print(report([dataclasses.replace(r, **text.get(r.key, {})) for r in samples]))


def _arguments() -> argparse.Namespace:
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


def _drawn(part: str, inputs: argparse.Namespace) -> Iterator[Result]:
    """The part's mutants in random order; a larger sample goes on where a smaller one ends."""
    every = [mutant for file in files(part) for mutant in mutants(file)]
    random.Random(f"{inputs.seed} {part}").shuffle(every)
    for mutant in islice(filter(runs, every), inputs.sample):
        yield Result(part, len(every), mutant, _key(mutant), equivalent(mutant) or "")


def _key(mutant: Mutant) -> str:
    return hashlib.sha256(f"{mutant.file}\n{mutant.source()}".encode()).hexdigest()[:16]


def _reached(folders: list[str], anew: bool) -> list[Path]:
    """The records of which tests reach which line, made where there are none or it is asked for."""
    names = {folder: "-".join(Path(folder).with_suffix("").parts) for folder in folders}
    paths = {folder: FOLDER / f"reached-{name}.json" for folder, name in names.items()}
    missing = {folder: path for folder, path in paths.items() if anew or not path.exists()}
    tree = _copy("tree-0") if missing else FOLDER
    for folder, path in missing.items():
        _start(tree, "reached", folder, str(path)).wait()
    return list(paths.values())


def _known() -> dict[str, dict[str, str]]:
    """What became of each mutant that was ever tried, the latest last."""
    return {r["key"]: {"word": r["word"], "test": r["test"]} for r in _results()}


def _kills() -> dict[str, Counter[str]]:
    """How many mutants of each file every test has seen."""
    actual: dict[str, Counter[str]] = defaultdict(Counter)
    for result in _results():
        if result["word"] == "killed":
            actual[result["file"]][result["test"]] += 1
    return actual


def _results() -> Iterator[dict[str, str]]:
    for path in sorted(FOLDER.glob("results-*.jsonl")):
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _try(requests: list[Result], reached: Reached, inputs: argparse.Namespace) -> None:
    """Let every job have its share of the mutants."""
    started = []
    now = time.strftime("%Y%m%d-%H%M%S")
    kills = _kills()
    for job in range(min(inputs.jobs, len(requests))):
        tasks = [
            {"key": r.key, "file": r.mutant.file, "source": r.mutant.source()}
            | reached.choice(r.mutant, inputs.seconds, kills[r.mutant.file])._asdict()
            for r in requests[job :: inputs.jobs]
        ]
        share = FOLDER / f"tasks-{job}.json"
        share.write_text(json.dumps(tasks), encoding="utf-8")
        results = FOLDER / f"results-{now}-{job}.jsonl"
        started.append(_start(_copy(f"tree-{job}"), "trial", str(share), str(results)))
    for process in started:
        process.wait()


def _copy(name: str) -> Path:
    """A copy of the sources and tests, which may be changed; what is compiled stays in it.

    The sources' bytecode is held against what they say, not when they were written: a mutant may
    look as old as the original.
    """
    tree = FOLDER / name
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    files = {tree / file: ROOT / file for file in listed.stdout.splitlines()}
    for copy in [path for path in tree.rglob("*.py*") if path.suffix != ".pyc"]:
        if copy not in files:
            copy.unlink()
    for copy, original in files.items():
        if original.exists() and _age(copy) != _age(original):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(original, copy)
            if copy.suffix == ".py" and copy.is_relative_to(tree / "minispore"):
                py_compile.compile(str(copy), invalidation_mode=BY_CONTENT)
    return tree


def _age(path: Path) -> tuple[int, int] | None:
    if not path.exists():
        return None
    return path.stat().st_mtime_ns, path.stat().st_size


def _start(tree: Path, program: str, *arguments: str) -> subprocess.Popen[bytes]:
    settings = {
        "PYTHONPATH": str(tree),  # before the folder that is installed
        "OPENBLAS_NUM_THREADS": "1",
        "HYPOTHESIS_PROFILE": "ci",
    }
    command = [sys.executable, "-m", f"tests.mutants.{program}", *arguments]
    return subprocess.Popen(command, cwd=tree, env=os.environ | settings)


if __name__ == "__main__":
    main()
