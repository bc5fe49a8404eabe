"""The whole docstrings of public names: what ``help`` shows.

A docstring in the sources says what is special. ``reference/`` holds it with all that follows from
elsewhere: arguments, shapes and dtypes, errors, an example. ``tests/reference`` writes these files.
"""

from __future__ import annotations

import sys
from pathlib import Path

_MARK = "\n\f\n"  # between two entries, of which each begins with a line for its name


def describe() -> None:
    """Give every public name its docstring."""
    if sys.flags.optimize > 1:  # -OO: no docstrings
        return
    for path in Path(__file__).with_name("reference").glob("*.txt"):
        front = sys.modules[path.stem]
        for entry in path.read_text(encoding="utf-8").split(_MARK):
            name, _, text = entry.partition("\n")
            holder, _, method = name.partition(".")
            thing = getattr(front, holder)
            (vars(thing)[method] if method else thing).__doc__ = text


__all__ = ["describe"]
