"""Checks of arguments: what they accept, which type of exception they raise, and what it says."""

from __future__ import annotations

import numpy as np
import pytest

from minispore import Tensor
from minispore.foundation import checks


class Resize:
    """An owner that is an object."""


@pytest.mark.parametrize("value", [True, 3.0, "3", None, np.int64(3), np.float32(3)])
def test_integer_check_accepts_only_python_ints(value) -> None:
    with pytest.raises(TypeError, match="Dense: in_channels must be an int, got"):
        checks.integer("Dense", "in_channels", value)


@pytest.mark.parametrize(
    ("low", "high", "rule"), [(1, None, ">= 1"), (1, 5, r"in \[1, 5\]"), (0, 5, r"in \[0, 5\]")]
)
def test_an_int_out_of_range_is_a_value_error_with_the_range(low, high, rule) -> None:
    assert checks.integer("f", "x", low, low, high) == low
    with pytest.raises(ValueError, match=f"f: x must be {rule}, got {low - 1}"):
        checks.integer("f", "x", low - 1, low, high)


@pytest.mark.parametrize(("closed", "ends"), [("[]", 2), ("[)", 1), ("(]", 1), ("()", 0)])
def test_the_ends_of_a_range_belong_to_it_as_it_says(closed, ends) -> None:
    accepted = 0
    for value in (0.0, 1.0):
        try:
            checks.number("f", "x", value, 0.0, 1.0, closed)
            accepted += 1
        except ValueError as error:
            assert f"must be in {closed[0]}0.0, 1.0{closed[1]}" in str(error)
    assert accepted == ends


def test_nan_is_in_no_range() -> None:
    with pytest.raises(ValueError, match="got nan"):
        checks.number("f", "x", float("nan"), 0.0)


def test_a_number_for_all_axes_is_spread() -> None:
    assert checks.integers("Conv2d", "stride", 2, 2) == (2, 2)
    with pytest.raises(ValueError, match="must be an int or a tuple of 2 ints, got"):
        checks.integers("Conv2d", "stride", (1, 2, 3), 2)


def test_an_object_as_owner_is_called_by_its_class() -> None:
    with pytest.raises(TypeError, match=r"^Resize: flag must be a bool, got 1 \(int\)\.$"):
        checks.boolean(Resize(), "flag", 1)


def test_format_value_describes_tensors_and_cuts_long_values() -> None:
    assert (
        checks.format_value(Tensor(np.zeros((2, 3), np.float32)))
        == "Tensor of shape (2, 3) (Float32)"
    )
    assert len(checks.format_value("x" * 1000)) < 220


def test_a_name_that_is_close_is_offered() -> None:
    with pytest.raises(ValueError, match="Did you mean 'mean'"):
        checks.one_of("loss", "reduction", "maen", ("mean", "sum", "none"))
