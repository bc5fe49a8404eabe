"""Imports point strictly down, nothing imports an alias module, and none hides in a function."""

from __future__ import annotations

import graphlib

import pytest

from minispore.foundation.alias_table import read_alias_table
from tests.architecture.layers import (
    EXTRAS,
    LEVELS,
    ROOT,
    Module,
    load_modules,
)

MODULES = load_modules()
CODE = [module for module in MODULES.values() if not module.is_alias]


def module_name(module: Module) -> str:
    return module.name


def find_module(target: str) -> Module | None:
    """Return the module of minispore that an import reaches; None for another library."""
    stub = ROOT / f"{target.replace('.', '/')}.pyi"
    if target.split(".")[0] != "minispore" or target in read_alias_table():
        return None
    if target not in MODULES and stub.is_file():
        return None
    assert target in MODULES, f"{target} is no module"
    return MODULES[target]


def test_the_diagram_shows_every_package() -> None:
    packages = {m.package for m in MODULES.values()}
    assert packages == LEVELS.keys(), "see the diagram of docs/architecture.md"


@pytest.mark.parametrize("module", CODE, ids=module_name)
def test_imports_point_strictly_down(module: Module) -> None:
    wrong = []
    for statement in module.imports(MODULES):
        target = find_module(statement.target)
        if target is None or target.package == module.package or target.is_alias:
            continue
        if LEVELS[target.package] >= LEVELS[module.package]:
            wrong.append(f"line {statement.line}: {module.package} may not import {target.name}")
    assert not wrong


@pytest.mark.parametrize("module", [m for m in CODE if m.logic], ids=module_name)
def test_nothing_imports_an_alias_module(module: Module) -> None:
    wrong = []
    for statement in module.imports(MODULES):
        target = find_module(statement.target)
        if statement.target in read_alias_table() or (target is not None and target.is_alias):
            wrong.append(f"line {statement.line}: {statement.target} is an alias module")
    assert not wrong


def test_an_alias_module_holds_no_logic_and_a_module_without_logic_is_one() -> None:
    for module in MODULES.values():
        if module.name != "minispore" and (module.is_alias or module.path.name != "__init__.py"):
            rule = "must not" if module.logic else "must"
            message = f"{module.name}: its docstring {rule} begin with 'Alias module'"
            assert module.is_alias == (not module.logic), message


@pytest.mark.parametrize("module", MODULES.values(), ids=module_name)
def test_only_optional_extras_are_imported_in_a_function(module: Module) -> None:
    wrong = [
        f"line {statement.line}: {statement.target}"
        for statement in module.imports(MODULES)
        if statement.is_deferred and statement.target.split(".")[0] not in EXTRAS
    ]
    assert not wrong


# An operation returns a Dataset, a class that is derived from the one that defines the operation.
ONLY_ANNOTATED = {"minispore.dataset.dataset"}


def test_no_imports_go_in_a_circle() -> None:
    """Not even those for the type checker: a file can be read without those that import it."""
    order = graphlib.TopologicalSorter[str]()
    for module in MODULES.values():
        targets = {
            i.target
            for i in module.imports(MODULES)
            if not (i.is_for_types and i.target in ONLY_ANNOTATED)
        }
        order.add(module.name, *(targets & MODULES.keys()) - {module.name})
    order.prepare()
