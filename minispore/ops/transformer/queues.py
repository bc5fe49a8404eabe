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
from minispore.ops.transformer.inputs import unsigned_indices


class SortedExperts(NamedTuple):
    """Expert numbers in ascending order, stable for equal ones.

    Attributes:
        experts: in order.
        order: which element each of them is of, int32.
        ranks: where each element went, int32.
    """

    experts: Tensor
    order: Tensor
    ranks: Tensor


def sort_experts(experts: Tensor) -> SortedExperts:
    """Sort expert numbers along the last axis, and return the order and the rank of each element
    too.
    """
    values, order = Sort()(experts)
    return SortedExperts(values, order, Sort()(order)[1])


def cumulative_counts(experts: Tensor, count: int) -> Tensor:
    """Return, for each of ``count`` experts, the number of sorted elements up to and
    including it.
    """
    return _search_bounds(experts, count, right=True)


def _search_bounds(experts: Tensor, count: int, right: bool) -> Tensor:
    """Return where each expert number begins, or with ``right`` ends, in the sorted ``experts``."""
    numbers = Tensor(np.arange(count), experts.dtype)
    if experts.ndim > 1:
        numbers = broadcast_to(numbers, (*experts.shape[:-1], count))
    return SearchSorted(mstype.int32, right)(experts, numbers)


class ExpertQueues(NamedTuple):
    """Queues with ``capacity`` slots, one for each expert, and their content.

    Attributes:
        place: of each element in its queue, (B, N); those from ``capacity`` on are left out.
        element: in each place, (B, E, C), where there is one.
        held: whether there is one.
    """

    position: Tensor
    element: Tensor
    is_occupied: Tensor


def assign_to_queues(experts: Tensor, count: int, capacity: int) -> ExpertQueues:
    """Assign the elements of each row of ``experts`` (B, N) to the queues of their experts.

    Raises:
        RuntimeError: when it runs, where an expert is not in [0, count).
    """
    values, order, ranks = sort_experts(experts)
    starts = _search_bounds(values, count, right=False)
    lengths = _search_bounds(values, count, right=True) - starts
    position = ranks - GatherD()(starts, 1, unsigned_indices(experts))
    numbers = Tensor(np.arange(capacity, dtype=np.int32))
    is_occupied = Less()(numbers, ExpandDims()(lengths, 2))
    indices = ExpandDims()(starts, 2) + numbers
    indices = Reshape()(Minimum()(indices, experts.shape[1] - 1), (len(experts), -1))
    element = Reshape()(GatherD()(order, 1, indices), is_occupied.shape)
    return ExpertQueues(position, element, is_occupied)


__all__ = ["ExpertQueues", "SortedExperts", "assign_to_queues", "cumulative_counts", "sort_experts"]
