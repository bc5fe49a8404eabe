"""Parts of any lengths, from each rank to each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minispore import ops
from minispore.communication.management import get_group_size
from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor


def exchanged(
    who: str, parts: Sequence[Tensor], lengths: Sequence[int], group: str
) -> list[Tensor]:
    """Flat part i goes to rank i; from rank i come ``lengths[i]`` elements.

    Raises:
        ValueError: there is not one part for each rank, or another length comes; on all ranks.
    """
    size = get_group_size(group)
    if len(parts) != size or len(lengths) != size:
        raise ValueError(
            f"{who}: there must be one part for each of the {size} ranks, got {len(parts)} to send "
            f"and {len(lengths)} to receive."
        )
    said = Tensor([[p.shape[0] for p in parts], list(lengths)], mstype.int64)
    told = ops.AllGather(group)(said).asnumpy().reshape(size, 2, size)
    sent, wanted = told[:, 0], told[:, 1].T
    if (sent != wanted).any():
        a, b = (int(i[0]) for i in (sent != wanted).nonzero())
        raise ValueError(
            f"{who}: rank {b} of the group must expect the {sent[a, b]} elements that rank {a} "
            f"sends it, got {wanted[a, b]}."
        )
    longest = int(sent.max())
    if not longest:
        return list(parts)
    padded = [ops.concat((p, ops.zeros((longest - p.shape[0],), p.dtype))) for p in parts]
    came = ops.AlltoAll(size, 0, 0, group)(ops.concat(padded))
    return [came[i * longest : i * longest + n] for i, n in enumerate(lengths)]


def count(shape: Sequence[int]) -> int:
    total = 1
    for n in shape:
        total *= n
    return total


def rows(who: str, name: str, total: int, sizes: Any, size: int) -> list[int]:
    """How many of ``total`` rows belong to each rank."""
    if sizes is None or len(sizes) == 0:
        if total % size:
            raise ValueError(
                f"{who}: axis 0 must be divisible by the {size} ranks where {name} is not given, "
                f"got {total} rows."
            )
        return [total // size] * size
    if len(sizes) != size or sum(sizes) != total or min(sizes) < 0:
        raise ValueError(
            f"{who}: {name} must split {total} rows among {size} ranks, got {list(sizes)}."
        )
    return list(sizes)


def cut(x: Tensor, sizes: Sequence[int]) -> list[Tensor]:
    """The rows of a tensor, so many for each rank."""
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [x[end - n : end] for n, end in zip(sizes, ends, strict=True)]


__all__ = ["count", "cut", "exchanged", "rows"]
