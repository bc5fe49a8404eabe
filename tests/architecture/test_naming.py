"""Names say what a thing is or does: none is built on a vague participle.

``made``, ``found`` or ``given`` say that something happened to a value, not what the value is. Say
what was made, found or given: an output, a match, an argument. A function is a verb phrase, so none
is named by a bare participle (``_merged``): say ``_merge_rows``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.layers import Module, load_modules

VAGUE = {
    "ahead", "apart", "asked", "begun", "behind", "beside", "drawn", "found", "given", "gone",
    "held", "here", "kept", "known", "lie", "lies", "made", "said", "shown", "taken", "there",
    "told", "wanted", "who",
}  # fmt: skip
PARTICIPLE = re.compile(r"_*[a-z]+(?:ed|en|wn|pt|nt|ld|ung|ade|ound)_*")

# Exceptions, each because the name is MindSpore's or NumPy's, or the field's own word.
ALLOWED_NAMES: dict[str, str] = {
    "batches_taken": "a public counter",
}
ALLOWED_FUNCTIONS: dict[str, str] = {
    "__int__": "MindSpore's or NumPy's own name",
    "__len__": "MindSpore's or NumPy's own name",
    "__round__": "MindSpore's or NumPy's own name",
    "_assignment": "a standard word, no participle",
    "_complement": "a standard word, no participle",
    "adjoint": "a standard word, no participle",
    "bincount": "MindSpore's or NumPy's own name",
    "build": "MindSpore's or NumPy's own name",
    "children": "a standard word, no participle",
    "constant": "a standard word, no participle",
    "count": "a standard word, no participle",
    "current": "a standard word, no participle",
    "decrypt": "MindSpore's or NumPy's own name",
    "encrypt": "MindSpore's or NumPy's own name",
    "event": "a standard word, no participle",
    "flatten": "MindSpore's or NumPy's own name",
    "fold": "MindSpore's or NumPy's own name",
    "gradient": "a standard word, no participle",
    "hidden": "a standard word, no participle",
    "isconstant": "MindSpore's or NumPy's own name",
    "len": "MindSpore's or NumPy's own name",
    "listen": "a standard word, no participle",
    "padded": "a property: the padded length",
    "polyint": "MindSpore's or NumPy's own name",
    "print": "MindSpore's or NumPy's own name",
    "print_": "MindSpore's or NumPy's own name",
    "printed": "a public method",
    "randint": "MindSpore's or NumPy's own name",
    "rint": "MindSpore's or NumPy's own name",
    "round": "MindSpore's or NumPy's own name",
    "searchsorted": "MindSpore's or NumPy's own name",
    "seed": "MindSpore's or NumPy's own name",
    "subscribed": "a public context manager",
    "threshold": "MindSpore's or NumPy's own name",
    "threshold_": "MindSpore's or NumPy's own name",
    "traced": "a property: the traced graph",
    "unfold": "MindSpore's or NumPy's own name",
    "widen": "a standard word, no participle",
    "world": "a standard word, no participle",
}


def bindings(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield every name that a module binds, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.alias(asname=str(name)):
                yield name, node.lineno


def words(name: str) -> set[str]:
    """Return the words of an identifier in lower case."""
    return {w.lower() for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def find_vague_names(tree: ast.AST) -> list[str]:
    """Return the names that contain a vague word, each with its line."""
    return [
        f"line {line}: {name}"
        for name, line in bindings(tree)
        if words(name) & VAGUE and name not in ALLOWED_NAMES
    ]


def find_participles(tree: ast.AST) -> list[str]:
    """Return the functions that are named by a bare participle, each with its line."""
    return [
        f"line {node.lineno}: {node.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and PARTICIPLE.fullmatch(node.name)
        and node.name not in ALLOWED_FUNCTIONS
    ]


def module_name(module: Module) -> str:
    return module.name


MODULES = [m for m in load_modules().values() if not m.is_alias]


@pytest.mark.parametrize("module", MODULES, ids=module_name)
def test_no_name_is_built_on_a_vague_participle(module: Module) -> None:
    assert find_vague_names(module.tree) == [], "say what the value is, or allow the name above"


@pytest.mark.parametrize("module", MODULES, ids=module_name)
def test_no_function_is_named_by_a_bare_participle(module: Module) -> None:
    assert find_participles(module.tree) == [], "say what it does to what, or allow the name above"


def test_a_vague_name_is_reported() -> None:
    tree = ast.parse("import os as made\nfound = 1\nself.kept_rows = 2\noutput = 3\n")
    assert find_vague_names(tree) == ["line 1: made", "line 2: found", "line 3: kept_rows"]


def test_a_bare_participle_is_reported() -> None:
    tree = ast.parse("def _merged(x): ...\ndef merge_rows(x): ...\n")
    assert find_participles(tree) == ["line 1: _merged"]


def test_each_exception_is_still_needed() -> None:
    bound = {name for module in MODULES for name, _ in bindings(module.tree)}
    assert ALLOWED_NAMES.keys() | ALLOWED_FUNCTIONS.keys() <= bound
