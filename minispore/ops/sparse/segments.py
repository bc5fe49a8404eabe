"""Segment reductions of gathered slices: sums, means, and sums divided by the root of the count."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.sparse.parts import _SparseOp, gather_rows, read_integers, sum_groups
from minispore.ops.support.arguments import check_dtype, check_tensors


class _SparseSegment(_SparseOp):
    """Base of ops that combine slices of ``x`` at ``indices`` by sorted ``segment_ids``."""

    power: ClassVar[float] = 0.0  # sums are divided by count ** power
    allows_gaps: ClassVar[bool] = False  # whether ids may be skipped

    def __call__(self, x: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
        """Combine max(id) + 1 segments; without ``allows_gaps``, raise ValueError if an id is left
        out.
        """
        ids = read_integers(self.name, segment_ids, "segment_ids", 1)
        steps = np.diff(ids, prepend=0)
        if len(ids) and not self.allows_gaps and steps.max() > 1:
            rule = "begin with 0 and leave out no number"
            raise ValueError(checks.format_error(self.name, "segment_ids", rule, f"{ids.tolist()}"))
        return self.combine_slices(x, indices, ids, int(ids.max(initial=-1)) + 1)

    def combine_slices(self, x: Tensor, indices: Tensor, ids: np.ndarray, count: int) -> Tensor:
        """Return the sum of the slices of each segment, divided by a power of the number of slices.

        An empty segment gives 0.

        Args:
            x: float, with the slices along its first axis.
            indices: the index of each slice, (n,).
            ids: the segment of each slice in ascending order, (n,).
            count: the number of segments.

        Raises:
            TypeError: ``x`` or ``indices`` has the wrong dtype.
            ValueError: the shapes do not fit; an index or id is out of range, or ids are not in
                order.
        """
        check_tensors(self.name, x=x)
        check_dtype(self.name, x.value_.spec, "x", "float16", "float32", "float64")
        rows = read_integers(self.name, indices, "indices", 1)
        if not x.ndim:
            raise ValueError(
                checks.format_error(self.name, "x", "have an axis", f"shape {x.shape}")
            )
        if len(rows) != len(ids):
            rule = f"hold {len(ids)} numbers, as segment_ids does"
            raise ValueError(checks.format_error(self.name, "indices", rule, f"{len(rows)}"))
        if len(rows) and not (rows.min() >= 0 and rows.max() < x.shape[0]):
            rule = f"be in [0, {x.shape[0]})"
            raise ValueError(checks.format_error(self.name, "indices", rule, f"{rows.tolist()}"))
        if len(ids) and (ids.min() < 0 or (np.diff(ids) < 0).any() or ids.max() >= count):
            rule = f"be in order, from 0 to {count - 1} at most"
            raise ValueError(checks.format_error(self.name, "segment_ids", rule, f"{ids.tolist()}"))
        total = sum_groups(gather_rows(x, rows), ids, count)
        if not self.power:
            return total
        divisor = np.maximum(np.bincount(ids, minlength=count), 1) ** self.power
        return total / Tensor(divisor.reshape((-1,) + (1,) * (x.ndim - 1)), x.dtype)


class _SparseSegmentWithCount(_SparseSegment):
    """Base of segment ops that take the number of segments as an input."""

    def __call__(  # type: ignore[override]
        self, x: Tensor, indices: Tensor, segment_ids: Tensor, num_segments: Any
    ) -> Tensor:
        """Combine ``num_segments`` segments, some of which may be empty.

        ``num_segments`` is an int or a tensor of one element; a value below 1 raises a ValueError.
        """
        ids = read_integers(self.name, segment_ids, "segment_ids", 1)
        number = num_segments.asnumpy() if isinstance(num_segments, Tensor) else num_segments
        if np.size(number) != 1:
            rule = "be one number"
            raise ValueError(checks.format_error(self.name, "num_segments", rule, f"{number}"))
        count = checks.integer(self.name, "num_segments", np.ravel(number).tolist()[0], 1)
        return self.combine_slices(x, indices, ids, count)


class SparseSegmentSum(_SparseSegment):
    """The sum of the slices of each segment.

    >>> x, rows, ids = Tensor([[1.0], [2.0], [4.0]]), Tensor([0, 2, 1]), Tensor([0, 0, 1])
    >>> print(SparseSegmentSum()(x, rows, ids).asnumpy().ravel())
    [5. 2.]
    """


class SparseSegmentSumWithNumSegments(_SparseSegmentWithCount):
    """The sum of the slices of each of ``num_segments`` segments, 0 for an empty segment.

    >>> x, rows, ids = Tensor([[1.0], [2.0], [4.0]]), Tensor([0, 2, 1]), Tensor([0, 0, 2])
    >>> op = SparseSegmentSumWithNumSegments()
    >>> print(op(x, rows, ids, Tensor([3])).asnumpy().ravel())
    [5. 0. 2.]
    """


class SparseSegmentMean(_SparseSegment):
    """The mean of the slices of each segment, 0 for an empty segment.

    Args:
        x (Tensor): float, with the slices along its first axis.
        indices (Tensor): int32 or int64 (n,), the indices of the slices.
        segment_ids (Tensor): int32 or int64 (n,), in order: the segment of each slice.

    Returns:
        Tensor, with one slice per segment.

    >>> x, rows, ids = Tensor([[1.0], [2.0], [4.0]]), Tensor([0, 2, 1]), Tensor([0, 0, 2])
    >>> print(SparseSegmentMean()(x, rows, ids).asnumpy().ravel())
    [2.5 0.  2. ]
    """

    power = 1.0
    allows_gaps = True


class SparseSegmentMeanWithNumSegments(_SparseSegmentWithCount):
    """The mean of the slices of each of ``num_segments`` segments, 0 for an empty segment.

    >>> x, rows, ids = Tensor([[1.0], [2.0], [4.0]]), Tensor([0, 2, 1]), Tensor([0, 0, 2])
    >>> op = SparseSegmentMeanWithNumSegments()
    >>> print(op(x, rows, ids, Tensor([4])).asnumpy().ravel())
    [2.5 0.  2.  0. ]
    """

    power = 1.0


class SparseSegmentSqrtN(_SparseSegment):
    """The sum of the slices of each segment, divided by the square root of their number.

    >>> x, rows, ids = Tensor([[1.0], [2.0]]), Tensor([0, 0, 0, 1]), Tensor([0, 0, 0, 0])
    >>> print(SparseSegmentSqrtN()(x, rows, ids))
    [[2.5]]
    """

    power = 0.5


class SparseSegmentSqrtNWithNumSegments(_SparseSegmentWithCount):
    """The sum of the slices of each of ``num_segments`` segments, divided by the root of their
    number.

    >>> x, rows, ids = Tensor([[1.0], [2.0]]), Tensor([0, 0, 0, 1]), Tensor([0, 0, 0, 0])
    >>> op = SparseSegmentSqrtNWithNumSegments()
    >>> print(op(x, rows, ids, Tensor([2])).asnumpy().ravel())
    [2.5 0. ]
    """

    power = 0.5


def sparse_segment_mean(x: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
    """Return the mean of the slices of each segment, 0 for an empty segment.

    Args:
        x (Tensor): float, with the slices along its first axis.
        indices (Tensor): int32 or int64 (n,), the indices of the slices.
        segment_ids (Tensor): int32 or int64 (n,), in order: the segment of each slice.

    Returns:
        Tensor, with one slice per segment.

    >>> x, rows, ids = Tensor([[1.0], [2.0], [4.0]]), Tensor([0, 2, 1]), Tensor([0, 0, 2])
    >>> print(sparse_segment_mean(x, rows, ids).asnumpy().ravel())
    [2.5 0.  2. ]
    """
    return SparseSegmentMean()(x, indices, segment_ids)


__all__ = [
    "SparseSegmentMean",
    "SparseSegmentMeanWithNumSegments",
    "SparseSegmentSqrtN",
    "SparseSegmentSqrtNWithNumSegments",
    "SparseSegmentSum",
    "SparseSegmentSumWithNumSegments",
    "sparse_segment_mean",
]

attach_docstrings("minispore.ops", __name__)
