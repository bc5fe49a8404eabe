"""What a profiler costs a LeNet step: nothing while it is off, little while it is on.

The same Model trains with and without a profiler at work, in turns, so that a slow minute of the
machine falls on both.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time

import numpy as np

from minispore import context, dataset, device, nn
from minispore.profiler import Profiler
from minispore.train import Model

STEPS = 100


def make_lenet() -> nn.Cell:
    """Make LeNet-5."""
    return nn.SequentialCell(
        [
            *(nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Conv2d(6, 16, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Flatten(), nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU()),
            nn.Dense(84, 10),
        ]
    )


def main(argv: list[str]) -> int:
    """Print milliseconds a step with and without a profiler, and the cost of the device's
    bookkeeping.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks profiler", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--no-sink", action="store_true", help="feed every step from the host")
    options = parser.parse_args(argv)
    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
    rng = np.random.default_rng(0)
    x = rng.random((32 * STEPS, 1, 32, 32), np.float32)
    y = rng.integers(0, 10, 32 * STEPS).astype(np.int32)
    data = dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(32)
    network = make_lenet()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = Model(network, loss, nn.Momentum(network.trainable_params(), 0.01, 0.9))

    def measure_step_ms() -> float:
        begin = time.perf_counter()
        model.train(1, data, dataset_sink_mode=not options.no_sink)
        return 1e3 * (time.perf_counter() - begin) / STEPS

    measure_step_ms()  # compiles
    off: list[float] = []
    on: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            off.append(measure_step_ms())
            profiler = Profiler(output_path=folder)
            on.append(measure_step_ms())
            profiler.stop()
    more = statistics.median(b / a - 1 for a, b in zip(off, on, strict=True))
    before, after = statistics.median(off), statistics.median(on)
    print(f"off {before:.3f} ms a step, on {after:.3f} ms: +{more:.1%}")
    machine = device.current()
    begin = time.perf_counter()
    for _ in range(100_000):
        machine.begin_step()
        machine.count_back(())
    seam_us = 1e6 * (time.perf_counter() - begin) / 100_000
    share = seam_us / 1e3 / before
    print(
        f"off, all bookkeeping of the device together: {seam_us:.2f} us a step, {share:.2%} of it"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
