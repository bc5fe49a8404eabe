"""The example of a layer of experts that learns."""

from __future__ import annotations

import numpy as np
import pytest

import experts
import minispore as ms
from minispore import Tensor, device, nn, ops

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])


@MODES
def test_the_loss_falls(mode: int) -> None:
    ms.set_context(mode=mode)
    losses = experts.train(60)
    assert np.mean(losses[-10:]) < 0.6 * np.mean(losses[:10])


def test_both_modes_learn_the_same_bits() -> None:
    ms.set_context(mode=ms.PYNATIVE_MODE)
    plain = experts.train(5)
    ms.set_context(mode=ms.GRAPH_MODE)
    assert experts.train(5) == plain


class Dense(nn.Cell):
    """The same, where all experts compute all tokens, and those not chosen weigh 0."""

    def __init__(self, sparse: experts.Experts) -> None:
        super().__init__()
        self.each, self.gate, self.up, self.down = sparse.each, sparse.gate, sparse.up, sparse.down

    def construct(self, tokens: Tensor) -> Tensor:
        shares = ops.softmax(self.gate(tokens))
        least = ops.topk(shares, self.each)[0][:, -1:]
        weights = ops.select(shares >= least, shares, ops.zeros_like(shares))
        weights = weights / weights.sum(-1, keepdims=True)
        output = ops.bmm(ops.relu(ops.matmul(tokens, self.up)), self.down)  # (E, N, H)
        return (output * weights.T.expand_dims(2)).sum(0)


@MODES
def test_it_has_the_gradients_of_all_experts_for_all_tokens(mode: int) -> None:
    ms.set_context(mode=mode)
    ms.set_seed(1)
    net = experts.Experts(8, 16, 4)
    x, y = experts.make_batch(np.random.default_rng(1), 64, 8)
    outputs = []
    for layer in (net, Dense(net)):
        loss = nn.WithLossCell(layer, nn.MSELoss())
        actual = ms.value_and_grad(loss, 0, net.trainable_params())(x, y)
        outputs.append([actual[0], actual[1][0], *actual[1][1]])
    assert len(outputs[0]) == 5
    for sparse, dense in zip(*outputs, strict=True):
        assert np.abs(dense.asnumpy()).max() > 1e-3
        np.testing.assert_allclose(sparse.asnumpy(), dense.asnumpy(), 1e-4, 1e-6)


def test_the_simulated_device_prices_it() -> None:
    net = experts.Experts(64, 128, 4)
    model = ms.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    batches = device.Shapes([((256, 64), np.float32)] * 2, size=10)
    for name in ("Ascend910", "A100"):
        estimate = device.estimate(model, batches, device=name)
        assert {"GroupedRows", "GroupedOuter"} <= {o for k in estimate.cost.kernels for o in k.ops}
