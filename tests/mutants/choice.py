"""Which tests are asked about a mutant: those that run its line, in good order."""

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
        every = [file for part in SETTINGS["parts"] for file in files(part)]
        self._readers = Readers({file: text(file) for file in every})
        for path in paths:
            record = json.loads(path.read_text(encoding="utf-8"))
            for file, lines in record["lines"].items():
                now = _moved(record["sources"][file], text(file))
                for line, actual in lines.items():
                    here = {n if n == _IMPORT else n + len(self.tests) for n in actual}
                    self.lines[file][now.get(int(line), 0)] |= here
            self.tests += record["tests"]
            self.seconds += record["seconds"]

    def choice(self, mutant: Mutant, most_s: float, kills: Counter[str]) -> Choice:
        """The tests for a mutant that together take at most ``most_s``.

        They run the line or its statement; where none does (another process ran it), its function
        or its file. What a line makes while its file is imported is seen by those that run the
        lines that read it (``Readers``), then by those of its class, then of its file. What saw
        most mutants of the file comes first.
        """
        statement, *around = _places(mutant.file, mutant.line)
        at = self._at(statement)
        imported = not at or _IMPORT in at
        line = self._at(Place(mutant.file, mutant.line, mutant.line))  # of a long table, one entry
        rings = [line, at | self._unseen(mutant.file)]
        if not at - {_IMPORT}:
            *bodies, file = around
            read = self._readers.of(mutant.file, mutant.line)
            here = [place for place in read if place.file == mutant.file]
            rings += [
                set().union(*map(self._at, places)) for places in (here, bodies, read, [file])
            ]
        order: dict[int, None] = {}
        of: set[str] = set()
        total = 0.0
        for ring in rings:
            for n in self._order(ring - {_IMPORT} - order.keys(), kills):
                test_file = self.tests[n].partition("::")[0]
                if at <= {_IMPORT} and len(of | {test_file}) > MOST_FILES:
                    continue
                of.add(test_file)
                total += self.seconds[n]
                if order and total > most_s:
                    break
                order[n] = None
        return Choice([self.tests[n] for n in order], [self.seconds[n] for n in order], imported)

    def _at(self, place: Place) -> set[int]:
        lines = self.lines[place.file]
        return {n for line in range(place.first, place.last + 1) for n in lines.get(line, ())}

    def _unseen(self, file: str) -> set[int]:
        """The tests that look at a file otherwise than by running its lines."""
        names = [t for pattern, t in SETTINGS["unseen"].items() if fnmatch.fnmatch(file, pattern)]
        return {n for n, test in enumerate(self.tests) if test.startswith(tuple(names))}

    def _order(self, numbers: set[int], kills: Counter[str]) -> list[int]:
        """Killers, then the fastest, in turn one of each file, and in a file of each function.

        Another file sees what the first can't, and another function what other arguments don't.
        """
        files: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for n in sorted(numbers, key=lambda n: self.seconds[n]):
            function = self.tests[n].partition("[")[0]
            files[function.partition("::")[0]][function].append(n)
        turns = _in_turn([_in_turn(functions.values()) for functions in files.values()])
        return sorted(turns, key=lambda n: -kills[self.tests[n]])


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


def _places(file: str, line: int) -> list[Place]:
    """The statement of a line, the functions and classes around it, and its file."""
    around = [s for s in _statements(file) if s.lineno <= line <= (s.end_lineno or 0)]
    around.sort(key=lambda s: -s.lineno)
    bodies = [s for s in around if isinstance(s, ast.FunctionDef | ast.ClassDef)]
    return [
        Place(file, *span(around[0])) if around else Place(file, line, line),
        *(Place(file, s.body[0].lineno, s.end_lineno or 0) for s in bodies),
        Place(file, 1, len(text(file).splitlines())),
    ]
