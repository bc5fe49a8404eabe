"""Who reads what a statement makes while a file is imported: constants, fields, defaults, classes.

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
    """Lines of a file, from the first to the last."""

    file: str
    first: int
    last: int


class _Statement(NamedTuple):
    place: Place  # without the body of a function, a class, a loop
    made: frozenset[str]  # the names that it binds at import; none in a function


class Readers:
    """What stands where in files, each given with its text."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._statements: dict[str, list[_Statement]] = {}
        self._mentions: dict[str, list[_Statement]] = defaultdict(list)
        for file, text in texts.items():
            results = list(_walk(file, ast.parse(text), False))
            self._statements[file] = [statement for statement, _ in results]
            for statement, node in results:
                for name in _names(node):
                    self._mentions[name].append(statement)

    def of(self, file: str, line: int) -> list[Place]:
        """The lines in functions that read what the statement at ``line`` makes at import."""
        at = [s for s in self._statements[file] if s.place.first <= line <= s.place.last]
        names = set().union(*(s.made for s in at))
        actual: dict[Place, None] = {}
        left = sorted(names)
        while left:
            for statement in self._mentions.get(left.pop(), ()):
                if not statement.made:
                    actual[statement.place] = None
                left += sorted(statement.made - names)
                names |= statement.made
        return list(actual)


def _walk(file: str, node: ast.AST, inside: bool) -> Iterator[tuple[_Statement, ast.AST]]:
    """Each statement, and whether it runs in a function or at import."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            output = frozenset() if inside else frozenset(_made(child))
            yield _Statement(Place(file, *span(child)), output), child
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _walk(file, child, inside or is_function)


def span(node: ast.stmt | ast.ExceptHandler) -> tuple[int, int]:
    """From the first decorator to the line before the body."""
    body = getattr(node, "body", None)
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
    return first, max(last, node.lineno)


def _made(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    for target in filter(None, targets):
        for part in ast.walk(target):
            if isinstance(part, ast.Name):
                yield part.id


def _names(node: ast.AST) -> set[str]:
    """The names that stand in a statement itself, not in the statements below it."""
    actual, left = set(), [c for c in ast.iter_child_nodes(node) if not isinstance(c, ast.stmt)]
    while left:
        part = left.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            actual.add(part.id)
        elif isinstance(part, ast.Attribute):
            actual.add(part.attr)
        elif isinstance(part, ast.keyword) and part.arg:
            actual.add(part.arg)
        left += [c for c in ast.iter_child_nodes(part) if not isinstance(c, ast.stmt)]
    return actual
