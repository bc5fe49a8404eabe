"""The plan of the house, read from the sources: modules, what each imports, which are doors."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

# Imports point strictly down these levels; rooms of one level do not see each other.
LEVELS: list[set[str]] = [
    {"errors", "process", "version", "log", "_checkparam"},
    {"context"},
    {"core"},
    {"ops"},
    {"graph"},
    {"device.model"},
    {"device"},
    {"communication"},
    {"nn", "dataset"},
    {"train", "amp", "profiler", "mint", "parallel"},
]
_INNER = [["device", "model"]]  # rooms within a room, on a floor of their own
ROOMS = {room: level for level, rooms in enumerate(LEVELS) for room in sorted(rooms)}

# What a function may import, because it is not always there: the optional extras.
EXTRAS = {"PIL", "ml_dtypes"}


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
        return ".".join(parts[:2]) if parts[:2] in _INNER else parts[0] if parts else None

    @cached_property
    def is_door(self) -> bool:
        """Whether it holds no code: all that it does is to import and to name.

        The front of a room (its ``__init__``) is part of the room: rooms above may come in there.
        """
        if self.room not in ROOMS:
            return True
        return self.path.name != "__init__.py" and self.only_names

    @cached_property
    def only_names(self) -> bool:
        """Whether all statements import or give names."""
        return all(_only_names(statement) for statement in self.tree.body)

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
