"""Queues of tokens for experts: their order, and the slot of each token."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.bases import broadcast_to
from minispore.ops.elementwise.compare import Less
from minispore.ops.elementwise.extremes import Minimum
from minispore.ops.index.gather import GatherD
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.statistics.sort import SearchSorted, Sort
from minispore.ops.transformer.inputs import to_unsigned_indices


class SortedExperts(NamedTuple):
    """Expert numbers in ascending order; equal numbers keep their order.

    Attributes:
        experts: the sorted numbers.
        order: the index of each sorted number in the input, int32.
        ranks: the index of each input element in the sorted order, int32.
    """

    experts: Tensor
    order: Tensor
    ranks: Tensor


def sort_experts(experts: Tensor) -> SortedExperts:
    """Sort expert numbers along the last axis; return them with their order and ranks, both
    int32.
    """
    values, order = Sort()(experts)
    return SortedExperts(values, order, Sort()(order)[1])


def count_cumulatively(experts: Tensor, count: int) -> Tensor:
    """Return, for each of ``count`` experts, the number of elements of the sorted ``experts`` that
    are at most its number.

    The elements are sorted along the last axis; the result is int32, (..., count).
    """
    return _search_bounds(experts, count, right=True)


def _search_bounds(experts: Tensor, count: int, right: bool) -> Tensor:
    """Return where each of ``count`` experts begins, or with ``right`` where it ends, in the sorted
    ``experts``.

    The result is int32, (..., count). An end is one past the last element.
    """
    numbers = Tensor(np.arange(count), experts.dtype)
    if experts.ndim > 1:
        numbers = broadcast_to(numbers, (*experts.shape[:-1], count))
    return SearchSorted(mstype.int32, right)(experts, numbers)


class ExpertQueues(NamedTuple):
    """One queue with ``capacity`` slots for each expert, and the content of the queues.

    Attributes:
        position: the position of each element in its queue (B, N); an element whose position is at
            least ``capacity`` has no slot.
        element: the index of the element in each slot (B, E, C); arbitrary for an empty slot.
        is_occupied: whether a slot has an element (B, E, C).
    """

    position: Tensor
    element: Tensor
    is_occupied: Tensor


def assign_to_queues(experts: Tensor, count: int, capacity: int) -> ExpertQueues:
    """Assign the elements of each row of ``experts`` (B, N) to the queues of their experts, in
    order.

    Each of ``count`` experts has ``capacity`` slots; further elements get none.

    Raises:
        RuntimeError: when the ops run, if an expert is not in [0, count).
    """
    values, order, ranks = sort_experts(experts)
    starts = _search_bounds(values, count, right=False)
    lengths = _search_bounds(values, count, right=True) - starts
    position = ranks - GatherD()(starts, 1, to_unsigned_indices(experts))
    numbers = Tensor(np.arange(capacity, dtype=np.int32))
    is_occupied = Less()(numbers, ExpandDims()(lengths, 2))
    indices = ExpandDims()(starts, 2) + numbers
    indices = Reshape()(Minimum()(indices, experts.shape[1] - 1), (len(experts), -1))
    element = Reshape()(GatherD()(order, 1, indices), is_occupied.shape)
    return ExpertQueues(position, element, is_occupied)


__all__ = [
    "ExpertQueues",
    "SortedExperts",
    "assign_to_queues",
    "count_cumulatively",
    "sort_experts",
]
