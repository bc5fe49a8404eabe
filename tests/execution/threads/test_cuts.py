"""A long call is cut only where its tiles make the same bits, and then they do."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from minispore.execution.threads import tiles


@pytest.fixture(autouse=True)
def everything_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "BY_THREADS", tiles.MinCost(0.0, 0.0, 0))
    monkeypatch.setattr(tiles, "_LONG_US", 0.0)


def random_array(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def run(actual: list[Any]) -> None:
    for tile in reversed(actual):  # in any order
        for call in tile:
            call()


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (random_array(6, 8, 40), random_array(6, 40, 24)),  # a stack
        (random_array(8, 40), random_array(7, 40, 24)),  # of which one factor is one matrix
        (random_array(256, 300), random_array(300, 100)),
        (random_array(64, 300), random_array(100, 300).T),
        (random_array(1000, 64).T, random_array(1000, 256)),
    ],
)
def test_products_have_the_bits_of_the_whole(a: np.ndarray, b: np.ndarray, threads: int) -> None:
    whole = np.matmul(a, b)
    out = np.full_like(whole, np.nan)
    output = tiles.split_call(partial(np.matmul, a, b, out=out), threads)
    run(output or [[partial(np.matmul, a, b, out=out)]])
    assert whole.tobytes() == out.tobytes()


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(
    ("function", "args"),
    [
        (np.add, (random_array(9, 5, 16), random_array(16))),
        (np.tanh, (random_array(1000),)),
        (np.exp, (random_array(16, 33).T,)),
        (np.multiply, (random_array(40, 7), np.float32(3))),
        (np.maximum, (random_array(40, 7), random_array(40, 1))),
    ],
)
def test_ufuncs_have_the_bits_of_the_whole(function: Any, args: Any, threads: int) -> None:
    whole = function(*args)
    out = np.full_like(whole, np.nan)
    output = tiles.split_call(partial(function, *args, out=out), threads)
    assert len(output) >= threads
    run(output)
    assert whole.tobytes() == out.tobytes()


def test_a_copy_is_cut_along_the_axis_that_is_outermost_in_what_it_writes() -> None:
    x, out = random_array(4, 6, 8), np.empty((8, 6, 4), np.float32).T
    output = tiles.split_call(partial(np.copyto, out, x), 2)
    run(output)
    assert [call.args[0].shape for [call] in output] == [(4, 6, 2)] * 4
    assert np.array_equal(x, out)


def test_a_call_whose_input_overlaps_its_output_is_not_split() -> None:
    x = random_array(100)
    assert not tiles.split_call(partial(np.add, x[1:], x[:-1], out=x[1:]), 2)
    assert not tiles.split_call(partial(np.copyto, x[1:], x[:-1]), 2)
    square = random_array(64, 64)
    assert not tiles.split_call(partial(np.matmul, square, square, out=square), 2)
    assert tiles.split_call(partial(np.add, x, x, out=x), 2)  # in place: each element its own


def test_a_stack_of_one_product_is_cut_as_the_product_is() -> None:
    a, b, out = (
        random_array(1, 128, 256),
        random_array(256, 128),
        np.zeros((1, 128, 128), np.float32),
    )
    output = tiles.split_call(partial(np.matmul, a, b, out=out), 2)
    assert len(output) == 2
    run(output)
    assert out.tobytes() == np.matmul(a, b).tobytes()


def test_what_is_no_elementwise_call_is_not_cut() -> None:
    x = random_array(64, 64)
    mask = x > 0
    for call in (
        partial(np.add.reduce, x, axis=0, out=x[0]),
        partial(np.add, x, x, out=x, where=mask),
        partial(np.divmod, x, x, out=(x, x.copy())),
        partial(x.fill, 0),
        x.copy,
    ):
        assert not tiles.split_call(call, 2)


def test_a_product_whose_parts_have_other_bits_is_left_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a, b, out = random_array(256, 64), random_array(64, 256), np.empty((256, 256), np.float32)
    call = partial(np.matmul, a, b, out=out)

    def rounded(a: Any, b: Any, out: Any, axis: int, some: slice) -> Any:
        return plain(a * np.float32(1.001), b, out, axis, some)

    plain = tiles._make_product_call
    tiles._find_exact_cut.cache_clear()
    monkeypatch.setattr(tiles, "_make_product_call", rounded)
    try:
        assert not tiles.split_call(call, 2)
    finally:
        tiles._find_exact_cut.cache_clear()


def test_a_short_call_is_left_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "BY_THREADS", tiles.MinCost(150.0, 0.0, 0))
    x = random_array(64, 64)
    assert not tiles.split_call(partial(np.add, x, x, out=x), 2)


def test_cuts_are_of_one_size_and_begin_at_multiples() -> None:
    assert tiles.split_range(10, 3) == [slice(0, 3), slice(3, 7), slice(7, 10)]
    assert tiles.split_range(100, 2, 32) == [slice(0, 64), slice(64, 100)]
    assert tiles.split_range(3, 8) == [slice(0, 1), slice(1, 2), slice(2, 3)]
