"""``OpName`` lists exactly the operators that are called by name."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from typing import get_args

from minispore.ir.registry import OpName, registry
from tests.architecture.layers import load_modules

MODULES = [m for m in load_modules().values() if m.package in ("ir", "execution", "core", "ops")]


def find_names(tree: ast.Module) -> Iterator[str]:
    """Yield the name in every ``call("Name", ...)``, and both of a conditional expression."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "call"
        ):
            first = node.args[0] if node.args else None
            names = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
            yield from (str(n.value) for n in names if isinstance(n, ast.Constant))


def test_each_name_is_that_of_an_operator() -> None:
    for module in MODULES:
        importlib.import_module(module.name)
    assert set(get_args(OpName)) <= registry.keys()


def test_the_list_holds_the_names_that_are_called_and_no_other() -> None:
    assert set(get_args(OpName)) == {n for module in MODULES for n in find_names(module.tree)}
