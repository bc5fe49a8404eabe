"""Find who reads what a statement binds at import: constants, fields, defaults, classes.

Such a line runs in no test. What it made is seen by the tests that run the lines where its name
stands, in any file of the parts; and where one of these makes another name at import, by who reads
that one.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple


class Place(NamedTuple):
    """A range of lines of a file, from the first to the last."""

    file: str
    first: int
    last: int


class _Statement(NamedTuple):
    place: Place  # without the body of a function, a class, a loop
    bound_names: frozenset[str]  # the names that it binds at import; none in a function


class Readers:
    """The statements of files, and the names that each of them binds and uses."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._statements: dict[str, list[_Statement]] = {}
        self._mentions: dict[str, list[_Statement]] = defaultdict(list)
        for file, text in texts.items():
            results = list(_walk_statements(file, ast.parse(text), False))
            self._statements[file] = [statement for statement, _ in results]
            for statement, node in results:
                for name in _find_used_names(node):
                    self._mentions[name].append(statement)

    def find_readers(self, file: str, line: int) -> list[Place]:
        """Return the lines in functions that read what the statement at ``line`` binds at
        import.
        """
        statements = [s for s in self._statements[file] if s.place.first <= line <= s.place.last]
        names = set().union(*(s.bound_names for s in statements))
        actual: dict[Place, None] = {}
        pending = sorted(names)
        while pending:
            for statement in self._mentions.get(pending.pop(), ()):
                if not statement.bound_names:
                    actual[statement.place] = None
                pending += sorted(statement.bound_names - names)
                names |= statement.bound_names
        return list(actual)


def _walk_statements(
    file: str, node: ast.AST, inside: bool
) -> Iterator[tuple[_Statement, ast.AST]]:
    """Yield each statement; those in functions bind nothing at import."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            output = frozenset() if inside else frozenset(_find_bound_names(child))
            yield _Statement(Place(file, *span(child)), output), child
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _walk_statements(file, child, inside or is_function)


def span(node: ast.stmt | ast.ExceptHandler) -> tuple[int, int]:
    """Return the first line, of a decorator if there is one, and the last line before the body."""
    body = getattr(node, "body", None)
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
    return first, max(last, node.lineno)


def _find_bound_names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    for target in filter(None, targets):
        for part in ast.walk(target):
            if isinstance(part, ast.Name):
                yield part.id


def _find_used_names(node: ast.AST) -> set[str]:
    """Return the names in a statement itself, not in the statements below it."""
    actual, pending = set(), [c for c in ast.iter_child_nodes(node) if not isinstance(c, ast.stmt)]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            actual.add(part.id)
        elif isinstance(part, ast.Attribute):
            actual.add(part.attr)
        elif isinstance(part, ast.keyword) and part.arg:
            actual.add(part.arg)
        pending += [c for c in ast.iter_child_nodes(part) if not isinstance(c, ast.stmt)]
    return actual
