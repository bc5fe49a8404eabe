"""Recurrent layers are one op for all steps, the same in both modes and whatever the padding."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.execution.kernels import bound_kernel
from minispore.execution.threads import thread_pool
from minispore.graph import program_of
from minispore.ir.registry import registry
from minispore.ops.network import lstm_gradient, sequence

LAYERS = [nn.LSTM, nn.GRU]


def numbers(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32))


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_is_one_op_for_each_direction(layer) -> None:
    net = layer(3, 4, num_layers=2, bidirectional=True)
    ms.set_context(mode=ms.GRAPH_MODE)
    program = program_of(net, numbers(7, 2, 3))
    name = f"{layer.__name__}Sequence"
    assert [n.prim.name for n in program.nodes].count(name) == 4


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("ends", [None, [4, 1]])
def test_training_gives_the_same_bits_in_both_modes(layer, ends) -> None:
    lengths = None if ends is None else Tensor(np.array(ends, np.int32))
    results = []
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        ms.set_seed(1)
        net = layer(3, 4, num_layers=2, bidirectional=True, batch_first=True)
        weights = ms.ParameterTuple(net.trainable_params())
        run = ops.value_and_grad(lambda x: net(x, None, lengths)[0].sum(), 0, weights)  # noqa: B023
        value, (dx, dw) = run(numbers(2, 4, 3))
        results.append([t.asnumpy().tobytes() for t in (value, dx, *dw)])
    assert results[0] == results[1]


@pytest.mark.parametrize("steps, scale", [(9, 0.3), (2, 1e-30)])  # too small a product is 0 or -0
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("state", [np.s_[-1], np.s_[0], np.s_[-1:], np.s_[:1], np.s_[1]])
def test_the_gradient_of_one_state_has_the_same_bits_in_both_modes(
    steps, scale, reverse, state
) -> None:
    layer, x, h = registry["LSTMSequence"](reverse), numbers(steps, 8, 3), numbers(8, 16)
    w, w_hh, b = numbers(64, 3), numbers(64, 16) * scale, numbers(64)

    def loss(w, w_hh, b, x, h):
        states = layer(w, w_hh, b, x, h, h * 0.5, None)[1][state]
        return (states * states).sum()

    back = ms.grad(loss, (0, 1, 2, 3, 4))
    op_by_op, in_graph = (
        [d.asnumpy().tobytes() for d in run(w, w_hh, b, x, h)] for run in (back, ms.jit(back))
    )
    assert op_by_op == in_graph


@pytest.mark.parametrize("layer", LAYERS)
def test_padding_after_the_end_of_a_sequence_has_no_effect(layer) -> None:
    net, lengths = layer(3, 4, bidirectional=True), Tensor(np.array([2, 4], np.int32))
    clean = numbers(4, 2, 3).asnumpy()
    other = clean.copy()
    other[2:, 0] = 1e30
    for x, y in zip(*(ops.grad(lambda x: net(x, None, lengths)[0].sum())(Tensor(a))[:2]
                      for a in (clean, other)), strict=True):  # fmt: skip
        assert np.array_equal(x.asnumpy(), y.asnumpy())
    a, b = (net(Tensor(x), None, lengths)[0].asnumpy() for x in (clean, other))
    assert np.array_equal(a, b)


@pytest.mark.parametrize("cell, layer", [(nn.LSTMCell, nn.LSTM), (nn.GRUCell, nn.GRU)])
def test_a_cell_does_what_its_layer_does_in_a_step(cell, layer) -> None:
    one, whole = cell(3, 4), layer(3, 4)
    for p, q in zip(one.trainable_params(), whole.trainable_params(), strict=True):
        q.set_data(p)
    x, h, c = numbers(1, 2, 3), numbers(2, 4), numbers(4, 2).T.copy()
    state = (h, c) if layer is nn.LSTM else h
    first = state if isinstance(state, tuple) else (state,)
    stacked = tuple(s.expand_dims(0) for s in first)
    _, last = whole(x, stacked if len(stacked) == 2 else stacked[0])
    got = one(x[0], state)
    for a, b in zip(*(t if isinstance(t, tuple) else (t,) for t in (got, last)), strict=True):
        assert np.array_equal(a.asnumpy(), b[0].asnumpy())


@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_do_not_depend_on_the_steps_per_chunk(reverse, monkeypatch) -> None:
    gates, c, w, tanhs = numbers(4, 5, 2, 3), numbers(6, 2, 3), numbers(12, 3), numbers(5, 2, 3)
    lengths, inputs = Tensor(np.array([5, 3], np.int32)), (numbers(4, 5, 2, 3), c + 1, c - 1)
    back, of = registry["LSTMSequenceGrad"](reverse), (gates, c * 2, c, tanhs, w)
    results = []
    for count in (1, 2, 5):
        monkeypatch.setattr(sequence, "_CHUNK_BYTES", count * 4 * 2 * 3 * 4)
        assert sequence.choose_steps_per_chunk(gates._value.spec) == count
        for ends in (None, lengths):
            results.append([d.asnumpy().tobytes() for d in back(*of, ends, *inputs)])
    assert results[0] == results[2] == results[4] and results[1] == results[3] == results[5]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("ends", [None, [5, 3]])
def test_one_product_of_all_gates_and_one_of_each_are_the_same_to_rounding(
    reverse, ends, monkeypatch
) -> None:
    """Which of both is made depends on the kernels that BLAS has on a machine."""
    shapes = (4, 5, 2, 3), (6, 2, 3), (6, 2, 3), (5, 2, 3), (12, 3)
    inputs = [numbers(*shape).asnumpy() for shape in shapes]
    lengths = None if ends is None else np.array(ends, np.int32)
    slopes = [numbers(*shape).asnumpy() for shape in shapes[:3]]
    back, outputs = registry["LSTMSequenceGrad"](reverse), []
    products = []
    for small in (0, 1_000_000):
        monkeypatch.setattr(lstm_gradient, "get_small_product_limit", lambda small=small: small)
        out = tuple([np.empty(shape, np.float32) for shape in ((5, 2, 12), (2, 3), (2, 3))])
        work = bound_kernel.make_scratch_arrays(back, [*inputs, lengths, *slopes])
        calls = back.calls(*inputs, lengths, *slopes, out=out, work=work)
        products.append({c.args[0].ndim for c in calls if c.func is np.matmul})
        for call in calls:
            call()
        outputs.append(out)
    assert products == [{2}, {3}]
    for one, each in zip(*outputs, strict=True):
        assert np.allclose(one, each, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("ends", [None, [9, 4]])
def test_a_layer_has_the_same_bits_on_any_number_of_threads(
    bidirectional, ends, monkeypatch
) -> None:
    monkeypatch.setattr(thread_pool, "_cores", 3)
    x, lengths = numbers(9, 2, 3), None if ends is None else Tensor(np.array(ends, np.int32))

    def trained() -> list[np.ndarray]:
        ms.set_seed(1)
        net = nn.LSTM(3, 4, num_layers=2, bidirectional=bidirectional)
        run = ops.value_and_grad(
            lambda x: (net(x, None, lengths)[0] * x.sum()).sum(),
            0,
            ms.ParameterTuple(net.trainable_params()),
        )
        value, (dx, dw) = run(x)
        return [t.asnumpy() for t in (value, dx, *dw)]

    whole = trained()
    monkeypatch.setattr(sequence, "_MIN_CHUNK_FLOPS", 1.0)  # so that there are parts
    monkeypatch.setattr(sequence, "_CHUNK_BYTES", 1)
    results = []
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        for threads in (1, 2, 3):
            ms.set_context(mode=mode, runtime_num_threads=threads)
            results.append(trained())
    assert len({tuple(a.tobytes() for a in output) for output in results}) == 1
    for a, b in zip(whole, results[0], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_the_weights_of_an_lstm_cost_nothing_where_nobody_asks_for_their_gradients() -> None:
    net, x = nn.LSTM(3, 4), numbers(9, 2, 3)
    ms.set_context(mode=ms.GRAPH_MODE)

    class Slope(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = net

        def construct(self, x):
            return ops.grad(lambda x: self.net(x)[0].sum())(x)

    names = [n.prim.name for n in program_of(Slope(), x).nodes]
    assert "LSTMSequenceGrad" in names
    assert "LSTMSequenceWeights" not in names


@pytest.mark.parametrize(
    ("cell", "sums"),
    [  # of what the real one draws after set_seed(3)
        (nn.LSTMCell, [-1.3643278684, -0.7144624841, 2.186366722, -0.464957891]),
        (nn.GRUCell, [-0.0885353163, 0.6569994688, -0.6371505186, 1.7203056887]),
        (nn.RNNCell, [-0.3894288838, -0.8075901885, -0.1910049915, -0.2767994255]),
    ],
)
def test_a_cell_draws_its_weights_anew(cell, sums) -> None:
    ms.set_seed(3)
    output = cell(2, 3)
    before = [p.asnumpy() for p in output.get_parameters()]
    output.reset_parameters()
    after = [p.asnumpy() for p in output.get_parameters()]
    np.testing.assert_allclose([a.sum(dtype=np.float64) for a in after], sums, rtol=1e-6)
    assert all((a != b).all() for a, b in zip(after, before, strict=True))
    assert all(abs(a).max() <= 1 / np.sqrt(3) for a in after)
