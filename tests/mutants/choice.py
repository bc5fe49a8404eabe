"""Which tests are asked about a mutant: those that run its line, in good order."""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from tests.mutants.catalogue import SETTINGS, Mutant, text

_IMPORT = -1  # where coverage names no test, the line ran while a file was imported


class Choice(NamedTuple):
    """Tests in order, what each takes, and whether the line also runs at import."""

    tests: list[str]
    seconds: list[float]
    imported: bool


class Reached:
    """What ``tests.mutants.reached`` has seen."""

    def __init__(self, paths: list[Path]) -> None:
        self.tests: list[str] = []
        self.seconds: list[float] = []
        self.lines: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        for path in paths:
            record = json.loads(path.read_text(encoding="utf-8"))
            for file, lines in record["lines"].items():
                now = _moved(record["sources"][file], text(file))
                for line, found in lines.items():
                    here = {n if n == _IMPORT else n + len(self.tests) for n in found}
                    self.lines[file][now.get(int(line), 0)] |= here
            self.tests += record["tests"]
            self.seconds += record["seconds"]

    def choice(self, mutant: Mutant, most_s: float) -> Choice:
        """The tests for a mutant that together take at most ``most_s``.

        They run the statement; where none does (it ran at import, or in another process), its
        function; where none does, its file. Those that run it in a program of its own are named
        in the settings.
        """
        programs = SETTINGS["programs"].get(mutant.file)
        unseen = {n for n, t in enumerate(self.tests) if programs and t.startswith(programs)}
        found: set[int] = set()
        imported = False
        for first, last in _places(mutant.file, mutant.line):
            lines = self.lines[mutant.file]
            at = {n for line in range(first, last + 1) for n in lines.get(line, ())}
            imported = imported or _IMPORT in at
            found = at - {_IMPORT}
            if found:
                break
        order, total = [], 0.0
        for n in self._order(found | unseen):
            total += self.seconds[n]
            if order and total > most_s:
                break
            order.append(n)
        return Choice([self.tests[n] for n in order], [self.seconds[n] for n in order], imported)

    def _order(self, numbers: set[int]) -> list[int]:
        """The fastest first, in turn one of each file, and in a file one of each function.

        Another file sees what the first can't, and another function what other arguments don't.
        """
        files: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for n in sorted(numbers, key=lambda n: self.seconds[n]):
            function = self.tests[n].partition("[")[0]
            files[function.partition("::")[0]][function].append(n)
        return _in_turn([_in_turn(functions.values()) for functions in files.values()])


def _in_turn(rows: Iterable[list[int]]) -> list[int]:
    return [n for rank in zip_longest(*rows) for n in rank if n is not None]


@cache
def _moved(before: str, now: str) -> dict[int, int]:
    """Where each line that is still there was, and is."""
    if before == now:
        return {line: line for line in range(1, len(before.splitlines()) + 1)}
    same = SequenceMatcher(None, before.splitlines(), now.splitlines(), autojunk=False)
    return {
        block.a + i + 1: block.b + i + 1
        for block in same.get_matching_blocks()
        for i in range(block.size)
    }


@cache
def _statements(file: str) -> list[ast.stmt | ast.ExceptHandler]:
    nodes = ast.walk(ast.parse(text(file)))
    return [n for n in nodes if isinstance(n, ast.stmt | ast.ExceptHandler)]


def _places(file: str, line: int) -> list[tuple[int, int]]:
    """The statement of a line, its function and its file, by their first and last lines."""
    around = [s for s in _statements(file) if s.lineno <= line <= (s.end_lineno or 0)]
    around.sort(key=lambda s: -s.lineno)
    statement = around[0] if around else None
    body = getattr(statement, "body", None)
    functions = [s for s in around if isinstance(s, ast.FunctionDef)]
    end = (body[0].lineno - 1 if body else statement.end_lineno) if statement else line
    return [
        (statement.lineno if statement else line, max(end or line, line)),
        *((f.body[0].lineno, f.end_lineno or 0) for f in functions),
        (1, len(text(file).splitlines())),
    ]
