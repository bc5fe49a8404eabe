"""Helpers of ``mindspore.train.model`` that scripts with their own training loop import."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.train.callback.base import Callback


class _StepSync(Callback):
    """A callback that does nothing: ops are complete when they return, so no step waits."""


def _transfer_tensor_to_tuple(inputs: Any) -> Any:
    """Return a batch that is a single Tensor as a tuple of one; return any other batch
    unchanged.
    """
    return (inputs,) if isinstance(inputs, Tensor) else inputs
