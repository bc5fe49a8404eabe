"""The table of alias modules: each path can be imported and has the names that it lists."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys

import pytest

from minispore.foundation.alias_table import AliasedName, AliasModule, make_stub, read_alias_table
from tests.architecture.layers import load_modules

TABLE = read_alias_table()


@pytest.mark.parametrize("path", TABLE)
def test_an_alias_module_has_the_names_of_its_entry(path: str) -> None:
    module = importlib.import_module(path)
    for entry in TABLE[path].names:
        assert entry.name == "*" or hasattr(module, entry.name)


def test_a_submodule_does_not_replace_the_function_of_its_name() -> None:
    code = (
        "from minispore import common, utils\n"
        "import minispore.common.mutable, minispore.utils.runtime_execution_order_check\n"
        "assert callable(common.mutable) and callable(utils.runtime_execution_order_check)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_file_is_at_the_path_of_an_alias_module() -> None:
    assert not TABLE.keys() & load_modules().keys()


@pytest.mark.parametrize("path", TABLE)
def test_alias_sources_are_defining_modules_and_not_aliases(path: str) -> None:
    for entry in TABLE[path].names:
        assert entry.source not in TABLE or entry.name == "*" or entry.source == path


def test_a_package_is_listed_before_what_is_below_it() -> None:
    for path in TABLE:
        parent = path.rpartition(".")[0]
        assert parent == "minispore" or parent in TABLE or parent in load_modules()


@pytest.mark.parametrize("path", TABLE)
def test_a_stub_is_valid_python(path: str) -> None:
    ast.parse(make_stub(TABLE[path]))


def test_a_stub_imports_each_name_from_its_source() -> None:
    names = (
        AliasedName("*", "minispore.ops", "*", True),
        AliasedName("new", "minispore.nn", "old", True),
        AliasedName("leaf", "minispore.ir.dtype", "root.leaf", True),
    )
    module = AliasModule("minispore.somewhere", "Names.", names, is_package=False)
    assert make_stub(module).splitlines()[2:] == [
        "from minispore.ops import *",
        "from minispore.nn import old as new",
        "from minispore.ir.dtype import root as _root",
        "leaf = _root.leaf",
    ]
