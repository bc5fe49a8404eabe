"""The example of data-parallel training."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mnist_files


def test_two_ranks_come_to_the_weights_of_one(tmp_path: Path, root: Path) -> None:
    mnist_files.generate(tmp_path / "digits", counts={"train": 192, "t10k": 32})
    script = [str(root / "examples" / "ranks.py"), "--data-dir", str(tmp_path / "digits")]
    weights = []
    for ranks in (["--ranks", "2"], []):
        finished = subprocess.run(
            [sys.executable, "-m", "minispore", *ranks, *script],
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert finished.returncode == 0, finished.stderr
        for line in finished.stdout.splitlines():
            weights.append([float(w) for w in line.partition("step, ")[2].split()])
    first, second, single = weights
    assert len(single) == 4
    assert first == second == pytest.approx(single, abs=2e-4)
