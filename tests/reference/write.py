"""Write the entries of all names as the files that the package reads."""

from __future__ import annotations

from pathlib import Path

from tests.reference.compose import entry, reference
from tests.reference.files import public_files
from tests.reference.names import FRONTS

FOLDER = Path(__file__).resolve().parents[2] / "minispore" / "foundation" / "reference"
MARK = "\n\f\n"


def texts() -> tuple[dict[Path, str], dict[str, list[str]]]:
    """Return the text of each front's file, and the missing sections of each name."""
    results_by_name: dict[str, list[str]] = {front: [] for front in FRONTS}
    missing = {}
    for text, name in reference().all.items():
        output = entry(text)
        doc = output.docstring()
        lacks = output.missing(doc)
        if lacks:
            missing[text] = lacks
        results_by_name[name.front].append(f"{name.path}\n{doc.text()}")
    return {
        FOLDER / f"{front}.txt": MARK.join(e) for front, e in results_by_name.items() if e
    }, missing


def write(folder: Path = FOLDER) -> None:
    """Write the files, and print what is missing."""
    folder = folder.resolve()
    with public_files():
        by_path, missing = texts()
    folder.mkdir(parents=True, exist_ok=True)
    for stale in {path.name for path in folder.glob("*.txt")} - {path.name for path in by_path}:
        (folder / stale).unlink()
    for path, text in by_path.items():
        (folder / path.name).write_text(text, encoding="utf-8")
    for name, sections in missing.items():
        print(f"{name}: {', '.join(sections)}")


def read_entries(folder: Path) -> list[tuple[str, str, str]]:
    """Return the front, the path below it and the docstring of each entry; none of no files."""
    return [
        (file.stem, *entry.partition("\n")[::2])
        for file in sorted(folder.glob("*.txt"))
        for entry in file.read_text("utf-8").split(MARK)
    ]
