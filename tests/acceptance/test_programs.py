"""MindSpore programs, unmodified, through ``python -m minispore``."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = {
    "training_r1_1_custom_network": [],
    "running_management": [],
    "training_r1_1_custom_loop": [],
    "training_r1_1_on_device": [],
    "on_device_r1_6": [],
    "on_device_zh_r1_9": ["requests"],
    "sinking_mode_r2_0_model_train": ["requests"],
    "sinking_mode_r2_0_data_sink": ["requests"],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_guides_program_runs_as_it_is(name: str, shared_dir: Path, root: Path) -> None:
    for module in PROGRAMS[name]:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"the program imports {module}")
    run = subprocess.run(
        [sys.executable, str(shared_dir / "acceptance" / "run.py"), "--quick", name],
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_running_management_leaves_its_graphs_as_ir_and_dot(
    shared_dir: Path, root: Path, tmp_path: Path
) -> None:
    program = shared_dir / "acceptance" / "running_management.py"
    subprocess.run(
        [sys.executable, "-m", "minispore", str(program)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        check=True,
    )
    assert {path.suffix for path in tmp_path.iterdir() if path.is_file()} == {".ir", ".dot"}
