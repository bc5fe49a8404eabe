"""Scripts: which characters are Latin, Han, Cyrillic, ... (``scripts.txt``).

A line has a script's short name, its long one, and its characters by their numbers (hexadecimal).
What is in no line is of no script. Source: Unicode 15.1, as ICU reads it.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from pathlib import Path

Ranges = tuple[tuple[int, int], ...]  # of code points, both ends inside, in order and apart


@lru_cache(maxsize=1)
def _lines() -> dict[str, tuple[str, Ranges]]:
    """By short names: the long one, and the characters."""
    found = {}
    for line in Path(__file__).with_suffix(".txt").read_text("ascii").splitlines():
        short, long, *given = line.split()
        edges = [some.split("-") for some in given]
        found[short] = long, tuple((int(e[0], 16), int(e[-1], 16)) for e in edges)
    return found


def characters_of(name: str) -> Ranges | None:
    """The characters of a script by its long or short name, in small letters without separators;
    None if there is no such script.

    >>> characters_of("runic")
    ((5792, 5866), (5870, 5880))
    """
    for short, (long, ranges) in _lines().items():
        if name in (short.lower(), long.lower().replace("_", "")):
            return ranges
    return None


@lru_cache(maxsize=1)
def _edges() -> tuple[list[int], list[str]]:
    """Where scripts begin and end in order, and which begins there; "" is none."""
    spans = sorted((low, high, s) for s, (_, ranges) in _lines().items() for low, high in ranges)
    starts, scripts = [0], [""]
    for low, high, script in spans:
        if starts[-1] == low:
            scripts[-1] = script
        else:
            starts.append(low)
            scripts.append(script)
        starts.append(high + 1)
        scripts.append("")
    return starts, scripts


def script_of(character: str) -> str:
    """The short name of the script that a character is of, or ``""``.

    >>> [script_of(c) for c in "a北1"]
    ['Latn', 'Hani', 'Zyyy']
    """
    starts, scripts = _edges()
    return scripts[bisect_right(starts, ord(character)) - 1]


__all__ = ["Ranges", "characters_of", "script_of"]
