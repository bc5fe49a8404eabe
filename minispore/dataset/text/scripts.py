"""The scripts of characters: Latin, Han, Cyrillic, ... (``scripts.txt``).

A line has a script's short name, its long name, and its code points (hexadecimal). A character
that is not listed has no script. Source: Unicode 15.1, as in ICU.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from pathlib import Path

Ranges = tuple[tuple[int, int], ...]  # of code points: ends included, in order and disjoint


@lru_cache(maxsize=1)
def _read_scripts() -> dict[str, tuple[str, Ranges]]:
    """Read and cache the scripts, a dict from short name to long name and ranges."""
    scripts = {}
    for line in Path(__file__).with_suffix(".txt").read_text("ascii").splitlines():
        short, long, *range_texts = line.split()
        edges = [range_text.split("-") for range_text in range_texts]
        scripts[short] = long, tuple((int(e[0], 16), int(e[-1], 16)) for e in edges)
    return scripts


def get_script_ranges(name: str) -> Ranges | None:
    """Return the ranges of a script; None if there is no such script.

    Args:
        name (str): the long or short name, in lower case without separators.

    >>> get_script_ranges("runic")
    ((5792, 5866), (5870, 5880))
    """
    for short, (long, ranges) in _read_scripts().items():
        if name in (short.lower(), long.lower().replace("_", "")):
            return ranges
    return None


@lru_cache(maxsize=1)
def _list_boundaries() -> tuple[list[int], list[str]]:
    """Return the code points at which the script changes, and the script from each on.

    A script is given by its short name, ``""`` for none. The lists begin with code point 0 and are
    cached.
    """
    spans = sorted(
        (low, high, script)
        for script, (_, ranges) in _read_scripts().items()
        for low, high in ranges
    )
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


def get_script(character: str) -> str:
    """Return the short name of a character's script, or "" if it has none.

    >>> [get_script(c) for c in "a北1"]
    ['Latn', 'Hani', 'Zyyy']
    """
    starts, scripts = _list_boundaries()
    return scripts[bisect_right(starts, ord(character)) - 1]


__all__ = ["Ranges", "get_script", "get_script_ranges"]
