"""What ``minispore check`` predicts of the real MindSpore's verdicts, by category of program."""

from __future__ import annotations

import argparse
import collections
import json
import os
import sys
import tempfile
import types
import warnings
from pathlib import Path
from typing import Any

import minispore as ms
from minispore.check.finding import make_report
from minispore.check.watch import Watch

LEVELS = ("lax", "strict")


def predict_verdicts(program: dict[str, Any], folder: str) -> dict[str, Any]:
    """Check one program and return a verdict for each level, with the rules that it breaks."""
    path = os.path.join(folder, "p_" + program["id"].replace("-", "_") + ".py")
    Path(path).write_text(program["source"], encoding="utf-8")
    ms.set_context(mode=ms.GRAPH_MODE, jit_syntax_level=ms.context.LAX)
    ms.set_seed(1)
    module = types.ModuleType(Path(path).stem)
    module.__file__ = path
    sys.modules[module.__name__] = module
    vars(module).update(ms=ms, nn=ms.nn, ops=ms.ops, Tensor=ms.Tensor)
    watch, failed = Watch(), ""
    with watch.watching(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(program["source"], path, "exec"), vars(module))
            module.program()
        except Exception as exc:
            failed = f"{type(exc).__name__}: {exc}"
    report = make_report(watch)
    verdicts = {level: "refused" if failed else report.verdict(level) for level in LEVELS}
    return {**verdicts, "rules": sorted({f.rule for f in report.findings}), "failed": failed}


def predict_in_child(program: dict[str, Any], folder: str) -> dict[str, Any]:
    """Check one program in a child process, so that its settings don't reach the next."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
        try:
            with os.fdopen(write, "w") as out:
                out.write(json.dumps(predict_verdicts(program, folder)))
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"lax": "refused", "strict": "refused", "rules": []}


def get_real_verdict(program: dict[str, Any], level: str) -> str:
    """Return the verdict of the real MindSpore in the words of ``predict_verdicts``."""
    by_op, staged = program["real"]["pynative"], program["real"][level]
    if staged["verdict"] != "ok":
        return "refused"
    is_close = by_op["verdict"] != "ok" or are_close(by_op["result"], staged["result"])
    return "same" if is_close else "other"


def are_close(a: Any, b: Any) -> bool:
    """Whether two results agree; a list may stand for a tuple, a Parameter for a Tensor."""
    if isinstance(a, dict) and isinstance(b, dict):
        if {"list", "tuple"} >= {a.get("kind"), b.get("kind")}:
            return are_close(a["items"], b["items"])
        kinds = {"Tensor", "Parameter"}
        return a.keys() == b.keys() and all(
            are_close(a[k], b[k]) for k in a if k != "kind" or not {a[k], b[k]} <= kinds
        )
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(are_close, a, b))
    if isinstance(a, float) and isinstance(b, float | int):
        return abs(a - b) <= 2e-3 * max(1.0, abs(a), abs(b))
    return bool(a == b)


def main(argv: list[str]) -> int:
    """Print for each category how many verdicts are right."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks check", description=__doc__)
    parser.add_argument("file", help="programs with the real verdicts, one a line")
    parser.add_argument("--list", action="store_true", help="each program that is told wrongly")
    args = parser.parse_args(argv)
    with open(args.file, encoding="utf-8") as lines:
        programs = [json.loads(line) for line in lines]
    rows: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            actual, row = predict_in_child(program, folder), rows[program["category"]]
            row["programs"] += 1
            for level in LEVELS:
                expected = get_real_verdict(program, level)
                row[level] += actual[level] == expected
                if args.list and actual[level] != expected:
                    reason = ", ".join(actual["rules"]) or actual.get("failed", "")[:90]
                    print(f"{level:6} {program['id']}: {expected}, said {actual[level]} ({reason})")
            if get_real_verdict(program, "lax") == "same":
                row["as PYNATIVE"] += 1
                row["false"] += actual["lax"] != "same"
    columns = ("programs", *LEVELS, "as PYNATIVE", "false")
    print(f"{'':24}" + "".join(f"{c:>13}" for c in columns))
    total: collections.Counter[str] = collections.Counter()
    for name, row in rows.items():
        total.update(row)
        print(f"{name:24}" + "".join(f"{row[c]:13}" for c in columns))
    print(f"{'all':24}" + "".join(f"{total[c]:13}" for c in columns))
    shares = {level: total[level] / total["programs"] for level in LEVELS}
    text = ", ".join(f"{level.upper()} {share:.1%}" for level, share in shares.items())
    print(f"right: {text}; false findings: {total['false'] / total['as PYNATIVE']:.1%}")
    return 0
