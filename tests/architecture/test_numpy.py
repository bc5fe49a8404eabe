"""NumPy's names are those of each NumPy that the package says it runs on."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np

from tests.architecture.layers import ROOT


def _spelled(tree: ast.AST) -> Iterator[list[str]]:
    """Each path that begins with ``np.``, or that is imported from NumPy."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            names, base = [node.attr], node.value
            while isinstance(base, ast.Attribute):
                names, base = [base.attr, *names], base.value
            if isinstance(base, ast.Name) and base.id == "np":
                yield names
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numpy":
            yield from ([*str(node.module).split(".")[1:], alias.name] for alias in node.names)


def _is_current_file(names: list[str]) -> bool:
    """Whether this NumPy has the path, as far as modules and classes tell."""
    actual: object = np
    for i, name in enumerate(names):
        if not isinstance(actual, ModuleType | type):
            return True  # an attribute of a value: what it is, nobody can read in a source
        if not hasattr(actual, name):
            try:
                importlib.import_module(".".join(["numpy", *names[: i + 1]]))
            except ImportError:
                return False
        actual = getattr(actual, name)
    return True


def _missing(folder: Path) -> list[str]:
    return [
        f"{p.relative_to(folder)}: np.{'.'.join(names)}"
        for p in sorted(folder.rglob("*.py"))
        for names in _spelled(ast.parse(p.read_text(encoding="utf-8")))
        if not _is_current_file(names)
    ]


def test_every_name_of_numpy_is_in_the_numpy_that_is_installed() -> None:
    assert _missing(ROOT / "minispore") == []


def test_a_name_that_numpy_lacks_is_reported(tmp_path: Path) -> None:
    text = (
        "import numpy as np\nfrom numpy.linalg import nowhere\nnp.lib.array_tools.bounds(np.pi.x)\n"
    )
    (tmp_path / "room.py").write_text(text, encoding="utf-8")
    assert _missing(tmp_path) == [
        "room.py: np.linalg.nowhere",
        "room.py: np.lib.array_tools.bounds",
        "room.py: np.lib.array_tools",
    ]
