"""The list of modules in a package's docstring names the modules that the package has."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import minispore

_ROOT = Path(minispore.__file__).parent


def list_missing_modules(docstring: str, modules: set[str]) -> list[str]:
    """Return the listed names (``* ``name``: ...``) that are not among ``modules``."""
    return [n for n in re.findall(r"^\* ``(\w+)``:", docstring, re.MULTILINE) if n not in modules]


def test_package_docstrings_list_modules_that_exist() -> None:
    for path in _ROOT.rglob("__init__.py"):
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        modules = {p.stem for p in path.parent.iterdir()}
        assert list_missing_modules(docstring, modules) == [], path


def test_a_module_that_is_gone_is_reported() -> None:
    docstring = "Head.\n\n* ``kept``: here.\n* ``gone``: not here.\n"
    assert list_missing_modules(docstring, {"kept"}) == ["gone"]
