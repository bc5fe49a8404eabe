"""List every mutant of a file: cosmic-ray's operators, and one more that removes a statement."""

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
    """An operator that puts ``pass`` for a call, an augmented assignment, a write to a
    place or ``del``.
    """

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        if node.type == "simple_stmt" and _has_side_effect(node.children[0]):
            yield node.children[0].start_pos, node.children[0].end_pos

    def mutate(self, node: Any, index: int) -> Any:
        prefix = node.get_first_leaf().prefix
        node.children[0] = Keyword("pass", node.start_pos, prefix)
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("queue.close()\n", "pass\n"), Example("self.n += 1\n", "pass\n"))


def _has_side_effect(statement: Any) -> bool:
    """Whether a statement does more than bind a name, and is no docstring."""
    if statement.type == "expr_stmt":
        target, operator = statement.children[0], statement.children[1]
        augmented = operator.type == "operator" and operator.value != "="
        return augmented or (operator.type != "annassign" and target.type in _PLACES)
    return statement.type in {*_PLACES, "del_stmt"} and not statement.get_code().startswith("super")


_PLACES = ("atom_expr", "power")


@dataclass(frozen=True)
class Mutant:
    """A change of one file: the ``occurrence``-th place of an operator."""

    file: str  # from the root
    operator: str
    occurrence: int
    line: int

    def source(self) -> str:
        """Return the file as the mutant has it."""
        return _mutate_source(self)

    def change(self) -> tuple[str, str]:
        """Return the changed line as it is, and as the mutant has it."""
        old, new = text(self.file).splitlines(), self.source().splitlines()
        return next((o.strip(), n.strip()) for o, n in zip([*old, ""], [*new, ""]) if o != n)


_OPERATORS: dict[str, type[Operator]] = {
    **{name: OperatorProvider()[name] for name in SETTINGS["operators"]},
    RemoveStatement.__name__: RemoveStatement,
}


def files(part: str) -> list[str]:
    """Return the files of a part, from the root, in order."""
    results = (path for pattern in SETTINGS["parts"][part] for path in ROOT.glob(pattern))
    return sorted(path.relative_to(ROOT).as_posix() for path in results)


@cache
def _mutate_source(mutant: Mutant) -> str:
    visitor = MutationVisitor(mutant.occurrence, _OPERATORS[mutant.operator]())
    return str(visitor.walk(pickle.loads(_pickle_tree(mutant.file))).get_code())


@cache
def _pickle_tree(file: str) -> bytes:
    """Return the parsed file as a pickle, which loads faster than the file parses."""
    return pickle.dumps(get_ast(text(file)))


@cache
def _dump_ast(file: str) -> str:
    return ast.dump(ast.parse(text(file)))


@cache
def text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def mutants(file: str) -> Iterator[Mutant]:
    """Yield a mutant for every place of every operator, except in annotations, which no
    program reads.
    """
    unread = _find_unread_ranges(ast.parse(text(file)))
    nodes = list(ast_nodes(get_ast(text(file))))
    for name, operator in _OPERATORS.items():
        places = (place for node in nodes for place in operator().mutation_positions(node))
        for occurrence, (start, _) in enumerate(places):
            if not any(a <= start < b for a, b in unread):
                yield Mutant(file, name, occurrence, start[0])


def _find_unread_ranges(tree: ast.Module) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the positions of annotations and of blocks for type checkers only."""
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
    """Whether a mutant is valid Python and means something else than the original."""
    try:
        return ast.dump(ast.parse(mutant.source())) != _dump_ast(mutant.file)
    except (SyntaxError, AttributeError):  # cosmic-ray replaces no exception with a dot in its name
        return False


def equivalent(mutant: Mutant) -> str | None:
    """Return why no test can tell the mutant from the original, if the settings say so."""
    line, becomes = (_remove_spaces(text) for text in mutant.change())
    for entry in SETTINGS["equivalent"]:
        old = _remove_spaces(entry["from"])
        if not fnmatch.fnmatch(mutant.file, entry["file"]) or old not in line:
            continue
        if mutant.operator == entry.get("operator"):
            return str(entry["why"])
        if "to" in entry and becomes in _replace_each(line, old, _remove_spaces(entry["to"])):
            return str(entry["why"])
    return None


def _remove_spaces(text: str) -> str:
    return "".join(text.split())


def _replace_each(line: str, old: str, new: str) -> Iterator[str]:
    """Yield the line with ``new`` at each place of ``old`` in turn."""
    parts = line.split(old)
    for i in range(1, len(parts)):
        yield old.join(parts[:i]) + new + old.join(parts[i:])
