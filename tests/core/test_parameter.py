"""Names of Parameters."""

from __future__ import annotations

import copy

from minispore import Parameter, ParameterTuple, Tensor, nn


def test_unnamed_parameters_have_names_of_their_own_until_a_cell_names_them() -> None:
    first, second = Parameter(Tensor([1.0])), Parameter(Tensor([2.0]))
    assert first.name != second.name
    cell = nn.Cell()
    cell.w = first
    assert (first.name, first.unnamed, second.unnamed) == ("w", False, True)


def test_a_parameter_made_of_another_has_a_name_of_its_own() -> None:
    given = Parameter(Tensor([1.0]), name="w")
    assert Parameter(given).unnamed
    assert copy.copy(given).name == copy.deepcopy(given).name == "w"


def test_clones_of_unnamed_parameters_keep_apart() -> None:
    pair = ParameterTuple([Parameter(Tensor([1.0])), Parameter(Tensor([2.0]))])
    assert len({p.name for p in pair.clone("m")}) == 2
