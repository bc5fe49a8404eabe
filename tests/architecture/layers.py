"""The layers of docs/architecture.md, and the modules of the package with their imports."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def read_layers(page: str) -> list[list[str]]:
    """Return the packages of each layer, from the top down, as the page's diagram shows them.

    A line is the layer's name, its packages from column 21 on, and after a gap a remark.
    """
    diagram = page.split("```")[1]
    lines = [re.split(r"\s{4,}", line[21:].strip())[0] for line in diagram.splitlines() if line]
    return [[name.replace("/", ".") for name in re.findall(r"\w+(?:/\w+)*", f)] for f in lines]


# Imports point strictly down these levels; packages of one level do not import each other.
LEVELS = {name: level for level, names in enumerate(reversed(read_layers(PAGE))) for name in names}

# What a function may import: the optional extras, which are not always there, and the library of
# the progress bar, which most runs never draw.
EXTRAS = {"PIL", "cryptography", "matplotlib", "ml_dtypes", "tqdm"}


@dataclass(frozen=True)
class Import:
    """The absolute target of an import statement, and where the statement stands."""

    target: str
    line: int
    is_deferred: bool  # inside a function
    is_for_types: bool  # under ``if TYPE_CHECKING``: never executed


@dataclass(frozen=True)
class Module:
    """One source file of the package."""

    name: str
    path: Path

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"), str(self.path))

    @property
    def package(self) -> str:
        """The package of the diagram that the module belongs to."""
        parts = self.name.split(".")[1:] or ["__init__"]
        inner = ".".join(parts[:2])  # a package within a package may be a layer of its own
        return inner if inner in LEVELS else parts[0]

    @cached_property
    def is_alias(self) -> bool:
        """Whether the module only re-exports names at a path of MindSpore's."""
        text = ast.get_docstring(self.tree) or ""
        return self.name == "minispore" or text.startswith("Alias module")

    @cached_property
    def logic(self) -> list[str]:
        """The statements that do more than import or name something."""
        return [ast.unparse(s) for s in self.tree.body if not _is_import_or_name(s)]

    def imports(self, modules: dict[str, Module]) -> list[Import]:
        """Return all imports; ``from a import b`` means a.b where that is a module."""
        functions = self._nodes_below(ast.FunctionDef | ast.AsyncFunctionDef)
        for_types = self._nodes_below(ast.If, "TYPE_CHECKING")
        return [
            Import(target, node.lineno, node in functions, node in for_types)
            for node in ast.walk(self.tree)
            for target in self._find_targets(node, modules)
        ]

    def _nodes_below(self, kind: Any, test: str = "") -> set[ast.AST]:
        """Return all nodes below those of ``kind`` (whose condition reads ``test``)."""
        return {
            node
            for top in ast.walk(self.tree)
            if isinstance(top, kind) and (not test or ast.unparse(top.test) == test)
            for node in ast.walk(top)
        }

    def _find_targets(self, node: ast.AST, modules: dict[str, Module]) -> list[str]:
        """Return the absolute names of the modules that an import statement reaches."""
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


def _is_import_or_name(statement: ast.stmt) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name("_describe"))):  # sets their docstrings
            return True
        case ast.Assign(value=ast.Name() | ast.Attribute() | ast.List() | ast.Tuple()):
            return True
    return False


def load_modules() -> dict[str, Module]:
    """Return every module of the package by its name."""
    modules = {}
    for path in sorted((ROOT / "minispore").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = Module(name, path)
    return modules
