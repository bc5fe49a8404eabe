"""The program that runs in WebAssembly and natively: trainings, files, counters, a pipeline.

It prints numbers, which must be equal on both sides; a line that begins with ``time`` may differ.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

started = time.perf_counter()

import numpy as np  # noqa: E402

import minispore as ms  # noqa: E402
import minispore.dataset as ds  # noqa: E402
from minispore import device, nn  # noqa: E402

print(f"time: import {time.perf_counter() - started:.1f} s")


def train_first_program() -> nn.Cell:
    """The first program of the README."""
    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    ms.set_seed(1)
    points = np.random.default_rng(0).normal(size=(6400, 2)).astype(np.float32)
    classes = (points[:, 0] * points[:, 1] > 0).astype(np.int32)
    data = ds.NumpySlicesDataset((points, classes), ["point", "class"]).batch(64)
    network = nn.SequentialCell(nn.Dense(2, 32), nn.Tanh(), nn.Dense(32, 2))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Adam(network.trainable_params(), learning_rate=0.01)
    model = ms.Model(network, loss, optimizer, metrics={"accuracy"})
    model.train(5, data, callbacks=ms.LossMonitor(), dataset_sink_mode=True, sink_size=100)
    print(model.eval(data))
    return network


def train_lenet(folder: Path) -> None:
    """LeNet on 2,000 drawn digits, with each kind of sink, and what the device counted."""
    import lenet_mnist
    import mnist_files

    mnist_files.generate(folder, counts={"train": 2000, "t10k": 200})
    for mode in ("GRAPH", "PYNATIVE"):
        device.current().counters.reset()
        started = time.perf_counter()
        lenet_mnist.main(
            ["--data-dir", str(folder), "--mode", mode, "--epochs", "2", "--sink-size", "50"]
        )
        print(f"time: a step of LeNet in {mode} {10 * (time.perf_counter() - started):.1f} ms")
        counters = device.current().counters.snapshot()  # but not how long the device waited
        print(str(counters).partition(", getnext_waits")[0])


def save_and_load(network: nn.Cell, folder: Path) -> None:
    """A checkpoint that is saved asynchronously, and a model file."""
    points = ms.Tensor(np.linspace(-1, 1, 8, dtype=np.float32).reshape(4, 2))
    ms.save_checkpoint(network, str(folder / "net.ckpt"), async_save=True)
    while ms.async_ckpt_thread_status():
        time.sleep(0.01)
    print(sorted(ms.load_checkpoint(str(folder / "net.ckpt"))))
    ms.export(network, points, file_name=str(folder / "net"), file_format="MINDIR")
    loaded = nn.GraphCell(ms.load(str(folder / "net.mindir")))
    print(np.array_equal(loaded(points).asnumpy(), network(points).asnumpy()))


def run_pipeline() -> None:
    """A pipeline with workers and a shuffle under a seed."""

    def double(x: Any) -> Any:
        return x * 2

    ds.config.set_seed(5)
    data = ds.NumpySlicesDataset(np.arange(20, dtype=np.int32), ["x"])
    data = data.map(double, "x", num_parallel_workers=2).batch(5)
    print([x.tolist() for (x,) in data.create_tuple_iterator(output_numpy=True)])


folder = Path(sys.argv[1])
save_and_load(train_first_program(), folder)
run_pipeline()
train_lenet(folder / "digits")
print(f"time: all {time.perf_counter() - started:.1f} s")
