"""Read what arguments mean from ``glossary/*.txt``, which says it once.

A section holds for the public names that its patterns match, a later one goes before an earlier::

    [ops.* mint.*]
    axis (int): the axis that ...
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

_LINE = re.compile(r"(?P<names>\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: \((?P<type>[^)]*)\))?: (?P<text>.*)")
Meaning = tuple[str, str]  # the type, and the words


@cache
def _read_sections() -> list[tuple[list[str], dict[str, Meaning]]]:
    results: list[tuple[list[str], dict[str, Meaning]]] = []
    for path in sorted(Path(__file__).with_name("glossary").glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            entry = _LINE.match(line)
            if line.startswith("["):
                results.append((line.strip("[] ").split(), {}))
            elif entry:
                for name in entry["names"].split(", "):
                    assert name not in results[-1][1], f"{path.name}: {name} twice in a section"
                    results[-1][1][name] = (entry["type"] or "", entry["text"])
            else:
                assert not line.strip() or line.startswith("#"), f"{path.name}: {line}"
    return results


def meaning(text: str, argument: str) -> Meaning | None:
    """Return the type and the meaning of ``argument`` of the public name ``text``."""
    for patterns, words in reversed(_read_sections()):
        if argument in words and any(fnmatchcase(text, p) for p in patterns):
            return words[argument]
    return None
