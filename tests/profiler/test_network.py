"""summary: what stands in a network, without computing it."""

from __future__ import annotations

import numpy as np
import pytest

import lenet_mnist
from minispore import Tensor, nn, ops
from minispore.profiler import summary


class Twice(nn.Cell):
    """One layer called twice, one with statistics, one never called."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(4, 4)
        self.inner = nn.SequentialCell(nn.BatchNorm1d(4), nn.ReLU())
        self.unused = nn.Tanh()

    def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
        y = self.dense(self.dense(x))
        return self.inner(y), ops.exp(y)


def test_a_convolution_takes_two_operations_a_weight_and_output_element() -> None:
    results_by_name = {
        layer.name: layer for layer in summary(lenet_mnist.LeNet5(), (32, 1, 32, 32))
    }
    assert results_by_name["conv1"].flops == 2 * 25 * (32 * 6 * 28 * 28)
    assert [spec.shape for spec in results_by_name["conv1"].outputs] == [(32, 6, 28, 28)]


def test_parameters_stand_with_the_layer_that_owns_them() -> None:
    actual = summary(lenet_mnist.LeNet5(), (1, 1, 32, 32))
    assert {layer.name: layer.parameters for layer in actual if layer.parameters} == {
        "conv1": 150,
        "conv2": 2400,
        "fc1": 48120,
        "fc2": 10164,
        "fc3": 850,
    }
    assert actual.parameters == actual.trainable == 61684
    assert actual.parameter_bytes == 4 * 61684


def test_a_layer_that_is_called_twice_counts_twice_and_one_never_called_says_so() -> None:
    results_by_name = {layer.name: layer for layer in summary(Twice(), (2, 4))}
    assert (results_by_name["dense"].calls, results_by_name["unused"].calls) == (2, 0)
    assert results_by_name["dense"].flops == 2 * (2 * 4 * 2 * 4 + 2 * 4)
    assert "not called" in str(summary(Twice(), (2, 4)))


def test_the_network_has_all_outputs_and_all_operations() -> None:
    actual = summary(Twice(), (2, 4))
    top = actual.layers[0]
    assert [spec.shape for spec in top.outputs] == [(2, 4), (2, 4)]
    assert top.flops == actual.flops


def test_statistics_are_parameters_that_are_not_trainable() -> None:
    actual = summary(Twice(), (2, 4))
    assert (actual.parameters, actual.trainable) == (20 + 16, 20 + 8)


def test_the_network_is_left_as_it_was() -> None:
    network = Twice()
    before = [p.asnumpy().copy() for p in network.get_parameters()]
    summary(network, (2, 4))
    assert not any(cell._record_.hooks for _, cell in network.cells_and_names())
    assert all(np.array_equal(a, p.asnumpy()) for a, p in zip(before, network.get_parameters()))


@pytest.mark.parametrize(
    "batch", [Tensor(np.ones((2, 4), np.float32)), np.ones((2, 4), np.float32), (2, 4), [2, 4]]
)
def test_a_batch_may_be_a_tensor_an_array_or_a_shape(batch: object) -> None:
    assert summary(Twice(), batch).layers[0].outputs[0].shape == (2, 4)


def test_the_last_lines_sum_up() -> None:
    printed = str(summary(nn.Dense(1000, 1000, weight_init="zeros"), (1, 1000)))
    assert "parameters   1,001,000 (0 not trainable), 3.82 MB" in printed


@pytest.mark.parametrize(
    ("args", "error", "words"),
    [
        ((lambda x: x, (1,)), TypeError, "network must be a Cell"),
        ((nn.ReLU(),), ValueError, "Pass a batch, or its shape"),
        ((nn.ReLU(), "2, 4"), TypeError, "input 0 must be a Tensor, an array or a shape"),
        ((nn.ReLU(), (2, -4)), TypeError, "input 0 must be"),
        ((nn.Dense(3, 2), (2, 4)), ValueError, "in_channels=3"),
    ],
)
def test_what_can_not_be_summarised_is_refused(
    args: tuple[object, ...], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        summary(*args)  # type: ignore[arg-type]
