"""The reference as ``make reference`` would write it now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.reference.write import FOLDER


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Write the reference into a temporary folder; return it with the missing sections."""
    folder = tmp_path_factory.mktemp("reference")
    command = [sys.executable, "-W", "ignore", "-m", "tests.reference", str(folder)]
    done = subprocess.run(
        command, cwd=FOLDER.parents[2], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return folder, done.stdout
