"""GRAPH equals PYNATIVE on each of the small programs whose verdicts by MindSpore are known."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path


def test_both_modes_have_one_result_on_every_program_that_pynative_takes(
    shared_dir: Path, root: Path, tmp_path: Path
) -> None:
    corpus, message = shared_dir / "graph_syntax", tmp_path / "told.jsonl"
    subprocess.run(
        [
            *(sys.executable, corpus / "run.py", "--python", sys.executable),
            *("--module", "minispore", "--modes", "pynative,lax", "--out", message, "--quiet"),
            corpus / "dev.jsonl",
        ],
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        check=True,
    )
    rows = [json.loads(line) for line in message.read_text(encoding="utf-8").splitlines()]
    selected = [row for row in rows if row["mine"]["pynative"]["verdict"] == "ok"]
    assert len(selected) > len(rows) / 2
    assert [r["id"] for r in selected if r["mine"]["lax"] != r["mine"]["pynative"]] == []
