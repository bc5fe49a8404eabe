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
from functools import cache
from typing import NamedTuple

from benchmarks import models, networks
from minispore.device.model.forecast import Estimate
from minispore.device.model.predict import estimate, training_step
from minispore.device.model.spec import DeviceSpec, device_spec
from minispore.device.model.step import Step

BOUND, MEDIAN_BOUND = 0.35, 0.15


Build = Callable[[], models.Trained | networks.Step]


class Row(NamedTuple):
    """One published row: what was trained, and what a step took."""

    name: str
    build: Build
    batch: int
    published_ms: float
    source: str


class Scale(NamedTuple):
    """One published efficiency of training on several devices."""

    name: str
    build: Build
    devices: int
    published: float
    fusion: Sequence[int]  # the all_reduce_fusion_config of the published script


def bert_large() -> networks.Step:
    """As a list of ops: a Model of it would hold 4 GB of weights and moments."""
    return networks.bert(96, layers=24, width=1024, heads=16)


def bert_base() -> models.Trained:
    return models.bert(256, layers=12, width=768, heads=12)


def resnet50_32() -> models.Trained:
    return models.resnet(32)


def resnet50_256() -> models.Trained:
    return models.resnet(256)


@cache
def step_of(build: Build) -> Step:
    """The training step of a network; its Model, with all weights, is gone."""
    made = build()
    return training_step(*made) if isinstance(made, models.Trained) else training_step(made, None)


PAGE = "docs r0.5 benchmark.md"
ROWS = (
    Row("LeNet", models.lenet, 32, 1.071, "models research/cv/lenet"),
    Row("AlexNet CIFAR-10", models.alexnet, 32, 7.2, "models research/cv/Alexnet"),
    Row("VGG16", models.vgg16, 32, 58.0, "models research/cv/VGG16"),
    Row("ResNet-50", resnet50_32, 32, 32 / 1787 * 1e3, "docs r0.2 benchmark.md"),
    Row("ResNet-50", resnet50_256, 256, 256 / 2115 * 1e3, PAGE),
    Row("BERT-Large seq 128", bert_large, 96, 96 / 269 * 1e3, PAGE),
    Row("BERT-base seq 128", bert_base, 256, 256 / 901 * 1e3, "models, BERT-base"),
)
RESNET_FUSION = (85, 160)  # models, resnet/train.py
BERT_FUSION = (38, 93, 148, 203, 258, 313, 368, 393)  # models, bert/run_pretrain.py, 24 layers
VGG_FUSION = (2, 18)  # models, vgg16/train.py
#: Microseconds of a step of AlexNet, batch 32, on one of 8 ranks of a 910, and the kernels of each
#: class; without the three that normalise the images, which the Model here gets as they are.
#: Source: mindspore-ai/mindinsight, tests/utils/resource/profiler, PROF_000001_20230818142704322,
#: step 2.
ALEXNET_PROFILE = {
    "update": (1206, ("Momentum",)),
    "layouts (TransData)": (855, ("TransData",)),
    "convolution": (488, ("Conv2D",)),
    "its weight's gradient": (755, ("Filter",)),
    "its input's gradient": (284, ("Input",)),
    "cast": (438, ("Cast",)),
    "product": (370, ("MatMul",)),
    "bias gradient": (363, ("BiasAddGrad",)),
    "pool": (114, ("MaxPool",)),
    "its gradient": (338, ("MaxPoolGrad",)),
    "zeros (MemSet)": (249, ("MemSet",)),
}
ALEXNET_US = 5645
SCALES = (
    Scale("ResNet-50 bs 256", resnet50_256, 8, 0.98, RESNET_FUSION),
    Scale("ResNet-50 bs 256", resnet50_256, 16, 0.96, RESNET_FUSION),
    Scale("ResNet-50 bs 32", resnet50_32, 8, 0.95, RESNET_FUSION),
    Scale("ResNet-50 bs 32", resnet50_32, 16, 0.94, RESNET_FUSION),
    Scale("BERT-Large", bert_large, 8, 0.96, BERT_FUSION),
    Scale("VGG16", models.vgg16, 8, 1.00, VGG_FUSION),
)


def predict(
    build: Build,
    spec: DeviceSpec,
    devices: int = 1,
    fusion: Sequence[int] | None = None,
) -> Estimate:
    """The estimate for a network whose data are always there, as the published rows want it."""
    cut = {"all_reduce_fusion_config": fusion}
    return estimate(step_of(build), 1000, device=spec, data_us=0, devices=devices, **cut)


def errors(rows: Sequence[Row], spec: DeviceSpec) -> list[tuple[Row, float, float]]:
    """Each row with its predicted milliseconds and its relative error."""
    found = []
    for row in rows:
        predicted = predict(row.build, spec)["loop"].step_us / 1e3
        found.append((row, predicted, predicted / row.published_ms - 1))
    return found


def is_of(op_type: str, names: Sequence[str]) -> bool:
    """Whether a kernel type is of a class: by its end, or all of it."""
    return any(
        op_type == n or (n in ("Momentum", "Filter", "Input") and n in op_type) for n in names
    )


def classes(spec: DeviceSpec) -> str:
    """The kernels of AlexNet by class, beside those of a real step: errors that cancel show."""
    kernels = predict(models.alexnet, spec).cost.kernels
    lines = [f"{'AlexNet, us':<24}{'profile':>9}{'predicted':>11}{'error':>8}"]
    whole = predicted_sum = 0.0
    for name, (measured, names) in ALEXNET_PROFILE.items():
        predicted = sum(k.us for k in kernels if is_of(k.op_type, names))
        whole, predicted_sum = whole + measured, predicted_sum + predicted
        lines.append(f"{name:<24}{measured:>9}{predicted:>11.0f}{predicted / measured - 1:>+8.0%}")
    total = sum(k.us for k in kernels)
    lines.append(f"{'other':<24}{ALEXNET_US - whole:>9.0f}{total - predicted_sum:>11.0f}")
    lines.append(f"{'sum':<24}{ALEXNET_US:>9}{total:>11.0f}{total / ALEXNET_US - 1:>+8.0%}")
    return "\n".join(lines)


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
    print()
    print(classes(spec))
    return 0 if median <= MEDIAN_BOUND and worst <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
