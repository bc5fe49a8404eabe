"""Choose the tests for a mutant: those that run its line, in an order that kills early."""

from __future__ import annotations

import ast
import fnmatch
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from tests.mutants.catalogue import SETTINGS, Mutant, files, text
from tests.mutants.readers import Place, Readers, span

MOST_FILES = 6  # of tests that are imported for a mutant that must be imported anew
_IMPORT = -1  # where coverage names no test, the line ran while a file was imported


class Choice(NamedTuple):
    """Tests in order, the seconds of each, and whether the line also runs at import."""

    tests: list[str]
    seconds: list[float]
    imported: bool


class Reached:
    """The records of ``tests.mutants.reached``: which tests run each line."""

    def __init__(self, paths: list[Path]) -> None:
        self.tests: list[str] = []
        self.seconds: list[float] = []
        self.lines: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        every = [file for part in SETTINGS["parts"] for file in files(part)]
        self._readers = Readers({file: text(file) for file in every})
        for path in paths:
            record = json.loads(path.read_text(encoding="utf-8"))
            for file, lines in record["lines"].items():
                now = _match_lines(record["sources"][file], text(file))
                for line, actual in lines.items():
                    places_in_file = {n if n == _IMPORT else n + len(self.tests) for n in actual}
                    self.lines[file][now.get(int(line), 0)] |= places_in_file
            self.tests += record["tests"]
            self.seconds += record["seconds"]

    def choice(self, mutant: Mutant, most_s: float, kills: Counter[str]) -> Choice:
        """Choose tests for a mutant that together take at most ``most_s``.

        They run the line or its statement; where none does (another process ran it), its function
        or its file. What a line makes while its file is imported is seen by those that run the
        lines that read it (``Readers``), then by those of its class, then of its file. What saw
        most mutants of the file comes first.
        """
        statement, *around = _find_places(mutant.file, mutant.line)
        tests_of_statement = self._find_tests(statement)
        imported = not tests_of_statement or _IMPORT in tests_of_statement
        line = self._find_tests(
            Place(mutant.file, mutant.line, mutant.line)
        )  # of a long table, one entry
        rings = [line, tests_of_statement | self._find_declared_tests(mutant.file)]
        if not tests_of_statement - {_IMPORT}:
            *bodies, file = around
            read = self._readers.find_readers(mutant.file, mutant.line)
            places_in_file = [place for place in read if place.file == mutant.file]
            rings += [
                set().union(*map(self._find_tests, places))
                for places in (places_in_file, bodies, read, [file])
            ]
        order: dict[int, None] = {}
        test_files: set[str] = set()
        total = 0.0
        for ring in rings:
            for n in self._order_tests(ring - {_IMPORT} - order.keys(), kills):
                test_file = self.tests[n].partition("::")[0]
                if tests_of_statement <= {_IMPORT} and len(test_files | {test_file}) > MOST_FILES:
                    continue
                test_files.add(test_file)
                total += self.seconds[n]
                if order and total > most_s:
                    break
                order[n] = None
        return Choice([self.tests[n] for n in order], [self.seconds[n] for n in order], imported)

    def _find_tests(self, place: Place) -> set[int]:
        lines = self.lines[place.file]
        return {n for line in range(place.first, place.last + 1) for n in lines.get(line, ())}

    def _find_declared_tests(self, file: str) -> set[int]:
        """Return the tests that the settings name for a file whose lines they don't run."""
        names = [t for pattern, t in SETTINGS["unseen"].items() if fnmatch.fnmatch(file, pattern)]
        return {n for n, test in enumerate(self.tests) if test.startswith(tuple(names))}

    def _order_tests(self, numbers: set[int], kills: Counter[str]) -> list[int]:
        """Order tests: killers first, then the fastest, in turn one of each file and of
        each function.

        Another file sees what the first can't, and another function what other arguments don't.
        """
        files: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for n in sorted(numbers, key=lambda n: self.seconds[n]):
            function = self.tests[n].partition("[")[0]
            files[function.partition("::")[0]][function].append(n)
        turns = _interleave([_interleave(functions.values()) for functions in files.values()])
        return sorted(turns, key=lambda n: -kills[self.tests[n]])


def _interleave(rows: Iterable[list[int]]) -> list[int]:
    """Take one of each row in turn."""
    return [n for rank in zip_longest(*rows) for n in rank if n is not None]


@cache
def _match_lines(before: str, now: str) -> dict[int, int]:
    """Map each line that both texts have from its old number to its new one."""
    if before == now:
        return {line: line for line in range(1, len(before.splitlines()) + 1)}
    matcher = SequenceMatcher(None, before.splitlines(), now.splitlines(), autojunk=False)
    return {
        block.a + i + 1: block.b + i + 1
        for block in matcher.get_matching_blocks()
        for i in range(block.size)
    }


@cache
def _list_statements(file: str) -> list[ast.stmt | ast.ExceptHandler]:
    nodes = ast.walk(ast.parse(text(file)))
    return [n for n in nodes if isinstance(n, ast.stmt | ast.ExceptHandler)]


def _find_places(file: str, line: int) -> list[Place]:
    """Return the statement of a line, the functions and classes around it, and its file."""
    around = [s for s in _list_statements(file) if s.lineno <= line <= (s.end_lineno or 0)]
    around.sort(key=lambda s: -s.lineno)
    bodies = [s for s in around if isinstance(s, ast.FunctionDef | ast.ClassDef)]
    return [
        Place(file, *span(around[0])) if around else Place(file, line, line),
        *(Place(file, s.body[0].lineno, s.end_lineno or 0) for s in bodies),
        Place(file, 1, len(text(file).splitlines())),
    ]
