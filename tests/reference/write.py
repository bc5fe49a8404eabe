"""The entries of all names, as the files that the package reads."""

from __future__ import annotations

from pathlib import Path

from tests.docs.pages import same
from tests.reference.compose import entry, reference
from tests.reference.files import public_files
from tests.reference.names import FRONTS

FOLDER = Path(__file__).resolve().parents[2] / "minispore" / "foundation" / "reference"
MARK = "\n\f\n"


def texts() -> tuple[dict[Path, str], dict[str, list[str]]]:
    """The text of each front's file, and what is missing of each name."""
    found: dict[str, list[str]] = {front: [] for front in FRONTS}
    missing = {}
    for said, name in reference().all.items():
        made = entry(said)
        doc = made.docstring()
        lacks = made.missing(doc)
        if lacks:
            missing[said] = lacks
        found[name.front].append(f"{name.path}\n{doc.text()}")
    return {FOLDER / f"{front}.txt": MARK.join(e) for front, e in found.items() if e}, missing


def write(folder: Path = FOLDER) -> None:
    """Write the files, and say what is missing. An entry whose numbers differ only in their last
    digits, as from machine to machine, stays as it was.
    """
    folder = folder.resolve()
    with public_files():
        made, missing = texts()
    folder.mkdir(exist_ok=True)
    for path, text in made.items():
        file = folder / path.name
        old = file.read_text("utf-8").split(MARK) if file.exists() else []
        by_name = {e.partition("\n")[0]: e for e in old}
        entries = []
        for one in text.split(MARK):
            before = by_name.get(one.partition("\n")[0], "")
            entries.append(before if same(before, one) else one)
        file.write_text(MARK.join(entries), encoding="utf-8")
    for said, lacks in missing.items():
        print(f"{said}: {', '.join(lacks)}")
