"""The host's computed ceiling against published rows that the host binds.

MindCV trained the same networks on eight of the 910 and on eight of a newer card. A row counts as
bound by the host if its step is the same on both, and if no other network with the same pipeline
got much more on either: what binds the others is neither.
"""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.device_fit import compute_median_and_worst
from minispore.device.model.devices.host import ImagePipeline
from minispore.device.model.trust import SeenError

PROCESSES = 8  # one for each device of a server
SAME_STEP = 1.2  # the longer step over the shorter, of a network whose step is the same
REACHED_SHARE = 0.75  # of what the best network with the same pipeline got


class HostRow(NamedTuple):
    """A published row: a network, its pipeline, and images a second of 8 devices on both cards."""

    network: str
    pipeline: ImagePipeline
    older_rows_s: float
    newer_rows_s: float
    chose_constant: bool = False  # of the older card


def _list_rows(
    pipeline: ImagePipeline, *rows: tuple[str, float, float], chose: str = ""
) -> list[HostRow]:
    """Return the rows of networks that share a pipeline."""
    return [HostRow(n, pipeline, older, newer, n == chose) for n, older, newer in rows]


#: Source: mindspore-lab/mindcv 51b0636, benchmark_results.md; the pipelines are those of configs/.
#: Listed are all rows of 8 cards of both tables; workers, size and policy as there.
ROWS = (
    *_list_rows(
        ImagePipeline(224, 8),
        ("ConViT-Ti", 8828, 9022),  # mixes pictures
        ("DenseNet-121", 5915, 5447),
        ("GoogLeNet", 11963, 10894),
        ("MNASNet-0.75", 12380, 11646),
        ("MobileNetV1-0.25", 12067, 10786),
        ("MobileNetV2-0.75", 13133, 11726),
        ("MobileNetV3-S", 12464, 11455),
        ("MobileNetV3-L", 12634, 10735),
        ("NASNet-A", 6189, 5621),
        ("RegNetX-800MF", 12050, 10091),
        ("RepVGG-A0", 12439, 10614),
        ("RepVGG-A1", 12367, 9096),
        ("Res2Net-50", 6452, 6465),
        ("ResNet-50", 8150, 8025),
        ("ResNetV2-50", 7838, 7781),
        ("ResNeXt-50", 6878, 5739),
        ("SE-ResNet-18", 11532, 10022),
        ("ShuffleNetV1-0.5", 12605, 10718),
        ("ShuffleNetV2-0.5", 12228, 10820),
        ("SKNet-18", 11169, 10275),
        ("SqueezeNet-1.0", 11449, 10903),
        ("VGG-13", 4638, 8388),
        ("VGG-19", 3797, 6536),
        chose="GoogLeNet",
    ),
    *_list_rows(
        ImagePipeline(224, 8, "autoaugment"),
        ("EfficientNet-B0", 5927, 5931),
        ("Visformer-Ti", 4699, 5091),
        chose="EfficientNet-B0",
    ),
    *_list_rows(
        ImagePipeline(299, 8, "autoaugment"),
        ("Inception-v3", 3350, 3614),
        ("Inception-v4", 3360, 3162),
    ),
    *_list_rows(
        ImagePipeline(224, 8, "randaugment"),
        ("MixNet-S", 4056, 4491),
        ("PoolFormer-S12", 4652, 4835),
        ("PVT-Ti", 4459, 4312),
        ("PVTv2-B0", 3801, 4004),
        ("RepMLP-T224", 1771, 1771),
        ("Swin-T", 4506, 4389),
        chose="PoolFormer-S12",
    ),
    *_list_rows(
        ImagePipeline(224, 16, "randaugment"),
        ("ConvNeXt-T", 1910, 2612),
        ("ConvNeXtV2-T", 2560, 3984),
        ("PiT-Ti", 3772, 3843),
        ("ReXNet-0.9", 3935, 3290),
        ("XCiT-Ti12", 4048, 4467),
    ),
    *_list_rows(ImagePipeline(240, 8, "randaugment"), ("CrossViT-9", 3719, 3984)),
    *_list_rows(ImagePipeline(256, 8, "randaugment"), ("SwinV2-T", 3228, 3055)),
)
#: (network, images a second), by 12 workers each: three sizes of a network take the same step.
#: Source: models official/cv/ResNet, batch 256 on 8 of the 910; 12 workers in src/dataset.py.
ZOO_PIPELINE = ImagePipeline(224, 12)
ZOO_ROWS = (("ResNet-18", 18618), ("ResNet-34", 18450), ("ResNet-50", 17356))


def find_host_bound() -> list[HostRow]:
    """Return the rows that count as bound by the host, by what was published alone."""
    bound = []
    for row in ROWS:
        alike = [
            r
            for r in ROWS
            if (r.pipeline.size, r.pipeline.augment) == (row.pipeline.size, row.pipeline.augment)
        ]
        has_same_step = 1 / SAME_STEP < row.older_rows_s / row.newer_rows_s < SAME_STEP
        if (
            has_same_step
            and row.older_rows_s >= REACHED_SHARE * max(r.older_rows_s for r in alike)
            and row.newer_rows_s >= REACHED_SHARE * max(r.newer_rows_s for r in alike)
        ):
            bound.append(row)
    return bound


def compute_host_errors() -> list[tuple[str, float, float, float]]:
    """Return network, computed and published rows a second and the relative error of each row that
    the host binds and that chose no constant.
    """
    pairs = []
    for row in find_host_bound():
        ceiling = row.pipeline.compute_rows_s(PROCESSES)
        if not row.chose_constant:
            pairs.append((f"{row.network}, 910", ceiling, row.older_rows_s))
        pairs.append((f"{row.network}, newer", ceiling, row.newer_rows_s))
    zoo_ceiling = ZOO_PIPELINE.compute_rows_s(PROCESSES)
    pairs += [(f"{network} of the model zoo", zoo_ceiling, rows_s) for network, rows_s in ZOO_ROWS]
    return [(name, computed, rows_s, computed / rows_s - 1) for name, computed, rows_s in pairs]


def compute_seen_host_error() -> SeenError:
    """Return the errors of the computed ceiling, as estimates repeat them."""
    errors = [error for *_, error in compute_host_errors()]
    median, worst = compute_median_and_worst(errors)
    return SeenError(round(median, 2), round(worst, 2), len(errors))


def print_host_rows() -> None:
    """Print the computed beside the published rows a second."""
    print(
        f"\n{'bound by the host, 8 devices':<36}{'computed/s':>12}{'published/s':>13}{'error':>8}"
    )
    for name, computed, rows_s, error in compute_host_errors():
        print(f"{name:<36}{computed:>12,.0f}{rows_s:>13,.0f}{error:>+8.0%}")
    print(f"the host's ceiling: {compute_seen_host_error()}; three more chose a constant")
