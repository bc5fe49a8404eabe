"""What a data sink overlaps, and what the batch ledger costs."""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np

import minispore as ms
import minispore.dataset as ds
from benchmarks.harness import describe_machine
from minispore import nn
from minispore.core.tensor import Tensor
from minispore.train import Model

SIDE = 384  # of the matrices that a step multiplies


class Products(nn.Cell):
    """A network that multiplies matrices ``count`` times."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def construct(self, x: Tensor) -> Tensor:
        y = x[0]
        for _ in range(self.count):
            y = ms.ops.matmul(y, y) * 0.01
        return y.mean()


class SlowRows:
    """A dataset whose rows take ``seconds`` each."""

    def __init__(self, rows: int, seconds: float) -> None:
        self.rows, self.seconds = rows, seconds
        self.row = np.full((SIDE, SIDE), 0.01, np.float32)

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, index: int) -> Any:
        time.sleep(self.seconds)
        return (self.row,)


def make_batches(count: int, seconds: float) -> Any:
    """Make a pipeline that takes ``seconds`` for each of ``count`` batches."""
    return ds.GeneratorDataset(SlowRows(count, seconds), ["x"], shuffle=False).batch(1)


def time_epoch(model: Model, data: Any, sink: bool) -> float:
    """Return the wall-clock seconds of one epoch."""
    start = time.perf_counter()
    model.train(1, data, dataset_sink_mode=sink)
    return time.perf_counter() - start


def measure_step_ms(model: Model, data: Any) -> float:
    """Return the milliseconds of a step alone, on data that cost nothing."""
    time_epoch(model, data, sink=True)
    size = data.get_dataset_size()
    return 1e3 * min(time_epoch(model, data, sink=True) for _ in range(3)) / size


def compare_overlap(mode: int, target: str, steps: int, target_ms: float, rounds: int) -> None:
    """Compare trainings on a slow pipeline, with and without sink, and print the ratios."""
    ms.set_context(mode=mode, device_target=target)
    count = 1
    while True:  # as many products as take about as long as a batch
        model = Model(Products(count))
        compute = measure_step_ms(model, make_batches(30, 0))
        if compute >= 0.9 * target_ms:
            break
        count = max(count + 1, round(count * target_ms / compute))
    pause = compute / 1e3
    model = Model(Products(count))
    time_epoch(model, make_batches(2, 0), sink=True)  # compiles
    names = ("batch alone", "step alone", "sink", "no sink, data ahead", "no sink")
    results_by_name: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(rounds):  # in turn, so that a slow minute falls on all alike
        results_by_name["batch alone"].append(measure_batch_ms(make_batches(steps, pause)))
        results_by_name["step alone"].append(measure_step_ms(model, make_batches(30, 0)))
        for name, sink, in_turn in (
            ("sink", True, False),
            ("no sink, data ahead", False, False),
            ("no sink", False, True),
        ):
            ds.config.set_debug_mode(in_turn)  # the pipeline works only while it is asked
            seconds = time_epoch(Model(Products(count)), make_batches(steps, pause), sink)
            ds.config.set_debug_mode(False)
            results_by_name[name].append(1e3 * seconds / steps)
    print(f"{'GRAPH' if mode == ms.GRAPH_MODE else 'PYNATIVE'} on {target}, {steps} steps:")
    slower = [
        max(pair)
        for pair in zip(results_by_name["batch alone"], results_by_name["step alone"], strict=True)
    ]
    both = [
        sum(pair)
        for pair in zip(results_by_name["batch alone"], results_by_name["step alone"], strict=True)
    ]
    for name, each in results_by_name.items():
        slower_ratio, sum_ratio = (
            statistics.median(m / base for m, base in zip(each, bases, strict=True))
            for bases in (slower, both)
        )
        print(
            f"  {name:20} {statistics.median(each):7.2f} ms"
            f"  {slower_ratio:5.2f} x the slower of both"
            f"  {sum_ratio:5.2f} x the sum"
        )


def measure_batch_ms(data: Any) -> float:
    """Return the milliseconds of a batch alone."""
    start = time.perf_counter()
    for _ in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        pass
    return 1e3 * (time.perf_counter() - start) / data.get_dataset_size()


def compare_ledger(mode: int, steps: int, rounds: int) -> None:
    """Compare trainings with and without a ledger, in turn, and print the difference."""
    ms.set_context(mode=mode, device_target="Ascend")
    x = np.random.default_rng(0).random((steps * 32, 64), np.float32)
    y = x.sum(1, keepdims=True)
    sides = {}
    for name in ("off", "on"):
        net = nn.SequentialCell(nn.Dense(64, 256), nn.ReLU(), nn.Dense(256, 1))
        model = Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.001, 0.9))
        if name == "on":
            model.batch_ledger()
        data = ds.NumpySlicesDataset((x, y), ["x", "y"]).batch(32, drop_remainder=True)
        time_epoch(model, data, sink=True)
        sides[name] = (model, data, [])
    for i in range(rounds):
        for name in ("off", "on") if i % 2 else ("on", "off"):
            model, data, times = sides[name]
            start = time.process_time()  # both threads' work, whatever else the machine does
            model.train(1, data, dataset_sink_mode=True)
            times.append(1e3 * (time.process_time() - start) / steps)
    off, on = (times for *_, times in sides.values())
    ratio = statistics.median(b / a for a, b in zip(off, on, strict=True))
    print(
        f"ledger, {'GRAPH' if mode == ms.GRAPH_MODE else 'PYNATIVE'}, {steps} steps a sink: "
        f"off {statistics.median(off):.4f} ms of CPU a step, on {statistics.median(on):.4f}, "
        f"median of {rounds} pairs {100 * (ratio - 1):+.1f} %"
    )


def main(argv: list[str]) -> None:
    """Run both comparisons and print what was measured."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks sink",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--steps", type=int, default=200, help="of the overlapping sink")
    parser.add_argument("--ms", type=float, default=8.0, help="of a step, and of a batch")
    parser.add_argument("--turns", type=int, default=5, help="of the overlap's comparison")
    parser.add_argument("--rounds", type=int, default=40, help="of the ledger's comparison")
    args = parser.parse_args(argv)
    saved = ms.context.current()
    print(f"on {describe_machine()}")
    for mode, target in (
        (ms.GRAPH_MODE, "Ascend"),
        (ms.PYNATIVE_MODE, "Ascend"),
        (ms.GRAPH_MODE, "GPU"),
    ):
        compare_overlap(mode, target, args.steps, args.ms, args.turns)
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        compare_ledger(mode, 500, args.rounds)
    ms.context.restore(saved)
