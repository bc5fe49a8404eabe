"""Half floats compute in float32 and round between ops: the same bits in both modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, context, nn, ops
from minispore.common.initializer import initializer

pytest.importorskip("ml_dtypes")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4, 1, 12, 12)).astype(np.float32)
Y = np.arange(4, dtype=np.int32)
BITS = {ms.float16: 11, ms.bfloat16: 8, ms.float32: 24}


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        rng = np.random.default_rng(1)

        def weight(*shape: int) -> Any:
            output = rng.normal(size=shape) / np.sqrt(np.prod(shape[1:]))
            return initializer(Tensor(output.astype(np.float32)), shape)

        self.conv = nn.Conv2d(1, 4, 3, pad_mode="valid", weight_init=weight(4, 1, 3, 3))
        self.pool = nn.MaxPool2d(2, 2)
        self.flat = nn.Flatten()
        self.dense = nn.Dense(100, 5, weight_init=weight(5, 100), bias_init="zeros")

    def construct(self, x: Tensor) -> Tensor:
        return self.dense(self.flat(self.pool(ops.relu(self.conv(x)))))


def losses(kind: Any, mode: int) -> list[np.ndarray]:
    """Of four steps, and the weights after them."""
    context.set_context(mode=mode)
    net = Net().to_float(kind)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    class Loss(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.net, self.loss = net, loss

        def construct(self, x: Tensor, y: Tensor) -> Tensor:
            return self.loss(ops.cast(self.net(x), ms.float32), y)

    step = nn.TrainOneStepCell(Loss(), nn.SGD(net.trainable_params(), 0.05))
    step.set_train()
    results = [step(Tensor(X), Tensor(Y)).asnumpy() for _ in range(4)]
    return [*results, *[p.asnumpy() for p in net.get_parameters()]]


@pytest.mark.parametrize("kind", [ms.float16, ms.bfloat16], ids=str)
def test_a_training_in_half_floats_has_the_same_bits_in_both_modes(kind: Any) -> None:
    graph, pynative = losses(kind, ms.GRAPH_MODE), losses(kind, ms.PYNATIVE_MODE)
    assert [a.tobytes() for a in graph] == [b.tobytes() for b in pynative]


@pytest.mark.parametrize("kind", [ms.float16, ms.bfloat16], ids=str)
def test_a_training_in_half_floats_is_as_near_to_float32_as_its_digits(kind: Any) -> None:
    half, whole = losses(kind, ms.GRAPH_MODE), losses(ms.float32, ms.GRAPH_MODE)
    for a, b in zip(half, whole, strict=True):
        assert a.dtype == np.float32
        np.testing.assert_allclose(a, b, atol=8 * 2.0 ** -BITS[kind])
    assert any(not np.array_equal(a, b) for a, b in zip(half, whole, strict=True))


@pytest.mark.parametrize("kind", [ms.float16, ms.bfloat16], ids=str)
def test_a_chain_of_half_floats_rounds_after_each_op(kind: Any) -> None:
    x = RNG.normal(size=500).astype(np.float32)
    a = Tensor(x).astype(kind)
    got = ops.exp(a) * a + a

    def rounded(y: np.ndarray) -> np.ndarray:
        return Tensor(y).astype(kind).astype(ms.float32).asnumpy()

    wide = rounded(x)
    expected = rounded(rounded(rounded(np.exp(wide)) * wide) + wide)
    np.testing.assert_array_equal(got.astype(ms.float32).asnumpy(), expected)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize(
    ("assigns", "expected"),
    [
        (lambda p: ops.assign_add(p, Tensor([1.0])), 2049.0),
        (lambda p: ops.assign_sub(p, Tensor([-1.0], ms.float16)), 2049.0),
        (lambda p: ops.assign(p, Tensor([2049.0])), 2049.0),
    ],
)
def test_what_is_assigned_to_a_parameter_of_a_cell_in_float16_is_not_rounded(
    mode, assigns, expected
):
    ms.set_context(mode=mode)

    class Counts(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = ms.Parameter(Tensor([2048.0]), name="count", requires_grad=False)

        def construct(self, x):
            assigns(self.count)
            return x * 2

    net = Counts().to_float(ms.float16)
    net(Tensor([1.0]))
    assert net.count.asnumpy() == expected
    assert net.count.dtype is ms.float32


def _make_parameters() -> list[ms.Parameter]:
    return [ms.Parameter(ms.Tensor([1.5, 2.5]), name=name) for name in ("a", "b")]


class _Holding(nn.Cell):
    of_class = ms.Tensor([2.0, 4.0])

    def __init__(self, kind) -> None:
        super().__init__()
        self.container = kind(_make_parameters())

    def construct(self, x):
        first, second = (
            self.container.values() if isinstance(self.container, dict) else self.container
        )
        return x * first + second, x * self.of_class


def _by_name(parameters):
    return {p.name: p for p in parameters}


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("kind", [list, tuple, ms.ParameterTuple, _by_name])
def test_parameters_in_containers_and_constants_of_the_class_are_read_in_half(mode, kind) -> None:
    ms.set_context(mode=mode)
    net = _Holding(kind).to_float(ms.float16)
    before = net.container
    for _ in range(2):
        outs = net(ms.Tensor([1.0, 3.0]))
        assert [str(o.dtype) for o in outs] == ["Float16", "Float16"]
        assert [o.asnumpy().tolist() for o in outs] == [[3.0, 10.0], [2.0, 12.0]]
    assert net.container is before
    assert "of_class" not in vars(net)
    parts = before.values() if isinstance(before, dict) else before
    assert all(type(p) is ms.Parameter and p.dtype == ms.float32 for p in parts)


@pytest.mark.parametrize("kind", [list, _by_name])
def test_items_that_construct_adds_to_a_parameter_container_remain(kind) -> None:
    class Adding(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.container = kind(_make_parameters())

        def construct(self, x):
            if isinstance(self.container, dict):
                self.container["c"] = 1
            else:
                self.container.append(1)
            return x

    net = Adding().to_float(ms.float16)
    values = net.container
    net(ms.Tensor([1.0]))
    *parts, last = values.values() if isinstance(values, dict) else values
    assert net.container is values
    assert last == 1
    assert all(type(p) is ms.Parameter for p in parts)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_cell_in_half_differentiates_by_the_parameters_that_it_holds(mode) -> None:
    class Scale(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.scale = _make_parameters()[0]

        def construct(self, x):
            return (x * self.scale).sum()

    class Gradients(nn.Cell):
        def __init__(self, net) -> None:
            super().__init__()
            self.net = net
            self.several = ms.ParameterTuple(net.trainable_params())
            self.one = net.scale

        def construct(self, x):
            by_several = ms.grad(self.net, None, self.several)(x)
            return *by_several, ms.grad(self.net, None, self.one)(x)

    ms.set_context(mode=mode)
    actual = Gradients(Scale()).to_float(ms.float16)(ms.Tensor([1.0, 3.0]))
    assert [g.asnumpy().tolist() for g in actual] == [[1.0, 3.0], [1.0, 3.0]]
    assert {str(g.dtype) for g in actual} == {"Float32"}
