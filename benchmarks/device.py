"""The device's cost model against published rows of the Ascend 910: predicted, published, error.

Nothing is measured: times come from shapes and one set of constants (``device_spec("Ascend910")``).
The rows are those of MindSpore's benchmark page and of its model zoo; sources stand beside them.
Every network is a Model (public API, optimizer, loss scale, precision) whose weights don't exist.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from benchmarks import models, recommend
from benchmarks.device_fit import left_out, median_and_worst
from minispore.device.model.compare import Comparison, compare_kernel_times
from minispore.device.model.forecast import Estimate
from minispore.device.model.predict import estimate, training_step
from minispore.device.model.spec import DeviceSpec, device_spec
from minispore.device.model.step import Step
from minispore.nn.utils import no_init_parameters

BOUND, MEDIAN_BOUND = 0.35, 0.15

Build = Callable[[], models.Trained]


class Row(NamedTuple):
    """One published row: what was trained on how many devices, and what a step took."""

    name: str
    build: Build
    batch: int
    published_ms: float
    source: str
    devices: int = 1
    fusion: Sequence[int] = ()  # the all_reduce_fusion_config of the published script


class Scale(NamedTuple):
    """One published efficiency of training on several devices."""

    name: str
    build: Build
    devices: int
    published: float
    fusion: Sequence[int]


def bert_large() -> models.Trained:
    return models.bert(96, layers=24, width=1024, heads=16, optimizer=models.nn.Lamb)


def bert_base() -> models.Trained:
    return models.bert(256, layers=12, width=768, heads=12)


def resnet50_32() -> models.Trained:
    return models.resnet(32)


def resnet50_256() -> models.Trained:
    return models.resnet(256)


@cache
def step_of(build: Build) -> Step:
    """The training step of a network."""
    with no_init_parameters():
        return training_step(*build())


PAGE = "docs r0.5 benchmark.md"
RESNET_FUSION = (85, 160)  # models, resnet/train.py
BERT_FUSION = (38, 93, 148, 203, 258, 313, 368, 393)  # models, bert/run_pretrain.py, 24 layers
VGG_FUSION = (2, 18)  # models, vgg16/train.py
ROWS = (
    Row("LeNet", models.lenet, 32, 1.071, "models research/cv/lenet"),
    Row("AlexNet CIFAR-10", models.alexnet, 32, 7.2, "models research/cv/Alexnet"),
    Row("VGG16", models.vgg16, 32, 58.0, "models research/cv/VGG16"),
    Row("ResNet-50", resnet50_32, 32, 32 / 1787 * 1e3, "docs r0.2 benchmark.md"),
    Row("ResNet-50", resnet50_32, 32, 18.07, "docs r1.10, optimization"),
    Row("ResNet-50", resnet50_256, 256, 256 / 2115 * 1e3, PAGE),
    Row("BERT-Large seq 128", bert_large, 96, 96 / 269 * 1e3, PAGE),
    Row("BERT-base seq 128", bert_base, 256, 256 / 901 * 1e3, "models, BERT-base"),
    Row("DeepFM", recommend.deepfm, 16000, 21.0, "models official/recommend/DeepFM"),
    Row("Wide & Deep", recommend.wide_deep, 16000, 20.906, "models .../Wide_and_Deep"),
    Row("Wide & Deep", recommend.wide_deep, 16000, 16000 / 796_892 * 1e3, PAGE),
    Row("VGG16", models.vgg16, 32, 58.2, "models research/cv/VGG16", 8, VGG_FUSION),
    Row("ResNet-50", resnet50_32, 32, 23.6, "docs r1.10, optimization", 8, RESNET_FUSION),
    Row("ResNet-50", resnet50_32, 32, 31.41, "mindcv benchmark_results.md", 8),
    Row("ResNet-50", resnet50_256, 256, 118.0, "models official/cv/ResNet", 8, RESNET_FUSION),
    Row("Wide & Deep", recommend.wide_deep, 16000, 27.388, "models .../Wide_and_Deep", 8),
    Row("Wide & Deep", recommend.wide_deep, 16000, 8 * 16000 / 4_872_849 * 1e3, PAGE, 8),
)
#: (kernel type, microseconds, kernels) of a step of AlexNet, batch 32, on one of 8 ranks of a 910;
#: without the three that normalise the images, which the Model here gets as they are.
#: Source: mindspore-ai/mindinsight, tests/utils/resource/profiler, PROF_000001_20230818142704322,
#: step 2.
ALEXNET_PROFILE = (
    ("FusedMulApplyMomentum", 1206, 16),
    ("TransData", 855, 16),
    ("Conv2D", 488, 5),
    ("Conv2DBackpropFilter", 755, 5),
    ("Conv2DBackpropInput", 284, 4),
    ("Cast", 438, 19),
    ("MatMul", 370, 9),
    ("BiasAddGrad", 363, 8),
    ("MaxPool", 114, 3),
    ("MaxPoolGrad", 338, 3),
    ("MemSet", 249, 24),
    ("other", 185, 22),
)
SHARE = 0.05  # classes below this are told, not asserted
SCALES = (
    Scale("ResNet-50 bs 256", resnet50_256, 8, 0.98, RESNET_FUSION),
    Scale("ResNet-50 bs 256", resnet50_256, 16, 0.96, RESNET_FUSION),
    Scale("ResNet-50 bs 32", resnet50_32, 8, 0.95, RESNET_FUSION),
    Scale("ResNet-50 bs 32", resnet50_32, 16, 0.94, RESNET_FUSION),
    Scale("BERT-Large", bert_large, 8, 0.96, BERT_FUSION),
    Scale("Wide & Deep", recommend.wide_deep, 8, 0.76, ()),
    Scale("VGG16", models.vgg16, 8, 1.00, VGG_FUSION),
)
#: Rows a second that servers of 8 devices reached whatever the network: what their hosts can feed.
#: Source: MindCV's benchmark table, eleven networks of 0.5 to 14 M parameters; ResNet-18, -34 and
#: -50 of the model zoo.
HOSTS = ((11_200, 12_600, "MindCV, small networks"), (17_400, 18_600, "model zoo, ResNets"))


def predict(
    build: Build,
    spec: DeviceSpec,
    devices: int = 1,
    fusion: Sequence[int] | None = None,
    host_rows_s: float | None = None,
) -> Estimate:
    """The estimate for a network whose data are always there, as the published rows want it."""
    data = {"data_us": 0} if host_rows_s is None else {"host_rows_s": host_rows_s}
    cut = {"all_reduce_fusion_config": fusion}
    return estimate(step_of(build), 1000, device=spec, devices=devices, **data, **cut)


def estimates(rows: Sequence[Row], spec: DeviceSpec) -> list[Estimate]:
    """The estimate of each row."""
    return [predict(row.build, spec, row.devices, row.fusion) for row in rows]


def errors(rows: Sequence[Row], spec: DeviceSpec) -> list[tuple[Row, float, float]]:
    """Each row with its predicted milliseconds and its relative error."""
    found = []
    for row, one in zip(rows, estimates(rows, spec), strict=True):
        predicted = one["loop"].step_us / 1e3
        found.append((row, predicted, predicted / row.published_ms - 1))
    return found


def leave_one_out(rows: Sequence[Row], spec: DeviceSpec) -> list[float]:
    """The error of each row with the constants that other networks would have chosen."""
    found = estimates(rows, spec)
    steps = [e["loop"].step_us for e in found]
    networks = [row.name for row in rows]
    return left_out(networks, [e.cost for e in found], steps, [1e3 * r.published_ms for r in rows])


def classes(spec: DeviceSpec) -> Comparison:
    """The kernels of AlexNet by class, beside those of a real step: errors that cancel show."""
    return compare_kernel_times(predict(models.alexnet, spec).cost, ALEXNET_PROFILE, steps=1)


def main(argv: list[str]) -> int:
    """Print the tables; the status is 1 if a row is out of its bound."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks device", description=__doc__)
    parser.add_argument("--constants", action="store_true", help="print the constants and sources")
    options = parser.parse_args(argv)
    spec = device_spec("Ascend910")
    if options.constants:
        print(spec.table())
    begin = time.perf_counter()
    found, out = errors(ROWS, spec), leave_one_out(ROWS, spec)
    print(f"{spec.name}: predicted from shapes, a model; published by MindSpore\n")
    print(
        f"{'network':<20}{'batch':>6}{'devices':>8}{'predicted ms':>14}{'published ms':>14}"
        f"{'error':>8}{'left out':>10}  source"
    )
    for (row, predicted, error), apart in zip(found, out, strict=True):
        print(
            f"{row.name:<20}{row.batch:>6}{row.devices:>8}{predicted:>14.3f}"
            f"{row.published_ms:>14.3f}{error:>+8.0%}{apart:>+10.0%}  {row.source}"
        )
    median, worst = median_and_worst([e for _, _, e in found])
    print(
        f"\nmedian error {median:.0%} (bound {MEDIAN_BOUND:.0%}), worst {worst:.0%} ({BOUND:.0%})"
    )
    apart_median, apart_worst = median_and_worst(out)
    print(
        "left out (constants chosen by the other networks): "
        f"median {apart_median:.0%}, worst {apart_worst:.0%}"
    )
    print(f"\n{'data parallel':<20}{'devices':>8}{'efficiency':>12}{'published':>11}")
    for scale in SCALES:
        efficiency = predict(scale.build, spec, scale.devices, scale.fusion).efficiency
        print(f"{scale.name:<20}{scale.devices:>8}{efficiency:>12.3f}{scale.published:>11.2f}")
    print(f"\n{'ResNet-50 b32 on 8 under a host of':<36}{'rows/s':>10}  bottleneck")
    for low, high, source in HOSTS:
        under = predict(resnet50_32, spec, 8, RESNET_FUSION, (low + high) / 2)
        print(f"{f'{low:,} to {high:,} ({source})':<46}{under.rows_s:>8,.0f}  {under.bottleneck}")
    print(f"\nall of it in {time.perf_counter() - begin:.2f} s\n")
    print("AlexNet on one of 8 ranks, a real profile beside the model")
    print(classes(spec))
    return 0 if median <= MEDIAN_BOUND and worst <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
