"""The reader of imports and layers finds what it must."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.layers import Module, read_layers


@pytest.fixture
def module(tmp_path: Path):
    def module(source: str, name: str = "minispore.nn.cell") -> Module:
        path = tmp_path / f"{name.rpartition('.')[2]}.py"
        path.write_text(source)
        return Module(name, path)

    return module


def targets(module: Module, *names: str) -> list[str]:
    return [i.target for i in module.imports(dict.fromkeys(names, module))]


def test_imports_of_a_module_and_of_a_name_have_the_same_target(module) -> None:
    m = module("from minispore.core import dtype\nfrom minispore.core.dtype import float32\n")
    names = "minispore.core", "minispore.core.dtype"
    assert targets(m, *names) == ["minispore.core.dtype", "minispore.core.dtype"]


def test_relative_imports_are_resolved_to_absolute_names(module) -> None:
    m = module("from . import loss\nfrom ..ops.conv import Conv2D\n")
    assert targets(m, "minispore.nn.loss") == ["minispore.nn.loss", "minispore.ops.conv"]


def test_an_import_in_a_method_is_deferred(module) -> None:
    (statement,) = module("class A:\n    def f(self):\n        import PIL.Image\n").imports({})
    assert statement.is_deferred and statement.line == 3


def test_an_import_for_the_type_checker_is_marked(module) -> None:
    (statement,) = module("if TYPE_CHECKING:\n    import numpy\n").imports({})
    assert statement.is_for_types and not statement.is_deferred


@pytest.mark.parametrize(
    ("source", "logic"),
    [
        ('"""Doc."""\nfrom minispore.nn.cell import Cell as Cell\n__all__ = ["Cell"]\n', []),
        ("from minispore.ops import conv\nConv = conv.Conv2D\n", []),
        ("def f():\n    return 1\n", ["def f():\n    return 1"]),
        ("VALUE = 3 + 4\n", ["VALUE = 3 + 4"]),
    ],
)
def test_importing_and_naming_is_no_logic(module, source: str, logic: list[str]) -> None:
    assert module(source).logic == logic


def test_the_docstring_of_an_alias_module_says_so(module) -> None:
    assert module('"""Alias module: cells at an older path."""\n').is_alias
    assert not module('"""Cells."""\n').is_alias


def test_the_layers_are_those_of_the_diagram() -> None:
    page = """
```
 L8 front            __init__  commands/
 L6 building blocks  nn/  |  dataset/                       apart
 L4 device           device/                                live
                     device/model/                          priced
```
"""
    assert read_layers(page) == [
        ["__init__", "commands"],
        ["nn", "dataset"],
        ["device"],
        ["device.model"],
    ]
