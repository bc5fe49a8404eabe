"""saved_tensors_hooks: which tensors are packed, and what the gradient computes with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, grad, nn, ops

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])

pytestmark = pytest.mark.filterwarnings("ignore:GRAPH_MODE")  # it runs op by op there


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], autouse=True)
def _each_mode(request: pytest.FixtureRequest) -> None:
    ms.set_context(mode=request.param)


@pytest.mark.parametrize(
    ("fn", "positions", "saved"),
    [
        (lambda x, y: x * y, (0, 1), [X, Y]),
        (lambda x, y: x * Y, 0, [Y]),
        (lambda x, y: x * 3.0, 0, []),
        (lambda x, y: x + y, (0, 1), []),
        (lambda x, y: x * x, 0, [X, X]),
        (lambda x, y: ops.square(x), 0, [X]),
        (lambda x, y: ops.tanh(x), 0, [ops.tanh(X)]),
        (lambda x, y: ops.exp(ops.log(x)), 0, [X, X]),
        (lambda x, y: ops.stop_gradient(x) * x, 0, [X]),
        (lambda x, y: x.reshape(2, 1).sum(), 0, []),
    ],
)
def test_what_a_gradient_computes_with_is_packed_and_unpacked(fn, positions, saved):
    packed: list[Any] = []
    unpacked: list[Any] = []

    def pack(t: Tensor) -> int:
        packed.append(t)
        return len(packed) - 1

    def unpack(at: int) -> Tensor:
        unpacked.append(at)
        return packed[at]

    def within(x: Tensor, y: Tensor) -> Any:
        with ms.saved_tensors_hooks(pack, unpack):
            out = fn(x, y)
        assert not unpacked
        return out

    got = grad(within, positions)(X, Y)
    expected = grad(fn, positions)(X, Y)
    pairs = zip(got, expected) if isinstance(got, tuple) else [(got, expected)]
    assert all(bool((a == b).all()) for a, b in pairs)
    assert [t.asnumpy().round(5).tolist() for t in packed] == [
        t.asnumpy().round(5).tolist() for t in saved
    ]
    assert sorted(unpacked) == [*range(len(saved))]


def test_the_gradient_is_that_of_what_was_unpacked():
    def doubled(x: Tensor, y: Tensor) -> Tensor:
        with ms.saved_tensors_hooks(lambda t: t.asnumpy() * 2, Tensor):
            return x * y

    dx, dy = grad(doubled, (0, 1))(X, Y)
    assert (dx.asnumpy().tolist(), dy.asnumpy().tolist()) == ([6, 8], [2, 4])


def test_half_floats_meet_numbers_as_all_that_users_write_when_packed_and_unpacked():
    x = Tensor(np.random.default_rng(0).uniform(-3, 3, 300).astype(np.float16))
    tenth = x * 0.1

    def within(x: Tensor) -> Tensor:
        with ms.saved_tensors_hooks(lambda t: t, lambda kept: kept * 0.1):
            return ops.square(x) * 3

    gradient = grad(lambda x: within(x) + ops.square(x))(x)
    assert bool((gradient == tenth * 6 + x * 2).all())
    assert bool((x * 0.1 == tenth).all())


def test_the_inner_of_two_counts_and_the_outer_after_it():
    seen: list[str] = []

    def hooks(name: str) -> Any:
        return ms.saved_tensors_hooks(lambda t: (name, t), lambda kept: note(*kept))

    def note(name: str, t: Tensor) -> Tensor:
        seen.append(name)
        return t

    def within(x: Tensor) -> Tensor:
        with hooks("outer"):
            with hooks("inner"):
                y = ops.exp(x)
            return ops.exp(y)

    grad(within)(X)
    assert seen == ["outer", "inner"]


def test_nothing_is_packed_without_a_gradient_nor_after_an_error():
    def refuse(_: Tensor) -> Any:
        raise ZeroDivisionError

    def within(x: Tensor) -> Tensor:
        with ms.saved_tensors_hooks(refuse, refuse):
            return x * x

    assert within(X).asnumpy().tolist() == [1, 4]
    with pytest.raises(ZeroDivisionError):
        grad(within)(X)
    assert grad(lambda x: x * x)(X).asnumpy().tolist() == [2, 4]


@pytest.mark.parametrize("expected", [None, 3.0])
def test_what_is_unpacked_must_be_a_tensor(expected):
    def within(x: Tensor) -> Tensor:
        with ms.saved_tensors_hooks(lambda t: 0, lambda _: expected):
            return x * x

    with pytest.raises(RuntimeError, match="unpack_hook must return a Tensor"):
        grad(within)(X)


def test_a_cell_may_have_them_around_construct():
    class Scales(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = Parameter(Tensor(3.0), name="w")

        def construct(self, x: Tensor) -> Tensor:
            return x * self.w

    net = Scales()
    net.register_saved_tensors_hooks(lambda t: t.asnumpy() + 1, Tensor)
    assert grad(lambda x: net(x) * x)(Tensor(2.0)) == 4.0 * 2 + 6.0
    assert net(Tensor(2.0)) == 6.0
