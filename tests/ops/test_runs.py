"""Copies of short runs move each run as one element, and copy the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from minispore.execution.layout import make_copy_call


def random_bits(*shape: int, dtype: str = "float32") -> np.ndarray:
    bits = np.random.default_rng(4).integers(0, 256, (*shape, np.dtype(dtype).itemsize), np.uint8)
    return bits.view(dtype)[..., 0]  # any bits: NaN with all kinds of payload among them


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("run", [1, 2, 3, 4, 7, 32, 200])
def test_rows_in_another_order_are_copied_bit_by_bit(dtype: str, run: int) -> None:
    x, out = random_bits(3, 4, 5, run, dtype=dtype), np.zeros((5, 4, 3, run), dtype)
    make_copy_call(out.swapaxes(0, 2), x)()
    assert out.swapaxes(0, 2).tobytes() == x.tobytes()


def test_a_row_that_is_dense_on_both_sides_is_one_element() -> None:
    x, out = random_bits(6, 8, 4), np.zeros((8, 6, 4), np.float32)
    call = make_copy_call(out.swapaxes(0, 1), x)
    assert [a.shape for a in call.args] == [(6, 8, 1)] * 2
    assert np.shares_memory(call.args[0], out)


@pytest.mark.parametrize(
    ("out", "x"),
    [
        (np.zeros((6, 8), np.float32), random_bits(8, 6).T),  # columns: no row is dense
        (np.zeros((6, 8), np.float32), random_bits(6, 8)),  # all is one row
        (np.zeros((3, 6, 800), np.float32).swapaxes(0, 1), random_bits(6, 3, 800)),  # long as it is
        (np.zeros((3, 6, 4), np.float64).swapaxes(0, 1), random_bits(6, 3, 4)),  # another dtype
        (np.zeros((0, 4), np.float32), random_bits(0, 4)),
    ],
)
def test_all_other_copies_are_as_they_are(out: np.ndarray, x: np.ndarray) -> None:
    call = make_copy_call(out, x)
    assert call.args[0] is out
    assert call.args[1] is x
