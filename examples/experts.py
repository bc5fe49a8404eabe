"""A layer of experts learns: each token goes to the two that it likes best, and back.

Run it by ``python experts.py``; ``--steps`` says for how long. The tokens are in the order of their
experts while these work, so that each expert has one product with all of its rows; a gate, which
learns with them, says which tokens those are. What is learned bends where the signs of two numbers
change, as no single expert of this size can.
"""

from __future__ import annotations

import argparse

import numpy as np

import minispore as ms
from minispore import Parameter, Tensor, nn, ops
from minispore.common.initializer import Normal, initializer
from minispore.ops.function.math_func import gmm


class Experts(nn.Cell):
    """A layer that sends tokens (N, H) through the best ``each`` of ``count`` experts,
    weighted by their gate.

    Args:
        width: H.
        inner: the length of what an expert computes in between.
        count: of experts.
        each: how many of them a token goes to.
    """

    def __init__(self, width: int, inner: int, count: int, each: int = 2) -> None:
        super().__init__()
        self.each = each
        self.numbers = Tensor(np.arange(count, dtype=np.int32))
        self.gate = nn.Dense(width, count, has_bias=False)
        self.up = Parameter(initializer(Normal(0.5), (count, width, inner)), "up")
        self.down = Parameter(initializer(Normal(0.5), (count, inner, width)), "down")

    def construct(self, tokens: Tensor) -> Tensor:
        weights, expert_ids = ops.topk(ops.softmax(self.gate(tokens)), self.each)
        weights = weights / weights.sum(-1, keepdims=True)
        rows, positions = ops.moe_token_permute(tokens, expert_ids)
        ends = (expert_ids.reshape(-1, 1) <= self.numbers).astype(ms.int64).sum(0)
        (output,) = gmm([rows], [self.up], group_list=ends)
        (output,) = gmm([ops.relu(output)], [self.down], group_list=ends)
        return ops.moe_token_unpermute(output, positions, weights)


def make_batch(rng: np.random.Generator, size: int, width: int) -> tuple[Tensor, Tensor]:
    """Make tokens and the values that the experts shall learn for them."""
    x = rng.standard_normal((size, width)).astype(np.float32)
    signs = np.sign(x[:, :1] * x[:, 1:2])
    return Tensor(x), Tensor(np.abs(x) * signs)


def train(steps: int, seed: int = 0, width: int = 8) -> list[float]:
    """Train a layer of experts and return the loss of each step."""
    ms.set_seed(seed)
    rng = np.random.default_rng(seed)
    net = Experts(width, 32, 4)
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.01)
    )
    return [float(step(*make_batch(rng, 256, width)).asnumpy()) for _ in range(steps)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    ms.set_context(mode=ms.GRAPH_MODE)
    losses = train(parser.parse_args().steps)
    for first in range(0, len(losses), 50):
        print(f"step {first + 1:4}: loss {np.mean(losses[first : first + 50]):.3f}")


if __name__ == "__main__":
    main()
