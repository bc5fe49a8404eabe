"""Layers and draws of mint: what they keep and how they train."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Generator, Tensor, context, mint


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def mode(request: pytest.FixtureRequest) -> None:
    context.set_context(mode=request.param)


BATCH = np.array([[[1.0, 2.0], [0.0, 4.0]], [[3.0, 6.0], [8.0, 0.0]]], np.float32)  # (2, 2, 2)


@pytest.mark.usefixtures("mode")
def test_batch_norm_moves_its_statistics_towards_the_batch_unbiased() -> None:
    layer = mint.nn.BatchNorm1d(2).set_train()
    layer(Tensor(BATCH))
    # means 3 and 3; squares 4+1+0+9 = 14 and 9+1+25+9 = 44, by n - 1 = 3
    np.testing.assert_allclose(layer.running_mean.asnumpy(), [0.3, 0.3], rtol=1e-6)
    expected = [0.9 + 0.1 * 14 / 3, 0.9 + 0.1 * 44 / 3]
    np.testing.assert_allclose(layer.running_var.asnumpy(), expected, rtol=1e-6)
    assert int(layer.num_batches_tracked) == 1


@pytest.mark.usefixtures("mode")
def test_batch_norm_without_momentum_keeps_the_mean_of_all_batches() -> None:
    layer = mint.nn.BatchNorm1d(2, momentum=None).set_train()
    layer(Tensor(BATCH))
    layer(Tensor(BATCH + 2))
    np.testing.assert_allclose(layer.running_mean.asnumpy(), [4, 4], rtol=1e-6)


@pytest.mark.parametrize("layer", ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("tracked", [True, False])
def test_batch_norm_resets_its_statistics_and_parameters(
    layer: str, affine: bool, tracked: bool
) -> None:
    dtype = ms.float64 if layer == "BatchNorm1d" else ms.float32
    norm = getattr(mint.nn, layer)(2, affine=affine, track_running_stats=tracked, dtype=dtype)
    began = {p.name: p.asnumpy() for p in norm.get_parameters()}
    for parameter in norm.get_parameters():
        parameter.set_data(parameter + 3)
    norm.reset_running_stats()
    for parameter in norm.get_parameters():
        moved = 3 if parameter.name in ("weight", "bias") else 0
        np.testing.assert_array_equal(parameter.asnumpy(), began[parameter.name] + moved)
    norm.reset_parameters()
    for parameter in norm.get_parameters():
        np.testing.assert_array_equal(parameter.asnumpy(), began[parameter.name])
        assert parameter.asnumpy().dtype == began[parameter.name].dtype


def test_batch_norm_in_evaluation_uses_its_running_statistics() -> None:
    layer = mint.nn.BatchNorm1d(2, eps=0.0)
    np.testing.assert_allclose(layer(Tensor(BATCH)).asnumpy(), BATCH)
    assert int(layer.num_batches_tracked) == 0


@pytest.mark.usefixtures("mode")
def test_a_network_of_mint_learns() -> None:
    ms.set_seed(1)
    network = ms.nn.SequentialCell(
        mint.nn.Conv2d(1, 4, 3, padding="same", padding_mode="reflect"),
        mint.nn.BatchNorm2d(4),
        mint.nn.ReLU(),
        mint.nn.AdaptiveAvgPool2d(2),
        mint.nn.Flatten(),
        mint.nn.Dropout(0.1),
        mint.nn.Linear(16, 2),
    )
    loss, optimizer = (
        mint.nn.CrossEntropyLoss(),
        ms.nn.Momentum(network.trainable_params(), 0.1, 0.9),
    )
    step = ms.nn.TrainOneStepCell(ms.nn.WithLossCell(network, loss), optimizer).set_train()
    x = np.random.default_rng(0).normal(size=(16, 1, 6, 6)).astype(np.float32)
    y = (x.mean((1, 2, 3)) > 0).astype(np.int64)
    losses = [float(step(Tensor(x), Tensor(y))) for _ in range(30)]
    assert losses[-1] < 0.6 * losses[0]


def test_dropout_drops_elements_only_in_training() -> None:
    layer, x = mint.nn.Dropout(0.5), Tensor(np.ones(1000, np.float32))
    layer.set_train(False)
    assert (layer(x).asnumpy() == 1).all()
    assert set(np.unique(layer.set_train()(x).asnumpy())) == {0, 2}


def test_a_layer_tells_its_arguments() -> None:
    assert mint.nn.Softmax(dim=1).dim == 1
    assert "kernel_size=2" in repr(mint.nn.MaxPool2d(2))


@pytest.mark.parametrize("name", ["relu_", "sigmoid_", "elu_", "hardtanh_"])
def test_a_function_with_an_underscore_changes_its_input(name: str) -> None:
    x = Tensor([-2.0, 3.0])
    output = getattr(mint.nn.functional, name)(x)
    np.testing.assert_array_equal(x.asnumpy(), output.asnumpy())
    assert x.asnumpy()[0] != -2


def test_the_row_of_the_padding_is_zero_and_not_learned() -> None:
    layer = mint.nn.Embedding(4, 2, padding_idx=-3)
    assert (layer.weight.asnumpy()[1] == 0).all()

    gradient = ms.grad(lambda ids: layer(ids).sum(), None, layer.trainable_params())
    output = gradient(Tensor([0, 1]))
    output = output[0] if isinstance(output, tuple) else output
    np.testing.assert_array_equal(output.asnumpy(), [[1, 1], [0, 0], [0, 0], [0, 0]])


# -- draws ----------------------------------------------------------------------------------------

DRAWS = {
    "rand": lambda g: mint.rand(4, generator=g),
    "randn": lambda g: mint.randn((2, 3), generator=g),
    "randint": lambda g: mint.randint(2, 50, (5,), generator=g),
    "randperm": lambda g: mint.randperm(9, generator=g),
    "normal": lambda g: mint.normal(0.0, 2.0, (4,), generator=g),
    "bernoulli": lambda g: mint.bernoulli(Tensor(np.full(40, 0.5, np.float32)), generator=g),
    "multinomial": lambda g: mint.multinomial(
        Tensor(np.ones(9, np.float32)), 6, generator=g
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWS)
def test_a_reseeded_generator_repeats_its_numbers(name: str) -> None:
    generator = Generator().manual_seed(3)
    first = DRAWS[name](generator).asnumpy()
    second = DRAWS[name](generator).asnumpy()
    assert (first != second).any()
    ms.set_seed(5)  # somebody else's stream
    assert (DRAWS[name](generator.manual_seed(3)).asnumpy() == first).all()


def test_a_generator_goes_back_to_a_state() -> None:
    generator = Generator()
    state = generator.get_state()
    first = DRAWS["rand"](generator).asnumpy()
    generator.set_state(state)
    assert (DRAWS["rand"](generator).asnumpy() == first).all()
    with pytest.raises(ValueError, match="state must come from get_state"):
        generator.set_state(Tensor([1, 2, 3]))


def test_the_common_stream_is_the_default_generator() -> None:
    ms.default_generator.manual_seed(7)
    assert ms.initial_seed() == ms.get_seed() == 7
    chosen = ms.seed()
    assert ms.initial_seed() == chosen


def test_what_is_no_generator_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="generator must be a Generator"):
        mint.rand(2, generator=3)


def test_multinomial_without_replacement_takes_each_once() -> None:
    output = mint.multinomial(Tensor(np.ones(6, np.float32)), 6)
    assert sorted(output.asnumpy().tolist()) == list(range(6))


# -- bad input ------------------------------------------------------------------------------------


def test_same_padding_wants_a_stride_of_one() -> None:
    with pytest.raises(ValueError, match="stride must be 1 for padding 'same'"):
        mint.nn.functional.conv2d(mint.ones((1, 1, 4, 4)), mint.ones((1, 1, 2, 2)), None, 2, "same")


def test_an_output_padding_is_below_the_stride() -> None:
    with pytest.raises(ValueError, match="output_padding must be below stride"):
        mint.nn.functional.conv_transpose2d(
            mint.ones((1, 1, 4, 4)), mint.ones((1, 1, 2, 2)), output_padding=1
        )


def test_a_repetition_must_be_as_long_as_it_says() -> None:
    with pytest.raises(ValueError, match="output_size must be 4"):
        mint.repeat_interleave(Tensor([1, 2]), 2, output_size=5)


def test_running_statistics_are_needed_where_not_training() -> None:
    with pytest.raises(ValueError, match="running_mean and running_var must be given"):
        mint.nn.functional.batch_norm(mint.ones((2, 2)), None, None)


@pytest.mark.parametrize("size", [(9, 10), (2, 3, 10, 9)])
def test_a_transposed_convolution_returns_the_requested_size(size: tuple[int, ...]) -> None:
    layer = mint.nn.ConvTranspose2d(3, 3, 3, stride=2)
    x = Tensor(np.ones((2, 3, 4, 4), np.float32))
    output = layer(x, output_size=size).asnumpy()
    assert output.shape == (2, 3, *size[-2:])
    assert np.array_equal(output[..., :9, :9], layer(x).asnumpy())


@pytest.mark.parametrize("size", [(8, 8), (11, 11), (2, 3, 4)])
def test_a_size_that_no_window_gives_is_refused(size: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="output_size"):
        mint.nn.ConvTranspose2d(3, 2, 3, stride=2)(mint.ones((2, 3, 4, 4)), size)
