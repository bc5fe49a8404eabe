"""Every mutant of a file: cosmic-ray's operators, and one more that removes a statement."""

from __future__ import annotations

import ast
import fnmatch
import pickle
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.operators.operator import Example, Operator
from cosmic_ray.operators.provider import OperatorProvider
from parso.python.tree import Keyword

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads((Path(__file__).parent / "mutants.toml").read_text(encoding="utf-8"))


class RemoveStatement(Operator):
    """Puts ``pass`` where a call, an augmented assignment, a write to a place or ``del`` stood."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if node.type == "simple_stmt" and _acts(node.children[0]):
            yield node.children[0].start_pos, node.children[0].end_pos

    def mutate(self, node: Any, index: int) -> Any:
        prefix = node.get_first_leaf().prefix
        node.children[0] = Keyword("pass", node.start_pos, prefix)
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("queue.close()\n", "pass\n"), Example("self.n += 1\n", "pass\n"))


def _acts(statement: Any) -> bool:
    """Whether it is there for what it does: not a docstring, and not what gives a name."""
    if statement.type == "expr_stmt":
        target, operator = statement.children[0], statement.children[1]
        augmented = operator.type == "operator" and operator.value != "="
        return augmented or (operator.type != "annassign" and target.type in _PLACES)
    return statement.type in {*_PLACES, "del_stmt"} and not statement.get_code().startswith("super")


_PLACES = ("atom_expr", "power")


@dataclass(frozen=True)
class Mutant:
    """One change of one file: the ``occurrence``-th place of an operator."""

    file: str  # from the root
    operator: str
    occurrence: int
    line: int

    def source(self) -> str:
        """The file as the mutant has it."""
        return _mutated(self)

    def change(self) -> tuple[str, str]:
        """The line as it is, and as the mutant has it."""
        old, new = text(self.file).splitlines(), self.source().splitlines()
        return next((o.strip(), n.strip()) for o, n in zip([*old, ""], [*new, ""]) if o != n)


_OPERATORS: dict[str, type[Operator]] = {
    **{name: OperatorProvider()[name] for name in SETTINGS["operators"]},
    RemoveStatement.__name__: RemoveStatement,
}


def files(part: str) -> list[str]:
    """The files of a part, from the root, in order."""
    results = (path for pattern in SETTINGS["parts"][part] for path in ROOT.glob(pattern))
    return sorted(path.relative_to(ROOT).as_posix() for path in results)


@cache
def _mutated(mutant: Mutant) -> str:
    visitor = MutationVisitor(mutant.occurrence, _OPERATORS[mutant.operator]())
    return str(visitor.walk(pickle.loads(_tree(mutant.file))).get_code())


@cache
def _tree(file: str) -> bytes:
    """The file as parsed; to take a copy of it is faster than to parse it again."""
    return pickle.dumps(get_ast(text(file)))


@cache
def _meaning(file: str) -> str:
    return ast.dump(ast.parse(text(file)))


@cache
def text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def mutants(file: str) -> Iterator[Mutant]:
    """Every place of every operator, but for annotations, which no program reads."""
    unread = _annotations(ast.parse(text(file)))
    nodes = list(ast_nodes(get_ast(text(file))))
    for name, operator in _OPERATORS.items():
        places = (place for node in nodes for place in operator().mutation_positions(node))
        for occurrence, (start, _) in enumerate(places):
            if not any(a <= start < b for a, b in unread):
                yield Mutant(file, name, occurrence, start[0])


def _annotations(tree: ast.Module) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where what only type checkers read begins and ends."""
    results: list[ast.AST | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            results.append(node.returns)
        elif isinstance(node, ast.arg | ast.AnnAssign):
            results.append(node.annotation)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            results.append(node)
    return [
        ((n.lineno, n.col_offset), (n.end_lineno, n.end_col_offset))  # type: ignore[attr-defined]
        for n in results
        if n is not None
    ]


def runs(mutant: Mutant) -> bool:
    """Whether it is a program at all, and not one that only says the same in other words."""
    try:
        return ast.dump(ast.parse(mutant.source())) != _meaning(mutant.file)
    except (SyntaxError, AttributeError):  # cosmic-ray replaces no exception with a dot in its name
        return False


def equivalent(mutant: Mutant) -> str | None:
    """Why no test can tell it from the original, where somebody has read it and said so."""
    line, becomes = (_packed(text) for text in mutant.change())
    for entry in SETTINGS["equivalent"]:
        old = _packed(entry["from"])
        if not fnmatch.fnmatch(mutant.file, entry["file"]) or old not in line:
            continue
        if mutant.operator == entry.get("operator"):
            return str(entry["why"])
        if "to" in entry and becomes in _replaced(line, old, _packed(entry["to"])):
            return str(entry["why"])
    return None


def _packed(text: str) -> str:
    return "".join(text.split())


def _replaced(line: str, old: str, new: str) -> Iterator[str]:
    """The line with ``new`` at each place of ``old`` in turn."""
    parts = line.split(old)
    for i in range(1, len(parts)):
        yield old.join(parts[:i]) + new + old.join(parts[i:])
