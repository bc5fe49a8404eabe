"""A choice by bits is np.where, of every dtype, layout and size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore.ops.support.choice import select_by_mask

DTYPES = ["f2", "f4", "f8", "i1", "i4", "u8", "?", "c8", "c16"]
SHAPES = [(), (0, 3), (7,), (1, 5), (300, 1, 700), (1, 1, 300_000), (2, 200_000)]


@given(
    st.sampled_from(SHAPES), st.sampled_from(DTYPES), st.integers(0, 2**32), st.booleans()
)  # fmt: skip
def test_a_choice_is_that_of_where(
    shape: tuple[int, ...], kind: str, seed: int, turned: bool
) -> None:
    rng = np.random.default_rng(seed)

    def random_operand(broadcast: Any) -> np.ndarray:
        lengths = [n if keep else 1 for n, keep in zip(shape, broadcast, strict=True)]
        cut = int(rng.integers(0, len(shape) + 1)) if rng.random() < 0.3 else 0
        return np.asarray(rng.standard_normal(lengths[cut:]) * 100)

    with np.errstate(invalid="ignore"):
        x, y = (random_operand(rng.random(len(shape)) < 0.8).astype(kind) for _ in range(2))
    condition = random_operand(rng.random(len(shape)) < 0.8) > 0
    out = np.empty(shape[::-1], kind).T if turned else np.empty(shape, kind)
    select_by_mask(condition, x, y, out)
    expected = np.broadcast_to(np.where(condition, x, y), shape)
    assert np.ascontiguousarray(out).tobytes() == np.ascontiguousarray(expected).tobytes()


@pytest.mark.parametrize("number", [-1e9, 0, -np.inf, np.nan, True])
def test_numbers_are_converted_to_the_dtype_of_the_result(number: float) -> None:
    x = np.arange(300_000, dtype=np.float32)
    for pair in ((number, x), (x, number)):
        out = np.empty_like(x)
        select_by_mask(x % 3 == 0, *pair, out)
        np.testing.assert_array_equal(out, np.where(x % 3 == 0, *pair).astype(np.float32))


def test_a_result_may_take_the_place_of_an_input() -> None:
    x, y = np.arange(400_000, dtype=np.float32), -np.arange(400_000, dtype=np.float32)
    expected = np.where(x % 2 == 0, x, y)
    for selection in (0, 1):
        inputs = [x.copy(), y.copy()]
        select_by_mask(x % 2 == 0, *inputs, inputs[selection])
        assert np.array_equal(inputs[selection], expected)


def test_what_can_not_be_cast_is_refused_and_true_is_any_byte_but_zero() -> None:
    with pytest.raises(TypeError, match="same_kind"):
        select_by_mask(np.ones(3, bool), 1.5, np.zeros(3, np.int32), np.empty(3, np.int32))
    out = np.empty(4, np.int32)
    select_by_mask(np.array([0, 1, 2, 255], np.uint8).view(bool), 5, 7, out)
    assert out.tolist() == [7, 5, 5, 5]
