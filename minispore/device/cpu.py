"""CPU: no sink; data is passed as arguments."""

from __future__ import annotations

import numpy as np

from minispore.device.runtime import Device


class CPU(Device):
    """The host itself: it has no data sink, so GetNext is not supported."""

    target = "CPU"

    def fetch(self, queue_name: str) -> tuple[np.ndarray, ...]:
        """Raise RuntimeError: the CPU has no device queue."""
        raise RuntimeError(
            f"GetNext: Unsupported op [GetNext] on CPU (queue {queue_name!r}). Set device_target "
            "to 'Ascend' or 'GPU', or pass the data as arguments."
        )
