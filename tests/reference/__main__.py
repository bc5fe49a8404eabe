"""Write ``minispore/foundation/reference``: ``python -m tests.reference [FOLDER]``.

Beside the docstrings it holds the stubs that a wheel has: with docstrings, for editors.
"""

from __future__ import annotations

import gc
import sys
import types
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

# The package reads the old entries at import, and this makes them of the sources' own docstrings.
quiet = types.ModuleType("minispore.foundation.docstrings")
quiet.attach_docstrings = lambda package, defining_module="": None  # type: ignore[attr-defined]
sys.modules["minispore.foundation.docstrings"] = quiet

from tests.reference.write import FOLDER, write  # noqa: E402
from tests.typing.stubs import write_documented_stubs  # noqa: E402

if __name__ == "__main__":
    gc.disable()  # the process is short, and a quarter of its time would be garbage collection
    folder = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else FOLDER
    with redirect_stderr(StringIO()):  # examples log and warn
        write(folder)
    write_documented_stubs(folder)
