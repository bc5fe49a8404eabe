"""The code on a page: what is in its blocks, and what it says comes out.

* A ``python`` block runs as it stands, after those before it on the page; a block without a
  language right behind it is what it prints.
* A ``pycon`` block is a session, run in the same way.
* A ``console`` block holds commands after ``$``, each with what it prints.
* ``<!-- elsewhere: tests/x.py -->`` before a block names the test that holds it true instead.

A number with a point may differ in its last digits from machine to machine.

``python -m tests.docs.pages PAGE ...`` runs pages, keeps the pictures that they draw, and fills in
the outputs that are still empty.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import math
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "images" / "tutorials"
PAGES = sorted([*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")])

_FENCE = re.compile(
    r"(?:<!-- elsewhere: (?P<where>\S+) -->\n+)?^```(?P<lang>\w*)\n(?P<text>.*?)^```$", re.M | re.S
)
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
CLOSE = 2e-3


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    lang: str
    text: str
    line: int
    where: str  # the test that it is left to, or ""
    prints: str | None  # of a python block: the block without a language right behind it


def blocks(page: str) -> list[Block]:
    """All blocks of a page, outputs with the programs that print them."""
    results = list(_FENCE.finditer(page))
    outputs = []
    for i, match in enumerate(results):
        behind = results[i + 1] if i + 1 < len(results) else None
        is_output = behind is not None and not behind["lang"] and not behind["where"]
        joined = is_output and not page[match.end() : behind.start()].strip()  # type: ignore[union-attr]
        prints = behind["text"] if joined and behind and match["lang"] == "python" else None
        line = page.count("\n", 0, match.start("text")) + 1
        outputs.append(Block(match["lang"], match["text"], line, match["where"] or "", prints))
    return outputs


def same(expected: str, printed: str) -> bool:
    """Whether a page's output is what was printed; a line ``...`` stands for any lines.

    >>> same("loss 0.25001\\n...\\n", "loss 0.25002\\nmore\\nand more\\n")
    True
    >>> same("1 step\\n", "2 step\\n")
    False
    >>> same("[0.25 -0.5]\\n", "[ 0.25000003 -0.5       ]\\n")
    True
    """
    pieces = [
        piece.strip("\n").splitlines() for piece in re.split(r"^\.\.\.$", expected, flags=re.M)
    ]
    lines = printed.strip("\n").splitlines()
    if not _alike(pieces[0], lines[: len(pieces[0])]):
        return False
    rest = lines[len(pieces[0]) :]
    for piece in pieces[1:]:
        starts = range(len(rest) - len(piece) + 1)
        at = next((k for k in starts if _alike(piece, rest[k : k + len(piece)])), None)
        if at is None:
            return False
        rest = rest[at + len(piece) :] if piece else []
    return not rest


def _alike(expected: list[str], printed: list[str]) -> bool:
    if len(expected) != len(printed):
        return False
    for a, b in zip(expected, printed):
        if _words(a) != _words(b):
            return False
        pairs = zip(_NUMBER.findall(a), _NUMBER.findall(b))
        if not all(math.isclose(float(x), float(y), rel_tol=CLOSE) for x, y in pairs):
            return False
    return True


def _words(line: str) -> list[str]:
    """What stands around the numbers; NumPy pads them to one width."""
    return re.sub(r"(?<=\[)\s+|\s+(?=\])", "", _NUMBER.sub("#", line)).split()


_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def run(block: Block, names: dict[str, Any], where: str) -> str:
    """Run a block among the names of its page; what it prints, or what is wrong with a session."""
    printed = io.StringIO()
    if block.lang == "python":
        with contextlib.redirect_stdout(printed):
            exec(compile(block.text, where.rpartition("/")[2].partition(":")[0], "exec"), names)
    elif block.lang == "pycon":
        runner = doctest.DocTestRunner(verbose=False, optionflags=_FLAGS)
        session = doctest.DocTestParser().get_doctest(block.text, names, where, None, 0)
        runner.run(session, out=printed.write, clear_globs=False)
        names.update(session.globs)
        return printed.getvalue() if runner.failures else ""
    return printed.getvalue()


def fill(page: Path) -> None:
    """Run a page and write what its programs print where the page says nothing yet."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(text):
        if block.lang in ("python", "pycon") and not block.where:
            message = run(block, names, f"{page.name}:{block.line}")
            if block.lang == "python" and block.prints == "":
                empty = f"```python\n{block.text}```\n\n```\n```"
                text = text.replace(empty, f"{empty[:-3]}{message.rstrip()}\n```")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    pages = [Path(name).resolve() for name in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for page in pages:
            fill(page)
        for picture in Path(folder).glob("*.png"):  # and none of the other files that pages write
            shutil.copy(picture, PICTURES)
        os.chdir(ROOT)
