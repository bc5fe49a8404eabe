"""How compile time, step time and memory grow: with the batch, depth, steps in time, and shapes."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import minispore as ms
from benchmarks.harness import describe_machine
from benchmarks.models import bert, resnet
from benchmarks.suite.mindspore_nets import get_network_makers
from minispore import nn
from minispore.graph import program_of

_STEPS = 3  # of which the fastest counts


def main(argv: list[str]) -> None:
    """Print a table for each kind of growth."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks scale", description=__doc__)
    parser.add_argument("--of", nargs="+", default=list(GROWTH), choices=list(GROWTH))
    parser.add_argument("--threads", type=int, default=1, help="what runtime_num_threads says")
    args = parser.parse_args(argv)
    print(f"on {describe_machine()}; {args.threads} threads, processor time, GRAPH")
    ms.set_context(mode=ms.GRAPH_MODE, runtime_num_threads=args.threads)
    for name in args.of:
        print(f"\n{name}")
        for line in GROWTH[name]():
            print(line, flush=True)


def _make_train_step(net: nn.Cell) -> nn.Cell:
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    momentum = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    return nn.TrainOneStepCell(nn.WithLossCell(net, loss), momentum).set_train()


def _make_batch(*shape: int) -> tuple[ms.Tensor, ms.Tensor]:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape).astype(np.float32)
    return ms.Tensor(x), ms.Tensor(rng.integers(0, 10, shape[0]).astype(np.int32))


def _make_masked_words(batch: int, length: int, predictions: int) -> tuple[ms.Tensor, ...]:
    """Make word ids, their mask, and the positions and labels of the words to guess."""
    rng, masked_shape = np.random.default_rng(0), (batch * predictions,)
    samples = [((batch, length), 1000), (masked_shape, batch * length), (masked_shape, 1000)]
    ids, positions, labels = (rng.integers(0, n, shape).astype(np.int32) for shape, n in samples)
    mask = np.zeros((batch, 1, 1, length), np.float32)
    return tuple(ms.Tensor(a) for a in (ids, mask, positions, labels))


def _measure_cpu_s(f: Callable[[], Any]) -> float:
    start = time.process_time()
    f()
    return time.process_time() - start


def _measure_line(what: str, step: nn.Cell, inputs: tuple[ms.Tensor, ...], per: int = 1) -> str:
    """Compile a step, run it, and return its line of a table."""
    compiling = _measure_cpu_s(lambda: program_of(step, *inputs))
    program = program_of(step, *inputs)
    running = min(_measure_cpu_s(lambda: step(*inputs)) for _ in range(_STEPS))
    each = f", {1e6 * running / per:8.1f} us each" if per > 1 else ""
    return (
        f"{what:>16}: compiles in {compiling:7.3f} s, {len(program.nodes):5d} nodes, a step of "
        f"{1e3 * running:9.2f} ms{each}, {program.peak_bytes / 1e6:8.1f} MB"
    )


def _measure_batches() -> Iterator[str]:
    step = _make_train_step(get_network_makers(ms)["lenet"]())
    for n in (1, 16, 64, 256, 1024, 4096):
        yield _measure_line(f"LeNet b{n}", step, _make_batch(n, 1, 32, 32), n)
    yield _measure_line(
        "ResNet-20 b256",
        _make_train_step(get_network_makers(ms)["resnet20"]()),
        _make_batch(256, 3, 32, 32),
    )


def _measure_depths() -> Iterator[str]:
    for depth in (25, 50, 100, 200, 400):
        layers = [cell for _ in range(depth) for cell in (nn.Dense(32, 32), nn.ReLU())]
        step = _make_train_step(nn.SequentialCell(*layers, nn.Dense(32, 10)))
        yield _measure_line(f"{depth} layers", step, _make_batch(32, 32), depth)
    yield _measure_line("ResNet-50 b2", resnet(2).model.train_network, _make_batch(2, 3, 224, 224))
    yield _measure_line(
        "BERT-base b2", bert(2, 12, 768, 12).model.train_network, _make_masked_words(2, 128, 20)
    )


def _measure_sequence_lengths() -> Iterator[str]:
    class Last(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.head = nn.LSTM(64, 128), nn.Dense(128, 10)

        def construct(self, x: Any) -> Any:
            return self.head(self.layer(x.transpose((1, 0, 2)))[0][-1])

    step = _make_train_step(Last())
    for t in (64, 256, 1024):
        yield _measure_line(f"LSTM, {t} steps", step, _make_batch(32, t, 64), t)


def _measure_shapes() -> Iterator[str]:
    step = _make_train_step(get_network_makers(ms)["lenet"]())
    before = _measure_resident_mb()
    for turn in ("first", "second"):
        spent = _measure_cpu_s(lambda: [step(*_make_batch(n, 1, 32, 32)) for n in range(1, 301)])
        grown = _measure_resident_mb() - before
        yield f"{turn:>16}: 300 batch sizes of LeNet in {spent:6.1f} s, {grown:6.0f} MB more"


def _measure_resident_mb() -> float:
    """Return the memory of this process in RAM in MB; NaN without /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


GROWTH = {
    "batch": _measure_batches,
    "depth": _measure_depths,
    "time": _measure_sequence_lengths,
    "shapes": _measure_shapes,
}
