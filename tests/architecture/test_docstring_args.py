"""Each argument that a docstring explains is a parameter."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.layers import Module, load_modules

MODULES = [m for m in load_modules().values() if not m.is_alias]

# The methods that take the arguments which a class's docstring explains.
CALLS = {"__init__", "construct"}


def list_explained(docstring: str) -> list[str]:
    """Return the names below ``Args:``."""
    section = re.search(r"^Args:\n((?: {4}.*\n?|\n)+)", docstring, re.MULTILINE)
    entry = re.compile(r"^ {4}(\**\w+(?:, \**\w+)*)(?: \([^)]*\))?:", re.MULTILINE)
    names = ", ".join(entry.findall(section[1])) if section else ""
    return re.findall(r"\w+", names)


def find_parameters(node: ast.FunctionDef | ast.ClassDef) -> set[str] | None:
    """Return the parameters of a function, or of what a class's docstring explains.

    None where the docstring may explain others: those of a base class, or keywords.
    """
    if isinstance(node, ast.FunctionDef):
        functions = [node]
    else:
        functions = [f for f in node.body if isinstance(f, ast.FunctionDef) and f.name in CALLS]
        if "__init__" not in {f.name for f in functions}:
            return None
    if any(f.args.kwarg for f in functions):
        return None
    return {a.arg for f in functions for a in ast.walk(f.args) if isinstance(a, ast.arg)}


def find_unknown_args(tree: ast.AST) -> Iterator[str]:
    """Yield each argument that a docstring explains though its function has none of that name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            parameters = find_parameters(node)
            if parameters is not None:
                for name in list_explained(ast.get_docstring(node) or ""):
                    if name not in parameters:
                        yield f"line {node.lineno}: {node.name}: {name}"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_each_explained_argument_is_a_parameter(module: Module) -> None:
    assert list(find_unknown_args(module.tree)) == [], "name the parameter as the signature does"


def test_a_renamed_argument_in_a_docstring_is_reported() -> None:
    docstring = '"""Scale x.\n\n    Args:\n        x: values.\n        by (int): a factor.\n    """'
    tree = ast.parse(f"def scale(x, factor):\n    {docstring}\n")
    assert list(find_unknown_args(tree)) == ["line 1: scale: by"]
