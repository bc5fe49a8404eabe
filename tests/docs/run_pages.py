"""Run the programs of the README and of the tutorials on the minispore that is installed.

``python tests/docs/run_pages.py`` shows that the pages work after a plain installation, without
extras: ``make dist`` runs it in an empty environment.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
sys.path.pop(0)
sys.path.append(str(_ROOT))  # behind the installed packages, so that the checkout is not imported

from tests.docs.pages import blocks, run, same  # noqa: E402


def find_failures(page: Path) -> list[str]:
    """Run all programs of ``page``, and return what fails or prints something else."""
    failures = []
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.where or block.lang not in ("python", "pycon"):
            continue
        place = f"{page.name}:{block.line}"
        try:
            printed = run(block, names, place)
        except Exception as error:
            failures.append(f"{place}: {type(error).__name__}: {error}")
            continue
        if block.lang == "pycon" and printed:
            failures.append(f"{place}: {printed}")
        if block.prints is not None and not same(block.prints, printed):
            failures.append(f"{place} printed:\n{printed}")
    return failures


def main() -> int:
    """Run every page in a folder that is removed afterwards; return the exit status."""
    import minispore

    if Path(minispore.__file__).is_relative_to(_ROOT / "minispore"):
        print("minispore is not installed; this runs the checkout.")
    failures = []
    for page in [_ROOT / "README.md", *sorted((_ROOT / "docs" / "tutorials").glob("*.md"))]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            failures += find_failures(page)
            os.chdir(_ROOT)
    print("\n".join(failures) or f"The programs of all pages ran on {minispore.__file__}.")
    return len(failures) > 0


if __name__ == "__main__":
    sys.exit(main())
