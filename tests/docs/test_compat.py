"""docs/compat.md lists what the package has, and the package has what it lists."""

from __future__ import annotations

import importlib
import re

import pytest

from tests.docs import compat


def test_the_page_is_up_to_date() -> None:
    page = [(path, where) for path, where, _ in compat.written()]
    missing = sorted(set(compat.table()) - set(page))
    gone = sorted(set(page) - set(compat.table()))
    assert not missing and not gone, "run `make docs`"
    assert page == list(compat.table())


def test_each_path_of_the_page_imports() -> None:
    for path, _, _ in compat.written():
        parent, _, name = path.replace("mindspore", "minispore", 1).rpartition(".")
        if parent and hasattr(importlib.import_module(parent), name):
            continue
        compat.ours(path)


@pytest.mark.parametrize("room", ["nn", "ops", "train", "dataset", "dataset.vision", "amp"])
def test_each_public_name_of_a_room_has_a_row(room: str) -> None:
    listed = {path for path, _, _ in compat.written()}
    module = importlib.import_module(f"minispore.{room}")
    assert {f"mindspore.{room}.{name}" for name in compat.public_names(module)} <= listed


def test_each_room_of_the_page_is_a_module() -> None:
    for where in {where for _, where, _ in compat.written()} - {"the front"}:
        importlib.import_module(f"minispore.{where}")


def test_a_known_difference_is_a_phrase() -> None:
    for path, _, what in compat.written():
        assert what == what.strip() and not what.endswith("."), path


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/house.md", "docs/compat.md"]
)
def test_links_inside_the_project_lead_somewhere(page: str) -> None:
    path = compat.PAGE.parents[1] / page
    for link in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / link).exists(), link
