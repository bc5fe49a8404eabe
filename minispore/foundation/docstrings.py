"""Full docstrings of public names, which ``help`` shows.

A docstring in the source has only what is special. The files in ``reference/`` add what follows
from elsewhere: arguments, shapes and dtypes, errors, an example. ``tests/reference`` writes
these files (``make reference``). A wheel holds them; a checkout without them shows the sources'
own docstrings.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

# An entry: a line with a name, or a class and its method; the docstring. A form feed ends it.
ENTRY = r"(\w+)\.?(\w*)\n([^\f]*)(?:\n\f\n|\Z)"


def attach_docstrings(package: str, module: str = "") -> None:
    """Set the docstrings of the public names of ``package`` from its reference file, if there is
    one.

    A package calls it at its end. A ``module`` that is imported later calls it for its own names.
    No effect under ``python -OO``.
    """
    path = Path(__file__).parent / "reference" / f"{package}.txt"
    if sys.flags.optimize > 1 or not path.exists():  # -OO: no docstrings
        return
    namespace = vars(sys.modules[module or package])
    for name, method, docstring in re.findall(ENTRY, path.read_text(encoding="utf-8")):
        if name in namespace:
            target = namespace[name]
            if module and not getattr(target, "__module__", module).startswith(module):
                continue  # imported names have their docstrings already
            (vars(target)[method] if method else target).__doc__ = docstring


__all__ = ["ENTRY", "attach_docstrings"]
