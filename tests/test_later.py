"""Rooms that open at the first look."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import minispore as ms
import minispore.dataset as ds
from minispore import nn

FRONTS = pytest.mark.parametrize("front", [ms, ds, nn], ids=lambda front: front.__name__)


def fresh(program: str, root: Path) -> list[str]:
    """The words that a new interpreter prints."""
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )
    return ran.stdout.split()


def test_importing_the_package_opens_none_of_them(root: Path) -> None:
    program = (
        "import sys, minispore as ms\n"
        "fronts = ms, ms.dataset, ms.nn\n"
        "print(*({room for f in fronts for room in f._LAZY_MODULES.values()} & sys.modules.keys()))"
    )
    assert fresh(program, root) == []


def test_a_look_opens_one_and_gives_what_an_import_gives(root: Path) -> None:
    program = (
        "import minispore as ms\n"
        "seen = ms.mint, ms.dataset.vision, ms.dataset.CocoDataset\n"
        "import minispore.mint, minispore.dataset.vision\n"
        "from minispore.dataset.sources.pictures.coco import CocoDataset\n"
        "assert seen == (minispore.mint, minispore.dataset.vision, CocoDataset)\n"
        "print(*(bool(thing.__doc__) for thing in seen), 'Args:' in CocoDataset.__doc__)"
    )
    assert fresh(program, root) == ["True"] * 4


@FRONTS
def test_each_is_listed_and_is_what_its_room_has(front: object) -> None:
    for name, where in front._LAZY_MODULES.items():  # type: ignore[attr-defined]
        room = importlib.import_module(where)
        assert name in dir(front)
        assert getattr(front, name) in (room, getattr(room, name, None))


@FRONTS
def test_an_unknown_name_raises_attribute_error(front: object) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'visoin'") as raised:
        front.visoin  # type: ignore[attr-defined]
    assert (raised.value.name, raised.value.obj) == ("visoin", front)
