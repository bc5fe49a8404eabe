"""CPU: no sink; the data goes in as arguments."""

from __future__ import annotations

import numpy as np

from minispore.device.runtime import Device


class CPU(Device):
    """The host itself. There is nothing to sink to, so GetNext is not supported."""

    target = "CPU"

    def fetch(self, queue_name: str) -> tuple[np.ndarray, ...]:
        """Not on CPU."""
        raise RuntimeError(
            f"GetNext: Unsupported op [GetNext] on CPU (queue {queue_name!r}). Set device_target "
            "to 'Ascend' or 'GPU', or pass the data as arguments."
        )
