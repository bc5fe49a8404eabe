"""Data-parallel training: ``python -m minispore --ranks 2 ranks.py``.

Each rank takes its rows of every batch and the ranks average their gradients, so any number of them
comes to the weights of a single rank, but for the rounding of sums.
"""

from __future__ import annotations

import argparse

import lenet_mnist
import minispore as ms
import mnist_files
from minispore import nn
from minispore.communication import get_group_size, get_rank, init

BATCH = 64


def main(argv: list[str] | None = None) -> None:
    """Train on some batches and print this rank's first weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", metavar="DIR", help="MNIST, as for lenet_mnist.py")
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args(argv)
    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    init()
    rank, ranks = get_rank(), get_group_size()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    ms.set_seed(1)  # every rank begins with the same weights and shuffles the same way

    data = lenet_mnist.create_dataset(mnist_files.find(args.data_dir), "train", BATCH)
    for column in ("image", "label"):
        data = data.map(lambda batch: batch[rank::ranks], column)
    network = lenet_mnist.LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    model = ms.Model(network, loss, optimizer)
    model.train(1, data.take(args.steps), dataset_sink_mode=True)

    weights = network.fc3.weight.asnumpy().ravel()[:4]
    print(
        f"rank {rank} of {ranks}: {BATCH // ranks} images a step,", *[f"{w:.4f}" for w in weights]
    )


if __name__ == "__main__":
    main()
