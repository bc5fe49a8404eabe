"""docs/house.md names each room, and each file that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.house import ROOMS


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "house.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_is_on_the_map(page: str, room: str) -> None:
    picture = page.split("```")[1]
    assert re.search(rf"\b{room}\b", picture)


def test_each_file_that_the_map_names_is_there(page: str, root: Path) -> None:
    for name in re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", page):
        assert (root / "minispore" / name).exists() or (root / name).exists(), name
