"""The plan of the house, read from the sources: modules, what each imports, which are doors."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

PAGE = (ROOT / "docs" / "house.md").read_text(encoding="utf-8")


def _floors(page: str) -> list[list[str]]:
    """The rooms of each floor, from the top down, as the page's picture shows them.

    A line is the floor's name, its rooms from column 21 on, and after a gap some words on them.
    """
    picture = page.split("```")[1]
    shown = [re.split(r"\s{4,}", line[21:].strip())[0] for line in picture.splitlines() if line]
    return [[name.replace("/", ".") for name in re.findall(r"\w+(?:/\w+)*", f)] for f in shown]


_TOP, *_BELOW = _floors(PAGE)
DOORS = {None, *_TOP} - {"__init__"}  # None: the front itself
# Imports point strictly down these levels; rooms of one level do not see each other.
ROOMS = {room: level for level, rooms in enumerate(reversed(_BELOW)) for room in rooms}

# What a function may import: the optional extras, which are not always there, and the library of
# the progress bar, which most runs never draw.
EXTRAS = {"PIL", "cryptography", "matplotlib", "ml_dtypes", "tqdm"}


@dataclass(frozen=True)
class Import:
    """One import statement's target, absolute, and where it stands."""

    target: str
    line: int
    deferred: bool  # in a function
    for_types: bool  # under ``if TYPE_CHECKING``: seen by the type checker alone


@dataclass(frozen=True)
class Module:
    """One source file of the package."""

    name: str
    path: Path

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"), str(self.path))

    @property
    def room(self) -> str | None:
        """The part of the name below ``minispore``; None for the package itself."""
        parts = self.name.split(".")[1:]
        inner = ".".join(parts[:2])  # a room within a room may have a floor of its own
        return inner if inner in ROOMS else parts[0] if parts else None

    @cached_property
    def is_door(self) -> bool:
        """Whether it is there for MindSpore's path alone; its docstring says so."""
        return self.room in DOORS or (ast.get_docstring(self.tree) or "").startswith("Door:")

    @cached_property
    def logic(self) -> list[str]:
        """The statements that do more than to import or to give names."""
        return [ast.unparse(s) for s in self.tree.body if not _only_names(s)]

    def imports(self, modules: dict[str, Module]) -> list[Import]:
        """All imports; ``from a import b`` means a.b where that is a module."""
        functions = self._below(ast.FunctionDef | ast.AsyncFunctionDef)
        for_types = self._below(ast.If, "TYPE_CHECKING")
        return [
            Import(target, node.lineno, node in functions, node in for_types)
            for node in ast.walk(self.tree)
            for target in self._targets(node, modules)
        ]

    def _below(self, kind: Any, test: str = "") -> set[ast.AST]:
        """All nodes below those of ``kind`` (whose test reads ``test``)."""
        return {
            node
            for top in ast.walk(self.tree)
            if isinstance(top, kind) and (not test or ast.unparse(top.test) == test)
            for node in ast.walk(top)
        }

    def _targets(self, node: ast.AST, modules: dict[str, Module]) -> list[str]:
        if isinstance(node, ast.Import):
            return [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:  # relative: from the package that this module is in
                package = self.name.split(".")
                if self.path.name != "__init__.py":
                    package = package[:-1]
                package = package[: len(package) - node.level + 1]
                base = ".".join([*package, base] if base else package)
            names = [f"{base}.{alias.name}" for alias in node.names]
            return sorted({name if name in modules else base for name in names})
        return []


def _only_names(statement: ast.stmt) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name("_describe"))):  # gives them their docstrings
            return True
        case ast.Assign(value=ast.Name() | ast.Attribute() | ast.List() | ast.Tuple()):
            return True
    return False


def house() -> dict[str, Module]:
    """Every module of the package by name."""
    modules = {}
    for path in sorted((ROOT / "minispore").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = Module(name, path)
    return modules
