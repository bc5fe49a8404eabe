"""What sinking changes and what it does not: ``python sinks.py --help``.

The same LeNet-5 learns from the same batches, fed in four ways. The device counts what the host
asks of it; the weights at the end are the same to the last bit.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from typing import NamedTuple

import lenet_mnist
import minispore as ms
import mnist_files
from minispore import device, nn

STEPS = 300


class Way(NamedTuple):
    """One way to feed a device."""

    name: str
    mode: int
    sink: bool


WAYS = (
    Way("no sink, op by op", ms.PYNATIVE_MODE, False),
    Way("no sink, graph", ms.GRAPH_MODE, False),
    Way("data sink, op by op", ms.PYNATIVE_MODE, True),
    Way("data + graph + loop sink", ms.GRAPH_MODE, True),
)


class StepEnds(ms.Callback):
    """A callback that counts how often the host learns that a step has ended."""

    count = 0

    def on_train_step_end(self, run_context: ms.RunContext) -> None:
        self.count += 1


def compute_digest(network: nn.Cell) -> str:
    """Return a fingerprint of all weights."""
    sha = hashlib.sha256()
    for parameter in network.get_parameters():
        sha.update(parameter.asnumpy().tobytes())
    return sha.hexdigest()[:12]


def train_in_way(way: Way, data_dir: str | None, seed: int = 1) -> list[str]:
    """Train for one pass over the first batches; return one row of the table."""
    ms.set_seed(seed)
    ms.set_context(mode=way.mode, device_target="Ascend")
    data = lenet_mnist.create_dataset(mnist_files.find(data_dir), "train", 32).take(STEPS)
    network = lenet_mnist.LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    step_ends, counters = StepEnds(), device.current().counters
    counters.reset()
    start = time.perf_counter()
    ms.Model(network, loss, optimizer).train(
        1, data, callbacks=step_ends, dataset_sink_mode=way.sink
    )
    seconds = time.perf_counter() - start
    launches = counters.kernel_launches, counters.program_launches
    counts = *launches, counters.interactions, step_ends.count
    return [way.name, *(f"{n:,}" for n in counts), f"{seconds:.1f} s", compute_digest(network)]


def main(argv: list[str] | None = None) -> None:
    """Train in each way and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", metavar="DIR", help="MNIST, as for lenet_mnist.py")
    args = parser.parse_args(argv)
    head = ["", "kernels sent", "graphs started", "interactions", "step ends", "here", "weights"]
    table = [head, *(train_in_way(way, args.data_dir) for way in WAYS)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for name, *cells in table:
        aligned = (f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
        print("  ".join([f"{name:<{widths[0]}}", *aligned]))


if __name__ == "__main__":
    main()
