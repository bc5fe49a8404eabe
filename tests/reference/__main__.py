"""Write ``minispore/foundation/reference``: ``python -m tests.reference``."""

from __future__ import annotations

import sys
import types
from pathlib import Path

# The package reads the old entries at import, and this makes them of the sources' own docstrings.
quiet = types.ModuleType("minispore.foundation.docstrings")
quiet.attach_docstrings = lambda package, defining_module="": None  # type: ignore[attr-defined]
sys.modules["minispore.foundation.docstrings"] = quiet

from tests.reference.write import FOLDER, write  # noqa: E402

if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
