"""Whether there are devices of a kind, and how many."""

from __future__ import annotations

from collections.abc import Callable

from minispore.device import control


def _presence(target: str) -> tuple[Callable[[], int], Callable[[], bool]]:
    """``device_count`` and ``is_available`` of a device target.

    >>> [ask() for ask in _presence("Ascend")]
    [8, True]
    """

    def device_count() -> int:
        """How many there are: one CPU or GPU, 8 simulated Ascends."""
        return control.device_count(target)

    def is_available() -> bool:
        """Whether there is one; GPUs and Ascends are simulated."""
        return control.is_available(target)

    return device_count, is_available


cpu_count, cpu_available = _presence("CPU")
gpu_count, gpu_available = _presence("GPU")
ascend_count, ascend_available = _presence("Ascend")

__all__ = [
    "ascend_available", "ascend_count", "cpu_available", "cpu_count", "gpu_available", "gpu_count",
]  # fmt: skip
