"""Exchange of chunks of variable size between all ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minispore import ops
from minispore.communication.management import get_group_size
from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype


def exchange_chunks(
    api_name: str, chunks: Sequence[Tensor], lengths: Sequence[int], group: str
) -> list[Tensor]:
    """Send flat chunk i to rank i; return the chunks received, ``lengths[i]`` elements from rank i.

    Chunks are padded to the longest one and exchanged by AlltoAll.

    Raises:
        ValueError: there is not one chunk per rank, or a chunk does not have the length that its
            receiver expects; raised on all ranks.
    """
    rank_count = get_group_size(group)
    if len(chunks) != rank_count or len(lengths) != rank_count:
        raise ValueError(
            f"{api_name}: there must be one part for each of the {rank_count} ranks, got "
            f"{len(chunks)} to send and {len(lengths)} to receive."
        )
    own_lengths = Tensor([[p.shape[0] for p in chunks], list(lengths)], mstype.int64)
    all_lengths = ops.AllGather(group)(own_lengths).asnumpy().reshape(rank_count, 2, rank_count)
    sent, expected = all_lengths[:, 0], all_lengths[:, 1].T
    if (sent != expected).any():
        a, b = (int(i[0]) for i in (sent != expected).nonzero())
        raise ValueError(
            f"{api_name}: rank {b} of the group must expect the {sent[a, b]} elements that rank "
            f"{a} sends it, got {expected[a, b]}."
        )
    longest = int(sent.max())
    if not longest:
        return list(chunks)
    padded = [ops.concat((p, ops.zeros((longest - p.shape[0],), p.dtype))) for p in chunks]
    received = ops.AlltoAll(rank_count, 0, 0, group)(ops.concat(padded))
    return [received[i * longest : i * longest + n] for i, n in enumerate(lengths)]


def count_elements(shape: Sequence[int]) -> int:
    """Return the number of elements of an array of this shape; 1 for ()."""
    return math.prod(shape)


def split_rows_evenly(
    api_name: str, name: str, total: int, sizes: Any, rank_count: int
) -> list[int]:
    """Return the number of rows for each rank: ``sizes``, or equal numbers if ``sizes`` is empty.

    Raises:
        ValueError: ``sizes`` does not add up to ``total``, or ``total`` can't be split equally.
    """
    if sizes is None or len(sizes) == 0:
        if total % rank_count:
            raise ValueError(
                f"{api_name}: axis 0 must be divisible by the {rank_count} ranks where {name} is "
                f"not given, got {total} rows."
            )
        return [total // rank_count] * rank_count
    if len(sizes) != rank_count or sum(sizes) != total or min(sizes) < 0:
        raise ValueError(
            f"{api_name}: {name} must split {total} rows among {rank_count} ranks, got "
            f"{list(sizes)}."
        )
    return list(sizes)


def split_by_sizes(x: Tensor, sizes: Sequence[int]) -> list[Tensor]:
    """Split the rows of a tensor into views, one with ``sizes[i]`` rows for each rank."""
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [x[end - n : end] for n, end in zip(sizes, ends, strict=True)]


__all__ = ["count_elements", "exchange_chunks", "split_by_sizes", "split_rows_evenly"]
