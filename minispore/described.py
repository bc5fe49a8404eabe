"""The whole docstrings of public names: what ``help`` shows.

A docstring in the sources says what is special. ``reference/`` holds it with all that follows from
elsewhere: arguments, shapes and dtypes, errors, an example. ``tests/reference`` writes these files.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

# A name, or a class and its method, in a line; the docstring; a form feed between two entries.
_ENTRY = r"(\w+)\.?(\w*)\n([^\f]*)(?:\n\f\n|\Z)"


def describe() -> None:
    """Give every public name its docstring."""
    if sys.flags.optimize > 1:  # -OO: no docstrings
        return
    for path in Path(__file__).with_name("reference").glob("*.txt"):
        front = sys.modules[path.stem]
        text = path.read_text(encoding="utf-8")
        for holder, method, docstring in re.findall(_ENTRY, text):
            thing = getattr(front, holder)
            (vars(thing)[method] if method else thing).__doc__ = docstring


__all__ = ["describe"]
