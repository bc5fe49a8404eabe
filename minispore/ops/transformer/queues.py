"""Elements that wait for experts: the order in which they come, and who stands where."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.ops.elementwise.bases import broadcast_to
from minispore.ops.elementwise.compare import Less
from minispore.ops.elementwise.extremes import Minimum
from minispore.ops.index.gather import GatherD
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.statistics.sort import SearchSorted, Sort
from minispore.ops.transformer.inputs import places


class Sorted(NamedTuple):
    """Experts in order; of one expert, who came first is first.

    Attributes:
        experts: in order.
        order: which element each of them is of, int32.
        ranks: where each element went, int32.
    """

    experts: Tensor
    order: Tensor
    ranks: Tensor


def in_order(experts: Tensor) -> Sorted:
    """Sort along the last axis."""
    values, order = Sort()(experts)
    return Sorted(values, order, Sort()(order)[1])


def ends(experts: Tensor, count: int) -> Tensor:
    """How many of the sorted ``experts`` are of each of ``count`` experts or one before it."""
    return _bounds(experts, count, right=True)


def _bounds(experts: Tensor, count: int, right: bool) -> Tensor:
    numbers = Tensor(np.arange(count), experts.dtype)
    if experts.ndim > 1:
        numbers = broadcast_to(numbers, (*experts.shape[:-1], count))
    return SearchSorted(mstype.int32, right)(experts, numbers)


class Queues(NamedTuple):
    """What stands in queues of ``capacity`` places, one for each expert.

    Attributes:
        place: of each element in its queue, (B, N); those from ``capacity`` on are left out.
        element: in each place, (B, E, C), where there is one.
        held: whether there is one.
    """

    place: Tensor
    element: Tensor
    held: Tensor


def queues(experts: Tensor, count: int, capacity: int) -> Queues:
    """Queues of the elements of each row of ``experts``, (B, N).

    Raises:
        RuntimeError: when it runs, where an expert is not in [0, count).
    """
    values, order, ranks = in_order(experts)
    starts = _bounds(values, count, right=False)
    lengths = _bounds(values, count, right=True) - starts
    place = ranks - GatherD()(starts, 1, places(experts))
    numbers = Tensor(np.arange(capacity, dtype=np.int32))
    held = Less()(numbers, ExpandDims()(lengths, 2))
    at = ExpandDims()(starts, 2) + numbers
    at = Reshape()(Minimum()(at, experts.shape[1] - 1), (len(experts), -1))
    element = Reshape()(GatherD()(order, 1, at), held.shape)
    return Queues(place, element, held)


__all__ = ["Queues", "Sorted", "ends", "in_order", "queues"]
