"""The checks of arguments that scripts borrow from MindSpore."""

from __future__ import annotations

import numpy as np
import pytest

from minispore import _checkparam as checks
from minispore import float16, float32
from minispore._checkparam import Rel, Validator


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (checks.check_positive_int, 1, 0),
        (checks.check_negative_int, -1, 0),
        (checks.check_non_negative_int, 0, -1),
        (checks.check_non_positive_int, 0, 1),
        (checks.check_positive_float, 0.5, 0.0),
        (checks.check_negative_float, -0.5, 0.0),
        (checks.check_non_negative_float, 0.0, -0.5),
        (checks.check_non_positive_float, 0.0, 0.5),
        (checks.check_is_float, 0.5, float("nan")),
        (checks.check_positive_int_sequence, [1, 2], [1, 0]),
    ],
)
def test_a_good_value_comes_back_and_a_bad_one_is_a_value_error(check, good, bad) -> None:
    assert check(good, "n", "Net") == good
    with pytest.raises(ValueError, match="Net: n"):
        check(bad, "n", "Net")


def test_an_int_may_be_too_large_for_a_float() -> None:
    assert checks.check_positive_int(10**400) == 10**400


@pytest.mark.parametrize("value", [True, 1.0, "1", None])
def test_what_is_no_int_is_a_type_error(value) -> None:
    with pytest.raises(TypeError, match="must be int"):
        checks.check_positive_int(value)


@pytest.mark.parametrize(
    ("rel", "inside", "outside"),
    [
        (Rel.INC_NEITHER, 0.5, 0.0),
        (Rel.INC_LEFT, 0.0, 1.0),
        (Rel.INC_RIGHT, 1.0, 0.0),
        (Rel.INC_BOTH, 1.0, 1.5),
    ],
)
def test_a_range_holds_the_ends_that_its_name_includes(rel, inside, outside) -> None:
    assert checks.check_float_range(inside, 0.0, 1.0, rel, "p") == inside
    with pytest.raises(ValueError, match="p must be in"):
        checks.check_float_range(outside, 0.0, 1.0, rel, "p")


def test_a_range_takes_numpys_scalars_and_no_bool() -> None:
    assert checks.check_int_range(np.int64(1), 0, 2, checks.INC_BOTH) == 1
    with pytest.raises(TypeError):
        checks.check_int_range(True, 0, 2, checks.INC_BOTH)


def test_relations_are_the_numbers_of_2_x_and_the_members_of_1_x() -> None:
    assert (checks.EQ, checks.INC_BOTH, checks.NOT_IN) == (1, 10, 12)
    assert checks.GE is Rel.GE


def test_a_bool_is_an_int_only_where_bool_is_named() -> None:
    with pytest.raises(TypeError, match="Net: n must be int"):
        checks.check_value_type("n", True, [int], "Net")
    assert checks.check_value_type("n", True, [int, bool], "Net") is True


def test_a_relation_may_raise_what_the_caller_wants() -> None:
    with pytest.raises(RuntimeError, match="rank must be = dims: 2, got 3"):
        checks.check("rank", 3, "dims", 2, Rel.EQ, "Net", RuntimeError)


def test_a_dtype_is_checked_by_name_and_by_class() -> None:
    assert checks.check_type_name("dtype", float32, [float16, float32], "Net") == float32
    with pytest.raises(TypeError, match="one of"):
        checks.check_type_name("dtype", float32, [float16, int], "Net")
    checks.check_subclass("x", bool, int, "Net")
    with pytest.raises(TypeError, match="Net: x must be"):
        checks.check_subclass("x", float32, (float16,), "Net")


def test_types_must_be_one_and_valid() -> None:
    checks.check_types_same_and_valid({"x": float16, "y": float16}, (float16, float32), "Add")
    with pytest.raises(TypeError, match="same type"):
        checks.check_types_same_and_valid({"x": float16, "y": float32}, (float16, float32), "Add")


def test_strings_are_one_of_a_list() -> None:
    assert checks.check_string("same", ["same", "valid"], "pad_mode") == "same"
    with pytest.raises(ValueError, match="pad_mode must be one of 'same', 'valid', got 'full'"):
        checks.check_string("full", ["same", "valid"], "pad_mode")


def test_a_decorated_function_checks_its_arguments_and_takes_none() -> None:
    class Net:
        @checks.args_type_check(size=int, name=(str, bytes))
        def __init__(self, size, name="net") -> None:
            self.size, self.name = size, name

    assert Net(3).size == 3 and Net(None).size is None
    with pytest.raises(TypeError, match="size must be int"):
        Net(3.0)
    with pytest.raises(TypeError, match="name must be one of str, bytes"):
        Net(3, name=4)


def test_one_value_becomes_two() -> None:
    assert checks.twice(3) == (3, 3) and checks.twice([1, 2]) == (1, 2)
    with pytest.raises(TypeError, match="2 elements"):
        checks.twice((1, 2, 3))


def test_the_validator_of_1_x_has_the_same_checks() -> None:
    for name, check in vars(Validator).items():
        if name.startswith("check_") and name != "check_tensor_dtype_valid":
            assert getattr(Validator, name) is getattr(checks, name), check


@pytest.mark.parametrize("value", [0.5, "a", True, (1,), (1, 2, 3), (1, 2.0)])
def test_a_size_expands_to_a_pair_of_ints(value) -> None:
    pair = checks._expand_tuple(2)
    assert pair(3) == (3, 3) and pair((1, 2)) == (1, 2)
    with pytest.raises(TypeError, match="an int or a tuple of 2 ints"):
        pair(value)
