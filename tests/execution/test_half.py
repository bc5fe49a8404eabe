"""Half floats: conversions are NumPy's own, to the bit, and both modes round between ops."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.execution import half

pytest.importorskip("ml_dtypes")

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def test_every_float16_becomes_its_float32() -> None:
    assert np.array_equal(half.to_float32(EVERY), EVERY.astype(np.float32), equal_nan=True)


def test_float32_is_rounded_to_the_nearest_float16_and_to_the_even_one_between_two() -> None:
    stored = EVERY[np.isfinite(EVERY)].astype(np.float32)
    between = (stored[:-1] + stored[1:]) / 2
    some = np.concatenate(
        [stored, between, np.nextafter(between, 9e9), np.nextafter(between, -9e9)]
    )
    some = np.concatenate([some, np.float32([65519.99, 65520, 1e9, -1e9, np.inf, -np.inf, 1e-30])])
    output = np.empty(some.shape, np.float16)
    half.convert(some, output)
    with np.errstate(over="ignore"):
        assert np.array_equal(output.view(np.uint16), some.astype(np.float16).view(np.uint16))


def test_rounding_in_float32_is_what_becomes_a_half_float_and_back() -> None:
    everywhere = np.random.default_rng(3).integers(0, 1 << 32, 1 << 18, np.uint64)
    edges = (np.arange(1 << 16)[:, None] << 16) + [0, 1, 0xFFF, 0x1000, 0x1001, 0x7FFF, 0x8000]
    some = np.concatenate([everywhere, edges.ravel()]).astype(np.uint32).view(np.float32)
    for dtype in (np.dtype(np.float16), ms.bfloat16.np):
        with np.errstate(over="ignore", invalid="ignore"):
            converted = some.astype(dtype)
            back = converted.astype(np.float32)
        reference = ~np.isnan(some)
        for same in (False, True):
            out = some.copy()
            half.round_to(dtype, out if same else some, out)
            assert np.array_equal(np.isnan(out), ~reference)
            assert np.array_equal(out.view(np.uint32)[reference], back.view(np.uint32)[reference])
            output = np.empty(some.shape, dtype)
            half.convert(out, output, exact=True)
            assert np.array_equal(
                output.view(np.uint16)[reference], converted.view(np.uint16)[reference]
            )


def test_few_numbers_are_rounded_as_many_are() -> None:
    some = np.random.default_rng(4).standard_normal(1000).astype(np.float32)
    many, few = np.empty_like(some), np.empty_like(some)
    half.round_to(np.dtype(np.float16), some, many)
    for i in range(0, 1000, 50):
        half.round_to(np.dtype(np.float16), some[i : i + 50], few[i : i + 50])
    assert np.array_equal(many, few)


@pytest.mark.parametrize(
    "seen",
    [
        lambda a: a[:, ::3],
        lambda a: a[::-2, 1:].transpose(1, 0, 2),
        lambda a: np.broadcast_to(a[:, :1], a.shape),
        lambda a: a[:0],
    ],
)
def test_widening_float16_preserves_the_memory_order(seen) -> None:
    a = seen(np.random.default_rng(5).standard_normal((9, 10, 4)).astype(np.float16))
    output = half.to_float32(a)
    assert np.array_equal(output, a)
    if a.size:
        assert [s // 4 for s in output.strides] == [s // 2 for s in a.strides]


def test_no_number_stays_none() -> None:
    some = np.ones(1000, np.float32)
    some[7] = np.nan
    output = np.empty(some.shape, np.float16)
    half.convert(some, output)
    assert np.flatnonzero(np.isnan(output)).tolist() == [7]


@pytest.mark.parametrize("arranged", [lambda a: a.T, lambda a: a[:, ::2], lambda a: a[::-1]])
def test_strides_do_not_matter(arranged) -> None:
    some = np.random.default_rng(1).standard_normal((40, 30)).astype(np.float32)
    output = np.empty_like(arranged(some), np.float16)
    half.convert(arranged(some), output)
    assert np.array_equal(output, arranged(some).astype(np.float16))


def test_a_convolution_of_half_floats_is_that_of_float32_rounded_once() -> None:
    rng = np.random.default_rng(2)
    x = rng.standard_normal((4, 3, 9, 9)).astype(np.float16)
    weight = rng.standard_normal((5, 3, 3, 3)).astype(np.float16)
    output = ops.conv2d(Tensor(x), Tensor(weight), pad_mode="same").asnumpy()
    wide = ops.conv2d(
        Tensor(x.astype(np.float32)), Tensor(weight.astype(np.float32)), pad_mode="same"
    ).asnumpy()
    assert output.dtype == np.float16
    assert np.array_equal(output, wide.astype(np.float16))


def test_bfloat16_is_printed_with_six_decimals_whatever_its_size() -> None:
    x = Tensor([[1.0, 3.14159], [1e-5, 1e10]], ms.bfloat16)
    assert str(x) == "[[1.000000 3.140625]\n [0.000010 9999220736.000000]]"
    assert str(Tensor(-0.0, ms.bfloat16)) == f"{Tensor(-0.0, ms.bfloat16)}" == "-0.000000"
    assert str(Tensor([np.nan, -np.inf], ms.bfloat16)) == "[nan -inf]"
    assert repr(Tensor([2.5], ms.bfloat16)).endswith("value= [2.5])")
