"""What scripts with a training loop of their own take from the path of Model."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.train.callback.base import Callback


class _StepSync(Callback):
    """MindSpore's waits for the device after each step; ops here are done when they return."""


def _transfer_tensor_to_tuple(inputs: Any) -> Any:
    """A batch of one column as a tuple of one, any other as it is."""
    return (inputs,) if isinstance(inputs, Tensor) else inputs
