"""Arguments that are declared with open lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, enable_dynamic, jit, nn


def ones(*shape: int, dtype: Any = np.float32) -> Tensor:
    return Tensor(np.ones(shape, dtype))


def like(*shape: int | None) -> Tensor:
    return Tensor(shape=[*shape], dtype=ms.float32)


@jit
@enable_dynamic(y=like(None, 3))
def added(x: Tensor, y: Tensor) -> Tensor:
    return x + y


@jit
@enable_dynamic(y=Tensor(shape=None, dtype=ms.float32))
def of_any_axes(x: Tensor, y: Tensor) -> Tensor:
    return x + y


@jit
@enable_dynamic(ys=(like(None, 3), like(None, 3)))
def of_a_tuple(x: Tensor, ys: Any) -> Tensor:
    return x + ys[0] + ys[1]


class Doubled(nn.Cell):
    @jit
    @enable_dynamic(x=like(None, 3))
    def construct(self, x: Tensor) -> Tensor:
        return x * 2


def test_lengths_that_are_open_may_be_any() -> None:
    for n in (1, 4):
        assert added(ones(n, 3), ones(n, 3)).shape == (n, 3)
        assert added(y=ones(n, 3), x=ones(1)).shape == (n, 3)
        assert Doubled()(ones(n, 3)).shape == (n, 3)
    assert of_any_axes(ones(1), ones(2, 3, 4)).shape == (2, 3, 4)
    assert of_a_tuple(ones(1), ms.mutable((ones(2, 3), ones(2, 3)))).asnumpy().sum() == 18


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: added(ones(1), ones(4, 5)), ValueError, "y of added must be of a shape like"),
        (lambda: added(ones(1), ones(3)), ValueError, "y of added must be of a shape like"),
        (lambda: added(ones(1), ones(2, 3, dtype=np.int32)), TypeError, "y .* of float32"),
        (lambda: added(ones(1), 3.0), TypeError, "y of added must be a tensor"),
        (lambda: of_a_tuple(ones(1), (ones(2, 3),)), ValueError, "ys .* must be 2 tensors"),
        (lambda: of_a_tuple(ones(1), ones(2, 3)), TypeError, "ys .* must be a tensor or a tuple"),
        (lambda: Doubled()(ones(2, 4)), ValueError, "x of"),
    ],
)
def test_what_is_not_like_it_is_refused(call: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()


@pytest.mark.parametrize(
    ("declared", "kind", "text"),
    [
        ({}, ValueError, "must be told of one argument"),
        ({"z": like(None, 3)}, ValueError, "z must be one of the arguments of"),
        ({"y": 3}, TypeError, "y must be a Tensor or a tuple"),
        ({"y": None}, TypeError, "y must be a Tensor or a tuple"),
        ({"y": ones(2, 3)}, TypeError, "y must have a length of None"),
    ],
)
def test_what_declares_nothing_is_refused(
    declared: dict[str, Any], kind: type[Exception], text: str
) -> None:
    with pytest.raises(kind, match=text):
        enable_dynamic(**declared)(lambda x, y: x + y)
    with pytest.raises(ValueError, match="must decorate a function"):
        enable_dynamic(y=like(None))(3)  # type: ignore[arg-type]


def test_without_jit_nothing_is_checked() -> None:
    plain = enable_dynamic(y=like(None, 3))(lambda x, y: x + y)
    assert plain(ones(4, 5), ones(4, 5)).shape == (4, 5)


def test_a_function_that_is_not_inlined_is_itself() -> None:
    @ms.no_inline
    def tripled(x: Tensor) -> Tensor:
        return x * 3

    @jit
    def twice(x: Tensor) -> Tensor:
        return tripled(tripled(x))

    assert twice(ones(1)).asnumpy().tolist() == [9.0]
    assert ms.no_inline()(tripled) is tripled
