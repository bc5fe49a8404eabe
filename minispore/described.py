"""The whole docstrings of public names: what ``help`` shows.

A docstring in the sources says what is special. ``reference/`` holds it with all that follows from
elsewhere: arguments, shapes and dtypes, errors, an example. ``tests/reference`` writes these files.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

# A name, or a class and its method, in a line; the docstring; a form feed between two entries.
ENTRY = r"(\w+)\.?(\w*)\n([^\f]*)(?:\n\f\n|\Z)"


def describe(front: str, room: str = "") -> None:
    """Give each public name of ``front`` its docstring; a front calls it at its end, and so does a
    ``room`` behind it that opens later.
    """
    path = Path(__file__).parent / "reference" / f"{front}.txt"
    if sys.flags.optimize > 1:  # -OO: no docstrings
        return
    there = vars(sys.modules[room or front])
    for holder, method, docstring in re.findall(ENTRY, path.read_text(encoding="utf-8")):
        if holder in there:
            thing = there[holder]
            if room and not getattr(thing, "__module__", room).startswith(room):
                continue  # what a room only uses has its docstring
            (vars(thing)[method] if method else thing).__doc__ = docstring


__all__ = ["ENTRY", "describe"]
