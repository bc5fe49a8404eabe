"""Checking a script in this process."""

from __future__ import annotations

import json
import linecache
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minispore.check import command, source


@pytest.fixture
def check_script(tmp_path: Path, capsys, monkeypatch) -> Callable[..., dict[str, Any]]:
    """The report of a script of this text, as JSON says it, with the exit status."""

    def check_script(text: str, *options: str) -> dict[str, Any]:
        script = tmp_path / "train.py"
        script.write_text(text)
        linecache.clearcache()  # the same file again and again
        source.parse_file.cache_clear()
        source._map_parents.cache_clear()
        monkeypatch.setattr(sys, "path", ["", *sys.path])
        status = command.main(["--json", "--prints", *options, str(script)], lambda arguments: None)
        printed = capsys.readouterr()
        return {**json.loads(printed.out), "status": status, "stderr": printed.err}

    return check_script
