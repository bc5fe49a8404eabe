"""Parameters that are left without content until something asks for it."""

from __future__ import annotations

import tracemalloc
from contextlib import nullcontext

import numpy as np
import pytest

from minispore import Parameter, Tensor, context, load_param_into_net, nn
from minispore.common.initializer import initializer
from minispore.nn.utils import no_init_parameters


@pytest.fixture
def bare() -> nn.Dense:
    with no_init_parameters():
        return nn.Dense(3, 2, weight_init="ones", bias_init="zeros")


def test_a_parameter_created_under_no_init_has_a_shape_and_no_content(bare: nn.Dense) -> None:
    assert (bare.weight.shape, bare.weight.dtype, bare.weight.has_init) == (
        (2, 3),
        Tensor(1.0).dtype,
        True,
    )


def test_a_network_of_terabytes_takes_no_memory() -> None:
    tracemalloc.start()
    try:
        with no_init_parameters():
            network = nn.Dense(1 << 20, 1 << 20)
            optimizer = nn.Adam(network.trainable_params())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert optimizer.moment1[0].shape == (1 << 20, 1 << 20)
    assert peak < 1 << 20


@pytest.mark.parametrize("mode", [context.PYNATIVE_MODE, context.GRAPH_MODE])
def test_the_first_run_fills_what_is_left(bare: nn.Dense, mode: int) -> None:
    x = Tensor(np.ones((1, 3), np.float32))
    nn.Dense(3, 2)(x)  # the same op on the same shapes, with content
    context.set_context(mode=mode)
    assert bare(x).asnumpy().tolist() == [[3, 3]]
    assert not bare.weight.has_init


def test_asking_for_the_content_draws_it(bare: nn.Dense) -> None:
    assert bare.weight.asnumpy().tolist() == [[1, 1, 1], [1, 1, 1]]


def test_init_parameters_data_fills_all_of_them(bare: nn.Dense) -> None:
    bare.init_parameters_data()
    assert not any(p.has_init for p in bare.get_parameters())


def test_a_checkpoint_fills_an_uninitialized_parameter(bare: nn.Dense) -> None:
    with pytest.warns(UserWarning, match="not in the dict: bias"):
        load_param_into_net(bare, {"weight": Parameter(np.full((2, 3), 7, np.float32))})
    assert (bare.weight.asnumpy() == 7).all()
    assert bare.bias.has_init


def test_clones_of_uninitialized_parameters_are_uninitialized(bare: nn.Dense) -> None:
    assert bare.weight.clone().has_init
    zeros = bare.weight.clone("zeros")
    assert zeros.has_init
    assert not zeros.asnumpy().any()


def test_a_training_that_starts_from_nothing_is_the_same_as_any_other() -> None:
    def trained(later: bool) -> list[list[float]]:
        with no_init_parameters() if later else nullcontext():
            net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
            optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
        for _ in range(3):
            step(Tensor(np.ones((4, 3), np.float32)), Tensor(np.zeros((4, 2), np.float32)))
        return net.weight.asnumpy().tolist()

    assert trained(True) == trained(False)


def test_outside_of_the_block_parameters_are_filled_at_once(bare: nn.Dense) -> None:
    assert not nn.Dense(3, 2).weight.has_init


def test_a_tensor_of_an_array_has_it_at_once() -> None:
    with no_init_parameters():
        assert not Parameter(Tensor(np.ones(3, np.float32))).has_init


def test_an_unknown_initializer_is_refused_inside_too() -> None:
    with no_init_parameters(), pytest.raises(ValueError, match="must name an initializer"):
        initializer("normall", (2, 2))
