"""The computer that feeds the devices: the rates at which its cores process images, and the rows
per second of its data pipelines.

The rates are of a server of the Ascend 910: 192 cores at 2.6 GHz. They do not say what a device
does with the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

from minispore.device.model.constants import Constant, DeviceSpec
from minispore.errors import did_you_mean

_MINDCV = "MindCV's table on the 910, 8 processes"

#: The constants of a server's processors.
HOST = DeviceSpec(
    "host",
    "CPU",
    MappingProxyType(
        {
            "cores": Constant(192, "cores", "models README tables", "S"),
            "picture_kb": Constant(
                115.4, "kB", "ILSVRC2012_img_train.tar over its 1,281,167 pictures", "D"
            ),
            "decode_mbs": Constant(
                60.0,
                "MB/s and core",
                "445 pictures/s of 134.9 kB, OpenCV on a Neoverse N1, arXiv 2605.08731v2",
                "D",
            ),
            "pixel_ns": Constant(
                18.3,
                "ns/pixel and core",
                "crop, flip, normalise: 32 pictures of 224 in 90.9 ms by one worker, less their "
                "decoding, MindSpore performance_optimization.md",
                "D",
            ),
            "worker_share": Constant(
                0.53, "of one worker's rate", f"8 workers each, GoogLeNet in {_MINDCV}", "D"
            ),
            "autoaugment_ns": Constant(
                26.9, "ns/pixel and process", f"EfficientNet-B0 in {_MINDCV}", "D"
            ),
            "randaugment_ns": Constant(
                34.3, "ns/pixel and process", f"with mixing, PoolFormer-S12 in {_MINDCV}", "D"
            ),
        }
    ),
)
AUGMENTS = ("", "autoaugment", "randaugment")


@dataclass(frozen=True)
class ImagePipeline:
    """A pipeline of JPEG images: decoded, cropped and resized at random, flipped, normalised.

    ``estimate`` takes it as ``host_rows_s``. Each device of a server has a process of its own with
    such a pipeline, and the processes share the cores.

    Args:
        size: the height and width of an image that the network gets, in pixels.
        workers: the ``num_parallel_workers`` of the pipeline, in each process.
        augment: "autoaugment" or "randaugment" for their policies as Python functions. Python runs
            one of them at a time in a process, so more workers do not help. "" for none.
        picture_kb: the size of an encoded image in kilobytes; that of ImageNet by default.
        host: the rates of a core; ``HOST.replace(...)`` for a server of your own.

    Raises:
        ValueError: a number is not positive, or ``augment`` is unknown.

    >>> pipeline = ImagePipeline(size=224, workers=8)
    >>> round(pipeline.compute_rows_s(processes=1)), round(pipeline.compute_rows_s(processes=8))
    (1492, 11937)
    """

    size: int = 224
    workers: int = 8
    augment: str = ""
    picture_kb: float = HOST.picture_kb
    host: DeviceSpec = field(default_factory=lambda: HOST, repr=False)

    def __post_init__(self) -> None:
        """Raise a ValueError if an argument cannot be."""
        for name in ("size", "workers", "picture_kb"):
            value = getattr(self, name)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not 0 < value < float("inf"):
                raise ValueError(f"ImagePipeline: {name} must be a positive number, got {value!r}.")
        if self.augment not in AUGMENTS:
            raise ValueError(
                f"ImagePipeline: augment must be one of {', '.join(map(repr, AUGMENTS))}, got "
                f"{self.augment!r}.{did_you_mean(str(self.augment), AUGMENTS)}"
            )

    def compute_rows_s(self, processes: int) -> float:
        """Return the images per second that ``processes`` processes of a server make together."""
        return min(self._compute_worker_rows_s(processes), self._compute_python_rows_s(processes))

    def is_python_bound(self, processes: int) -> bool:
        """Whether Python functions limit the pipeline, so that more workers do not help."""
        return self._compute_python_rows_s(processes) < self._compute_worker_rows_s(processes)

    def _compute_worker_rows_s(self, processes: int) -> float:
        """Return the images per second that the workers of all processes make together.

        Several workers have a share of one worker's rate each, and never less together than one.
        """
        pixels_ms = self.size**2 * self.host.pixel_ns / 1e6
        picture_ms = self.picture_kb / self.host.decode_mbs + pixels_ms
        workers = min(processes * self.workers, self.host.cores)
        return max(1.0, workers * self.host.worker_share) * 1e3 / picture_ms

    def _compute_python_rows_s(self, processes: int) -> float:
        """Return the images per second that Python functions augment, one at a time in each
        process; infinite without ``augment``.
        """
        if not self.augment:
            return float("inf")
        return processes * 1e9 / (self.size**2 * self.host[f"{self.augment}_ns"].value)
