"""Imports point strictly down, no room imports a door, and none hides in a function."""

from __future__ import annotations

import graphlib

import pytest

from tests.architecture.house import DOORS, EXTRAS, ROOMS, ROOT, Module, house

HOUSE = house()
CODE = [module for module in HOUSE.values() if not module.is_door]


def named(module: Module) -> str:
    return module.name


def inside(target: str) -> Module | None:
    """The module of ours that an import reaches; None for one of somebody else's."""
    stub = ROOT / f"{target.replace('.', '/')}.pyi"
    if target.split(".")[0] != "minispore" or (target not in HOUSE and stub.is_file()):
        return None
    assert target in HOUSE, f"{target} is no module"
    return HOUSE[target]


def test_the_package_holds_the_rooms_of_the_plan_and_nothing_else() -> None:
    assert {m.room for m in HOUSE.values()} == ROOMS.keys() | DOORS, "the picture in docs/house.md"


@pytest.mark.parametrize("module", CODE, ids=named)
def test_imports_point_strictly_down(module: Module) -> None:
    wrong = []
    for found in module.imports(HOUSE):
        target = inside(found.target)
        if target is None or target.room == module.room or target.is_door:
            continue
        assert target.room is not None and module.room is not None
        if ROOMS[target.room] >= ROOMS[module.room]:
            wrong.append(f"line {found.line}: {module.room} may not import {target.name}")
    assert not wrong


@pytest.mark.parametrize("module", [m for m in CODE if m.logic], ids=named)
def test_no_room_imports_a_door(module: Module) -> None:
    wrong = []
    for found in module.imports(HOUSE):
        target = inside(found.target)
        if target is not None and target.is_door:
            wrong.append(f"line {found.line}: {target.name} is a door; import from the room behind")
    assert not wrong


def test_a_door_holds_no_logic_and_what_holds_none_is_a_door() -> None:
    commands = {"minispore", "minispore.__main__", "minispore.paths"}  # they start what they name
    for module in HOUSE.values():
        if module.name not in commands and (module.is_door or module.path.name != "__init__.py"):
            said = (
                "not a door, so its docstring must not begin with 'Door:'"
                if module.logic
                else ("only names, so its docstring must begin with 'Door:'")
            )
            assert module.is_door == (not module.logic), f"{module.name}: {said}"


@pytest.mark.parametrize("module", HOUSE.values(), ids=named)
def test_only_optional_extras_are_imported_in_a_function(module: Module) -> None:
    wrong = [
        f"line {found.line}: {found.target}"
        for found in module.imports(HOUSE)
        if found.deferred and found.target.split(".")[0] not in EXTRAS
    ]
    assert not wrong


def test_no_imports_go_in_a_circle() -> None:
    order = graphlib.TopologicalSorter[str]()
    for module in HOUSE.values():
        targets = {f.target for f in module.imports(HOUSE) if not f.for_types} & HOUSE.keys() - {
            module.name
        }
        order.add(module.name, *targets)
    order.prepare()
