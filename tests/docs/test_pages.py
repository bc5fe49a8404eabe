"""All code on all pages runs as it stands, and prints what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import PAGES, PICTURES, ROOT, Block, blocks, run, same


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_programs_of_a_page_run_and_print_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.where:
            continue
        where = f"{name(page)}:{block.line}"
        text = run(block, names, where)
        if block.lang == "pycon":
            assert not text, text
        elif block.prints is not None:
            assert same(block.prints, text), f"{where} printed\n{text}"


@pytest.mark.parametrize("page", [p for p in PAGES if p.parent.name == "tutorials"], ids=name)
def test_a_tutorial_needs_no_extra(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("matplotlib", "onnxruntime", "PIL", "ml_dtypes"):
        monkeypatch.setitem(sys.modules, module, None)
    test_the_programs_of_a_page_run_and_print_what_it_says(page, tmp_path, monkeypatch)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_commands_of_a_page_exist_and_print_what_it_says(page: Path, tmp_path: Path) -> None:
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.lang == "console" and not block.where:
            for command, expected in commands(block):
                start(command, expected, tmp_path)


def commands(block: Block) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it prints, comments taken off."""
    pieces = re.split(r"^\$ ", block.text, flags=re.M)[1:]
    return [
        (piece.partition("\n")[0].partition("  #")[0].strip(), piece.partition("\n")[2])
        for piece in pieces
    ]


def start(command: str, expected: str, folder: Path) -> None:
    """Run a command if it says what it prints; else see that what it names is there."""
    words = command.split()
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.M), command
    elif words[0] == "python" and expected:
        done = subprocess.run(
            [sys.executable, *words[1:]],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert sorted(done.stdout.splitlines()) == sorted(expected.splitlines()), done.stderr
    else:
        assert words[0] in {"python", "pip", "source", "mpirun"}, f"{command}: unknown command"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_test_that_a_page_names_for_a_block_exists(page: Path) -> None:
    for block in blocks(page.read_text(encoding="utf-8")):
        assert not block.where or (ROOT / block.where).is_file(), f"{name(page)}:{block.line}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_files_and_pictures_that_a_page_links_to_exist(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    assert not [link for link in links if not (page.parent / link).exists()]


def test_the_folder_of_pictures_holds_nothing_else() -> None:
    assert [p.name for p in PICTURES.iterdir() if p.suffix != ".png"] == []
