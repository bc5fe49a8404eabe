"""The reader of the plan sees what it must."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.house import Module, _floors


@pytest.fixture
def module(tmp_path: Path):
    def module(source: str, name: str = "minispore.nn.cell") -> Module:
        path = tmp_path / f"{name.rpartition('.')[2]}.py"
        path.write_text(source)
        return Module(name, path)

    return module


def targets(module: Module, *known: str) -> list[str]:
    return [found.target for found in module.imports(dict.fromkeys(known, module))]


def test_a_name_from_a_module_and_a_module_from_a_package_are_told_apart(module) -> None:
    m = module("from minispore.core import dtype\nfrom minispore.core.dtype import float32\n")
    known = "minispore.core", "minispore.core.dtype"
    assert targets(m, *known) == ["minispore.core.dtype", "minispore.core.dtype"]


def test_relative_imports_are_made_absolute(module) -> None:
    m = module("from . import loss\nfrom ..ops.conv import Conv2D\n")
    assert targets(m, "minispore.nn.loss") == ["minispore.nn.loss", "minispore.ops.conv"]


def test_an_import_in_a_method_is_deferred(module) -> None:
    (found,) = module("class A:\n    def f(self):\n        import PIL.Image\n").imports({})
    assert found.deferred and found.line == 3


def test_an_import_for_the_type_checker_is_known_as_such(module) -> None:
    (found,) = module("if TYPE_CHECKING:\n    import numpy\n").imports({})
    assert found.for_types and not found.deferred


@pytest.mark.parametrize(
    ("source", "logic"),
    [
        ('"""Doc."""\nfrom minispore.nn.cell import Cell as Cell\n__all__ = ["Cell"]\n', []),
        ("from minispore.ops import conv\nConv = conv.Conv2D\n", []),
        ("def f():\n    return 1\n", ["def f():\n    return 1"]),
        ("VALUE = 3 + 4\n", ["VALUE = 3 + 4"]),
    ],
)
def test_to_import_and_to_name_is_no_logic(module, source: str, logic: list[str]) -> None:
    assert module(source).logic == logic


def test_a_door_says_that_it_is_one(module) -> None:
    assert module('"""Door: cells at an older path."""\n').is_door
    assert not module('"""Cells."""\n').is_door


def test_what_belongs_to_no_room_is_a_door(module) -> None:
    assert module("def f():\n    return 1\n", "minispore.common.api").is_door


def test_the_floors_are_those_of_the_picture() -> None:
    page = """
```
 L8 doors            __init__  common/
 L6 what you build   nn/  |  dataset/                       apart
 L4 the machine      device/                                live
                     device/model/                          priced
```
"""
    assert _floors(page) == [
        ["__init__", "common"],
        ["nn", "dataset"],
        ["device"],
        ["device.model"],
    ]
