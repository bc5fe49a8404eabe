"""Complete docstrings of public names, as shown by ``help``.

A docstring in the source contains only what is specific to the name. The files in ``reference/``
add what is derived: arguments, shapes and dtypes, errors, an example. ``tests/reference`` writes
these files (``make reference``). A wheel contains them; a checkout without them shows the
docstrings of the sources.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

# An entry: a line with a name, or a class and its method; then the docstring, ended by a form feed.
ENTRY = r"(\w+)\.?(\w*)\n([^\f]*)(?:\n\f\n|\Z)"


def attach_docstrings(package: str, module: str = "") -> None:
    """Set the docstrings of the public names of ``package`` from its reference file, if it exists.

    Called at the end of a package, and by a ``module`` that is imported later, for its own names.
    It has no effect under ``python -OO``.
    """
    path = Path(__file__).parent / "reference" / f"{package}.txt"
    if sys.flags.optimize > 1 or not path.exists():  # -OO: no docstrings
        return
    namespace = vars(sys.modules[module or package])
    for name, method, docstring in re.findall(ENTRY, path.read_text(encoding="utf-8")):
        if name in namespace:
            target = namespace[name]
            if module and not getattr(target, "__module__", module).startswith(module):
                continue  # imported names already have their docstrings
            (vars(target)[method] if method else target).__doc__ = docstring


__all__ = ["ENTRY", "attach_docstrings"]
