"""Slices gathered into segments by id: their sums, products and extremes."""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor, call, method
from minispore.core.value import Spec
from minispore.ops.array import Cast
from minispore.ops.axes import a_tensor, an_int, indices_spec, static
from minispore.ops.gather import Gather, add_rows


class _UnsortedSegment(Primitive):
    """Slices of ``x`` combined by ``segment_ids``, which span its first axes; negative: left
    out.
    """

    def __call__(self, input_x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
        return super().__call__(input_x, segment_ids, static(num_segments))

    def start(self, dtype: np.dtype) -> Any:
        """What an empty segment holds."""
        raise TypeError(f"{self.name}: has no start.")

    def combine(self, table: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
        """Bring ``values`` into ``table`` at ``rows``."""
        raise TypeError(f"{self.name}: combines nothing.")

    def infer(self, x: Spec, ids: Spec, num_segments: Any) -> Spec:
        a_tensor(self.name, x, "input_x")
        indices_spec(self.name, ids, "segment_ids")
        an_int(self.name, num_segments, "num_segments", 1)
        if ids.ndim < 1 or x.shape[: ids.ndim] != ids.shape:
            raise ValueError(
                f"{self.name}: the shape of segment_ids must begin that of input_x, got {ids} for "
                f"{x}."
            )
        return Spec((num_segments, *x.shape[ids.ndim :]), x.dtype)

    def kernel(self, x: np.ndarray, ids: np.ndarray, num: int, *, out: np.ndarray) -> None:
        rows = ids.reshape(-1)
        if rows.size and rows.max() >= num:
            raise RuntimeError(
                f"{self.name}: every segment id must be below num_segments = {num}, got "
                f"{rows.max()}."
            )
        width = prod(x.shape[ids.ndim :])
        table = np.full((num, width), self.start(x.dtype), x.dtype)
        kept = rows >= 0
        self.combine(table, rows[kept], x.reshape(rows.size, width)[kept])
        out[...] = table.reshape(out.shape)


def spread(x: Tensor, ids: Tensor) -> Tensor:
    """Each segment's value at every member; zero where the id is negative."""
    taken = Gather()(x, call("Maximum", ids, 0), 0)
    kept = call("GreaterEqual", ids, 0)
    kept = call("Reshape", kept, ids.shape + (1,) * (taken.ndim - ids.ndim))
    return call("Select", kept, taken, 0)


class UnsortedSegmentSum(_UnsortedSegment):
    """The sums of the slices with each id.

    >>> x, ids = Tensor([1.0, 2.0, 4.0]), Tensor([0, 2, 0])
    >>> print(UnsortedSegmentSum()(x, ids, 3))
    [5. 0. 2.]
    """

    def start(self, dtype: np.dtype) -> Any:
        return 0

    def combine(self, table: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
        if values.size:
            add_rows(table, rows, values)

    def vjp(self, x: Tensor, ids: Tensor, num: int, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: spread(dout, ids),)


class _UnsortedExtreme(_UnsortedSegment):
    """The extremes of the slices with each id; an empty segment holds the dtype's other end."""

    ufunc: ClassVar[np.ufunc]

    def combine(self, table: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
        self.ufunc.at(table, rows, values)

    def vjp(self, x: Tensor, ids: Tensor, num: int, *, out: Tensor, dout: Tensor) -> Any:
        def dx() -> Tensor:  # ties share the cotangent
            hit = Cast()(call("Equal", x, spread(out, ids)), x.dtype)
            ties = UnsortedSegmentSum()(hit, ids, num)
            return hit * spread(dout / call("Maximum", ties, 1), ids)

        return (dx,)


class UnsortedSegmentMax(_UnsortedExtreme):
    """The maxima of the slices with each id.

    >>> print(UnsortedSegmentMax()(Tensor([1, 2, 4]), Tensor([0, 1, 0]), 2))
    [4 2]
    """

    ufunc = np.maximum

    def start(self, dtype: np.dtype) -> Any:
        return _limits(dtype).min


class UnsortedSegmentMin(_UnsortedExtreme):
    """The minima of the slices with each id.

    >>> print(UnsortedSegmentMin()(Tensor([1, 2, 4]), Tensor([0, 1, 0]), 2))
    [1 2]
    """

    ufunc = np.minimum

    def start(self, dtype: np.dtype) -> Any:
        return _limits(dtype).max


class UnsortedSegmentProd(_UnsortedSegment):
    """The products of the slices with each id.

    >>> print(UnsortedSegmentProd()(Tensor([1, 2, 4]), Tensor([0, 1, 1]), 2))
    [1 8]
    """

    def start(self, dtype: np.dtype) -> Any:
        return 1

    def combine(self, table: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
        np.multiply.at(table, rows, values)

    def vjp(self, x: Tensor, ids: Tensor, num: int, *, out: Tensor, dout: Tensor) -> Any:
        def dx() -> Tensor:
            # d prod / d x_i is the product of the others: of all / x_i, or, where x_i is the only
            # zero of its segment, of all that are not zero.
            zero = call("Equal", x, 0)
            filled = call("Select", zero, 1, x)
            others = spread(UnsortedSegmentProd()(filled, ids, num), ids)
            zeros = spread(UnsortedSegmentSum()(Cast()(zero, x.dtype), ids, num), ids)
            alone = call("Select", call("Equal", zeros, 1), others, 0)
            whole = call("Select", call("Equal", zeros, 0), others / filled, 0)
            return spread(dout, ids) * call("Select", zero, alone, whole)

        return (dx,)


def _limits(dtype: np.dtype) -> Any:
    return np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)


class _Segment(Primitive):
    """The same for ids in rising order that span the first axis; there are max(id) + 1 segments,
    so the op needs to see the ids.
    """

    question = True
    unsorted: ClassVar[type[_UnsortedSegment]] = UnsortedSegmentSum

    def __call__(self, input_x: Tensor, segment_ids: Tensor) -> Tensor:
        ids = static(segment_ids)
        if not isinstance(ids, tuple) or len(ids) != input_x.shape[0]:
            raise ValueError(
                f"{self.name}: segment_ids must be a vector as long as input_x, got shape "
                f"{segment_ids.shape} for {input_x.shape}."
            )
        if any(b < a for a, b in pairwise(ids)) or (ids and ids[0] < 0):
            raise ValueError(f"{self.name}: segment_ids must not fall nor be negative, got {ids}.")
        num = ids[-1] + 1
        made = self.unsorted()(input_x, segment_ids, num)
        sizes = [ids.count(i) for i in range(num)]
        return self.finish(made, Tensor(sizes).reshape((num,) + (1,) * (made.ndim - 1)))  # type: ignore[attr-defined]

    def finish(self, made: Tensor, sizes: Tensor) -> Tensor:
        """``made`` with 0 in empty segments."""
        return call("Select", call("Greater", sizes, 0), made, 0)


class SegmentSum(_Segment):
    """The sums of the slices with each id.

    >>> print(SegmentSum()(Tensor([1.0, 2.0, 4.0]), Tensor([0, 0, 2])))
    [3. 0. 4.]
    """


class SegmentMean(_Segment):
    """The means of the slices with each id.

    >>> print(SegmentMean()(Tensor([1.0, 2.0, 4.0]), Tensor([0, 0, 1])))
    [1.5 4. ]
    """

    def finish(self, made: Tensor, sizes: Tensor) -> Tensor:
        return made / Cast()(call("Maximum", sizes, 1), made.dtype)


class SegmentMax(_Segment):
    """The maxima of the slices with each id.

    >>> print(SegmentMax()(Tensor([1.0, 2.0, 4.0]), Tensor([0, 0, 1])))
    [2. 4.]
    """

    unsorted = UnsortedSegmentMax


class SegmentMin(_Segment):
    """The minima of the slices with each id.

    >>> print(SegmentMin()(Tensor([1.0, 2.0, 4.0]), Tensor([0, 0, 1])))
    [1. 4.]
    """

    unsorted = UnsortedSegmentMin


class SegmentProd(_Segment):
    """The products of the slices with each id; 1 for an empty one.

    >>> print(SegmentProd()(Tensor([3.0, 2.0, 4.0]), Tensor([0, 0, 2])))
    [6. 1. 4.]
    """

    unsorted = UnsortedSegmentProd

    def finish(self, made: Tensor, sizes: Tensor) -> Tensor:
        return made


# -- functions ------------------------------------------------------------------------------------


def unsorted_segment_sum(input_x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """The sums of the slices with each id."""
    return UnsortedSegmentSum()(input_x, segment_ids, num_segments)


@method("unsorted_segment_max")
def unsorted_segment_max(x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """The maxima of the slices with each id."""
    return UnsortedSegmentMax()(x, segment_ids, num_segments)


@method("unsorted_segment_min")
def unsorted_segment_min(x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """The minima of the slices with each id."""
    return UnsortedSegmentMin()(x, segment_ids, num_segments)


@method("unsorted_segment_prod")
def unsorted_segment_prod(x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """The products of the slices with each id."""
    return UnsortedSegmentProd()(x, segment_ids, num_segments)


__all__ = [
    "SegmentMax",
    "SegmentMean",
    "SegmentMin",
    "SegmentProd",
    "SegmentSum",
    "UnsortedSegmentMax",
    "UnsortedSegmentMin",
    "UnsortedSegmentProd",
    "UnsortedSegmentSum",
    "unsorted_segment_max",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sum",
]
