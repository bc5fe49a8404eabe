"""``python -m minispore info``: what a bug report needs."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import minispore
from minispore.commands.info import extras, info
from minispore.foundation.version import __version__


def value(text: str, name: str) -> str:
    (line,) = [line for line in text.splitlines() if line.startswith(f"{name}  ")]
    return line.removeprefix(name).strip()


def test_it_says_the_versions_and_the_blas_in_use() -> None:
    text = info()
    assert value(text, "minispore") == f"{__version__} in {Path(minispore.__file__).parent}"
    assert value(text, "NumPy") == np.__version__
    assert np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"] in value(text, "BLAS")


def test_info_names_the_absent_package_of_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        "numpy>=2",
        'absent-thing>=1; extra == "a"',
        "numpy ; extra == 'b'",
        'x; extra == "test"',
    ]
    monkeypatch.setattr(metadata, "requires", lambda name: lines)
    assert extras() == {"a": "no absent-thing", "b": f"numpy {np.__version__}"}


def test_sources_without_an_installation_name_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", absent)
    assert extras() == {}


def test_info_prints_settings_and_hides_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINISPORE_PROGRESS", "0")
    monkeypatch.setenv("MINISPORE_JOB_SECRET", "hidden")
    assert value(info(), "MINISPORE_PROGRESS") == "0"
    assert "hidden" not in info()


def test_the_command_prints_it(root: Path) -> None:
    run = [sys.executable, "-m", "minispore", "info"]
    done = subprocess.run(run, cwd=root, capture_output=True, text=True, check=True)
    assert value(done.stdout, "devices") == "CPU, and simulated: GPU, Ascend"
