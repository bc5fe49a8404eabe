"""The device's cost model against published rows of the Ascend 910: predicted, published, error.

Nothing is measured: times come from shapes and one set of constants (``device_spec("Ascend910")``).
The rows are those of MindSpore's benchmark page and of its model zoo; sources stand beside them.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import networks
from minispore import nn
from minispore.device import Shapes
from minispore.device.model.forecast import Estimate
from minispore.device.model.predict import estimate
from minispore.device.model.spec import DeviceSpec, device_spec
from minispore.train import Model

BOUND, MEDIAN_BOUND = 0.35, 0.20


class Row(NamedTuple):
    """One published row: what was trained, and what a step took."""

    name: str
    build: Callable[[], networks.Step]
    batch: int
    published_ms: float
    source: str


class Scale(NamedTuple):
    """One published efficiency of training on several devices."""

    name: str
    build: Callable[[], networks.Step]
    devices: int
    published: float
    fusion: Sequence[int]  # the all_reduce_fusion_config of the published script


def bert_large() -> networks.Step:
    return networks.bert(96, layers=24, width=1024, heads=16)


def bert_base() -> networks.Step:
    return networks.bert(256, layers=12, width=768, heads=12)


def resnet50_32() -> networks.Step:
    return networks.resnet(32)


def resnet50_256() -> networks.Step:
    return networks.resnet(256)


PAGE = "docs r0.5 benchmark.md"
ROWS = (
    Row("LeNet", networks.lenet, 32, 1.071, "models research/cv/lenet"),
    Row("AlexNet CIFAR-10", networks.alexnet, 32, 7.2, "models research/cv/Alexnet"),
    Row("VGG16", networks.vgg16, 32, 58.0, "models research/cv/VGG16"),
    Row("ResNet-50", resnet50_32, 32, 32 / 1787 * 1e3, "docs r0.2 benchmark.md"),
    Row("ResNet-50", resnet50_256, 256, 256 / 2115 * 1e3, PAGE),
    Row("BERT-Large seq 128", bert_large, 96, 96 / 269 * 1e3, PAGE),
    Row("BERT-base seq 128", bert_base, 256, 256 / 901 * 1e3, "models, BERT-base"),
)
RESNET_FUSION = (85, 160)  # models, resnet/train.py
BERT_FUSION = (38, 93, 148, 203, 258, 313, 368, 393)  # models, bert/run_pretrain.py, 24 layers
VGG_FUSION = (5, 31)  # models, vgg16/train.py: [2, 18] of weights without biases
SCALES = (
    Scale("ResNet-50 bs 256", resnet50_256, 8, 0.98, RESNET_FUSION),
    Scale("ResNet-50 bs 256", resnet50_256, 16, 0.96, RESNET_FUSION),
    Scale("ResNet-50 bs 32", resnet50_32, 8, 0.95, RESNET_FUSION),
    Scale("ResNet-50 bs 32", resnet50_32, 16, 0.94, RESNET_FUSION),
    Scale("BERT-Large", bert_large, 8, 0.96, BERT_FUSION),
    Scale("VGG16", networks.vgg16, 8, 1.00, VGG_FUSION),
)


def predict(
    build: Callable[[], networks.Step],
    spec: DeviceSpec,
    devices: int = 1,
    fusion: Sequence[int] | None = None,
) -> Estimate:
    """The estimate for a network whose data are always there, as the published rows want it."""
    cut = {"all_reduce_fusion_config": fusion}
    return estimate(build(), 1000, device=spec, data_us=0, devices=devices, **cut)


def errors(rows: Sequence[Row], spec: DeviceSpec) -> list[tuple[Row, float, float]]:
    """Each row with its predicted milliseconds and its relative error."""
    found = []
    for row in rows:
        predicted = predict(row.build, spec)["loop"].step_us / 1e3
        found.append((row, predicted, predicted / row.published_ms - 1))
    return found


class Bottleneck(nn.Cell):
    """1 x 1, 3 x 3, 1 x 1, and a shortcut."""

    def __init__(self, c_in: int, width: int, stride: int) -> None:
        super().__init__()
        self.body = nn.SequentialCell(
            [
                *(nn.Conv2d(c_in, width, 1), nn.BatchNorm2d(width), nn.ReLU()),
                *(nn.Conv2d(width, width, 3, stride), nn.BatchNorm2d(width), nn.ReLU()),
                *(nn.Conv2d(width, 4 * width, 1), nn.BatchNorm2d(4 * width)),
            ]
        )
        self.shortcut = None
        if stride > 1 or c_in != 4 * width:
            convolution = nn.Conv2d(c_in, 4 * width, 1, stride)
            self.shortcut = nn.SequentialCell([convolution, nn.BatchNorm2d(4 * width)])
        self.relu = nn.ReLU()

    def construct(self, x: Any) -> Any:
        return self.relu(self.body(x) + (x if self.shortcut is None else self.shortcut(x)))


def resnet50_cells() -> nn.Cell:
    """ResNet-50 as anybody writes it: nothing about it is known to the model beforehand."""
    cells = [nn.Conv2d(3, 64, 7, 2), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, "same")]
    c_in = 64
    for stage, repeat in enumerate((3, 4, 6, 3)):
        for block in range(repeat):
            cells.append(Bottleneck(c_in, 64 << stage, 2 if stage and not block else 1))
            c_in = 256 << stage
    return nn.SequentialCell([*cells, nn.AvgPool2d(7), nn.Flatten(), nn.Dense(2048, 1000)])


def traced_resnet50() -> Estimate:
    """The estimate of ResNet-50, batch 256, as a Model of Cells in float16 (amp_level O3)."""
    network = resnet50_cells()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
    model = Model(network, loss, optimizer, amp_level="O3")
    images = Shapes([((256, 3, 224, 224), np.float32), ((256,), np.int32)], size=5004)
    return estimate(model, images, device="Ascend910")


def peak_mb() -> float:
    """The most memory that this process has held so far."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return float("nan")


def main(argv: list[str]) -> int:
    """Print the tables; the status is 1 if a row is out of its bound."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks device", description=__doc__)
    parser.add_argument("--constants", action="store_true", help="print the constants and sources")
    options = parser.parse_args(argv)
    spec = device_spec("Ascend910")
    if options.constants:
        print(spec.table())
    begin = time.perf_counter()
    found = errors(ROWS, spec)
    print(f"{spec.name}: predicted from shapes, a model; published by MindSpore\n")
    print(
        f"{'network':<20}{'batch':>6}{'predicted ms':>14}{'published ms':>14}{'error':>8}  source"
    )
    for row, predicted, error in found:
        print(
            f"{row.name:<20}{row.batch:>6}{predicted:>14.3f}{row.published_ms:>14.3f}{error:>+8.0%}"
            f"  {row.source}"
        )
    median = statistics.median(abs(e) for _, _, e in found)
    worst = max(abs(e) for _, _, e in found)
    print(
        f"\nmedian error {median:.0%} (bound {MEDIAN_BOUND:.0%}), worst {worst:.0%} ({BOUND:.0%})"
    )
    print(f"\n{'data parallel':<20}{'devices':>8}{'efficiency':>12}{'published':>11}")
    for scale in SCALES:
        efficiency = predict(scale.build, spec, scale.devices, scale.fusion).efficiency
        print(f"{scale.name:<20}{scale.devices:>8}{efficiency:>12.3f}{scale.published:>11.2f}")
    print(f"\nall of it in {time.perf_counter() - begin:.2f} s")
    begin = time.perf_counter()
    traced = traced_resnet50()
    took = time.perf_counter() - begin
    peak = f"{peak_mb():.0f} MB" if Path("/proc/self/status").exists() else "unknown"
    print(
        f"\nResNet-50 batch 256 as a Model of Cells, built, traced and estimated in {took:.2f} s, "
    )
    print(f"process peak {peak}:\n{traced}")
    return 0 if median <= MEDIAN_BOUND and worst <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
