"""Ranks that train together: one rank writes for all, and metrics cover the rows of all ranks."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from minispore import context, ops
from minispore.context import ParallelMode
from minispore.core.callback import Callback
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.core.tree import map_tensors
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport

_MAX_CALLBACKS = 64  # the maximum number of callbacks compared in one training
_DIGEST_BYTES = 16  # bytes of a callback's output id, so that all ids have equal length


def count_training_ranks() -> int:
    """Return the number of ranks that train one network: 1 in mode ``stand_alone``."""
    mode = context.get_auto_parallel_context("parallel_mode")
    return 1 if mode == ParallelMode.STAND_ALONE else transport.current.size(WORLD)


def choose_writing_rank(callbacks: Sequence[Callback]) -> None:
    """Choose, for each callback, the rank on which it prints and writes: the first rank that has
    it.

    On all later ranks ``_another_rank_writes_`` of the callback with that ``_output_id_`` is set. A
    callback without one writes on every rank. All ranks that train together must call it.
    """
    for callback in callbacks:
        callback._another_rank_writes_ = False
    if count_training_ranks() == 1:
        return
    local_digests = np.zeros((_MAX_CALLBACKS, _DIGEST_BYTES), np.uint8)
    for row, callback in zip(local_digests, callbacks, strict=False):
        if callback._output_id_ is not None:
            digest = blake2b(callback._output_id_.encode(), digest_size=_DIGEST_BYTES).digest()
            row[:] = np.frombuffer(digest, np.uint8)
    gathered = transport.current.all_gather(local_digests, WORLD)
    lower_ranks = gathered[: transport.current.rank(WORLD)]
    lower_rank_digests = {row.tobytes() for digests in lower_ranks for row in digests}
    for row, callback in zip(local_digests, callbacks, strict=False):
        callback._another_rank_writes_ = (
            callback._output_id_ is not None and row.tobytes() in lower_rank_digests
        )


def read_param_content(p: Parameter) -> np.ndarray:
    """Return the content of a parameter, even if only one rank stores it.

    All ranks must call it, since the rank that stores the parameter broadcasts its content.
    """
    if p.owner_rank_ is None:
        return p.asnumpy()
    spec, transporter = p.value_.spec, transport.current
    is_owner = transporter.rank(WORLD) == p.owner_rank_
    content = p.asnumpy() if is_owner else np.broadcast_to(np.zeros((), spec.dtype), spec.shape)
    return transporter.broadcast(content, p.owner_rank_, WORLD)


def gather_outputs(outputs: Any) -> list[Any]:
    """Return the outputs of a network on each rank, in rank order; all ranks must call it."""
    stacked = map_tensors(lambda t: ops.AllGather()(t.reshape((1, *t.shape))), outputs)

    def select_rank(rank: int) -> Any:
        """Return the outputs of one rank."""
        return map_tensors(lambda t: Tensor(t[rank]), stacked)

    return [select_rank(rank) for rank in range(transport.current.size(WORLD))]
