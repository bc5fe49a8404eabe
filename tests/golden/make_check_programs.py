"""Write ``check_programs.json``: what MindSpore does with random programs, at both syntax levels.

Run ``python -m benchmarks check_programs FILE --python PYTHON --seed SEED --count COUNT`` for each
seed, with an interpreter that has MindSpore; then this module with the files.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from benchmarks.check import get_real_verdict
from benchmarks.check_programs import generate_programs

COUNT = 540
GOLDEN = Path(__file__).with_suffix("").with_name("check_programs.json")


def compute_digest(seed: int) -> str:
    """Return a digest of the sources that a seed gives."""
    sources = "\0".join(p["source"] for p in generate_programs(seed, COUNT))
    return hashlib.sha256(sources.encode()).hexdigest()


def main(files: list[str]) -> None:
    """Write two letters a program, of its verdicts in LAX and STRICT; ``--`` for no program."""
    programs = {}
    for file in files:
        with open(file, encoding="utf-8") as lines:
            programs.update({p["id"]: p for p in map(json.loads, lines)})
    golden = {}
    for seed in sorted({int(name[1:].partition("_")[0]) for name in programs}):
        verdicts = ""
        for program in generate_programs(seed, COUNT):
            record = programs.get(program["id"])
            if record is not None and record["source"] != program["source"]:
                raise ValueError(f"{program['id']} has another source in the file")
            verdicts += (
                "--"
                if record is None
                else get_real_verdict(record, "lax")[0] + get_real_verdict(record, "strict")[0]
            )
        golden[str(seed)] = {"digest": compute_digest(seed), "verdicts": verdicts}
    GOLDEN.write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
