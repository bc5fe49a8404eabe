"""The top level holds what belongs there, and nothing that a program left behind."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

KNOWN = """
    .ci .github .gitignore .pre-commit-hooks.yaml CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE
    Makefile README.md README.zh.md action.yml benchmarks docs examples minispore mkdocs.yml
    pyproject.toml tests
"""


def test_the_top_level_has_only_listed_names(root: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=root, capture_output=True, text=True, check=False
    ).stdout
    if not listed:
        pytest.skip("an unpacked archive: there is no list of what belongs to it")
    names = {line.partition("/")[0] for line in listed.splitlines()}
    assert names <= set(KNOWN.split())
