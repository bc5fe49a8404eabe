"""``device_count`` and ``is_available`` of each device target."""

from __future__ import annotations

from collections.abc import Callable

from minispore.device import control


def _make_device_queries(target: str) -> tuple[Callable[[], int], Callable[[], bool]]:
    """Return the functions ``device_count`` and ``is_available`` of a device target.

    >>> [query() for query in _make_device_queries("Ascend")]
    [8, True]
    """

    def device_count() -> int:
        """Return the number of devices: one CPU or GPU, 8 simulated Ascends."""
        return control.device_count(target)

    def is_available() -> bool:
        """Whether such a device exists; GPUs and Ascends are simulated."""
        return control.is_available(target)

    return device_count, is_available


cpu_count, cpu_available = _make_device_queries("CPU")
gpu_count, gpu_available = _make_device_queries("GPU")
ascend_count, ascend_available = _make_device_queries("Ascend")

__all__ = [
    "ascend_available", "ascend_count", "cpu_available", "cpu_count", "gpu_available", "gpu_count",
]  # fmt: skip
