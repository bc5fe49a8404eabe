"""Report the mutants by part and by file, and every one that no test noticed."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # it needs the extra
    from tests.mutants.catalogue import Mutant


@dataclass(frozen=True)
class Result:
    """A mutant of the sample with its outcome."""

    part: str
    mutant_count: int  # mutants that the part has
    mutant: Mutant
    key: str
    why: str  # it is equivalent, if it is
    word: str = "not tried"
    test: str = ""  # at which its life ended

    @property
    def outcome(self) -> str:
        return "equivalent" if self.why else self.word


KILLED = ("killed", "died", "timed out")
COLUMNS = ("killed", "died", "timed out", "survived", "no test", "equivalent", "not tried")


def format_report(results: list[Result]) -> str:
    """Return the tables by part and by file, and the survivors."""
    parts = list(dict.fromkeys(r.part for r in results))
    mutant_count = {r.part: str(r.of) for r in results}
    by_part = [
        _make_row(part, mutant_count[part], [r for r in results if r.part == part])
        for part in parts
    ]
    names = list(dict.fromkeys(r.mutant.file for r in results))
    by_file = [_make_row(f, "", [r for r in results if r.mutant.file == f]) for f in sorted(names)]
    survivors = [
        f"{r.mutant.file}:{r.mutant.line} {r.mutant.operator} ({r.test})\n    {a}\n    {b}"
        for r in results
        if r.outcome in ("survived", "no test")
        for a, b in [r.mutant.change()]
    ]
    total = _make_row("all", str(sum(map(int, mutant_count.values()))), results)
    return "\n".join(
        [
            _format_table("part", [*by_part, total]),
            "",
            _format_table("file", by_file),
            "",
            *survivors,
        ]
    )


def compute_interval(killed: int, tried: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's 95 % confidence interval of a rate.

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical
    inference, 1927.
    """
    if not tried:
        return 0.0, 1.0
    p, n = killed / tried, tried
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def _make_row(name: str, mutant_count: str, results: list[Result]) -> list[str]:
    counts = Counter(r.outcome for r in results)
    killed = sum(counts[word] for word in KILLED)
    tried = killed + counts["survived"] + counts["no test"]
    low, high = compute_interval(killed, tried)
    rate = f"{killed / tried:.1%} ({low:.1%} to {high:.1%})" if tried else ""
    return [name, mutant_count, str(len(results)), *(str(counts[word]) for word in COLUMNS), rate]


def _format_table(first: str, rows: list[list[str]]) -> str:
    head = [first, "mutants", "drawn", *COLUMNS, "killed of tried (95 %)"]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))])
        for row in [head, *rows]
    )
