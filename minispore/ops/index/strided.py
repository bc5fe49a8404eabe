"""StridedSlice: slices with steps, described by numbers and bit masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents, Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.index.subscript import GetItem, GetItemGrad, SetItem
from minispore.ops.support.arguments import check_shape, to_static

_GET = GetItem()


class StridedSlice(Primitive):
    """``x[begin:end:strides]``; bit i of a mask changes the meaning of entry i, as described below.

    Args:
        begin_mask: begin[i] is ignored.
        end_mask: end[i] is ignored.
        ellipsis_mask: entry i is an ellipsis (one bit at most).
        new_axis_mask: entry i is a new axis of length 1.
        shrink_axis_mask: entry i is the single index begin[i], and its axis is removed.

    >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
    >>> print(StridedSlice()(x, (0, 0), (2, 3), (1, 2)))
    [[1 3]
     [4 6]]
    >>> print(StridedSlice(shrink_axis_mask=1)(x, (1, 0), (2, 2), (1, 1)))
    [4 5]
    """

    arithmetic = Arithmetic.NONE
    begin_mask: int = 0
    end_mask: int = 0
    ellipsis_mask: int = 0
    new_axis_mask: int = 0
    shrink_axis_mask: int = 0

    def check(self) -> None:
        for name in self.fields:
            checks.integer(self.name, name, getattr(self, name), 0)
        if self.ellipsis_mask.bit_count() > 1:
            raise ValueError(
                f"{self.name}: ellipsis_mask must have at most one bit, got "
                f"{self.ellipsis_mask:#b}."
            )

    def __call__(self, input_x: Tensor, begin: Any, end: Any, strides: Any) -> Tensor:
        return super().__call__(input_x, to_static(begin), to_static(end), to_static(strides))

    def make_parts(self, begin: Any, end: Any, strides: Any) -> tuple[Any, ...]:
        """Return the slice as the static ``parts`` of a GetItem index.

        Raises:
            TypeError, ValueError: begin, end and strides are not ints or differ in length, or a
                stride is 0.
        """
        begin, end, strides = (
            check_shape(self.name, v, n, least=-(2**63))
            for v, n in ((begin, "begin"), (end, "end"), (strides, "strides"))
        )
        if not len(begin) == len(end) == len(strides):
            raise ValueError(
                f"{self.name}: begin, end and strides must be of one length, got {begin}, {end} "
                f"and {strides}."
            )
        if 0 in strides:
            raise ValueError(f"{self.name}: strides must not be 0, got {strides}.")
        parts: list[Any] = []
        for i, (b, e, s) in enumerate(zip(begin, end, strides, strict=True)):
            if self.ellipsis_mask >> i & 1:
                parts.append("ellipsis")
            elif self.new_axis_mask >> i & 1:
                parts.append("newaxis")
            elif self.shrink_axis_mask >> i & 1:
                parts.append(b)
            else:
                start = None if self.begin_mask >> i & 1 else b
                stop = None if self.end_mask >> i & 1 else e
                parts.append(("slice", start, stop, s))
        return tuple(parts)

    def infer(self, x: Spec, begin: Any, end: Any, strides: Any) -> Spec:
        return _GET.infer(x, self.make_parts(begin, end, strides))

    def scatter_view(
        self, x: Tensor, begin: Any, end: Any, strides: Any, *, content: Tensor
    ) -> Tensor:
        """Return ``x`` with ``content`` in the slice; called to propagate a write to a view to its
        base.
        """
        return SetItem()(x, content, self.make_parts(begin, end, strides))

    def view(self, x: np.ndarray, begin: Any, end: Any, strides: Any) -> np.ndarray | None:
        """Return the slice as a view of x."""
        return _GET.view(x, self.make_parts(begin, end, strides))

    def kernel(self, x: np.ndarray, begin: Any, end: Any, strides: Any, *, out: np.ndarray) -> None:
        np.copyto(out, self.view(x, begin, end, strides))  # type: ignore[arg-type]

    def vjp(
        self, x: Tensor, begin: Any, end: Any, strides: Any, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        parts = self.make_parts(begin, end, strides)
        return (lambda: GetItemGrad()(dout, x.shape, parts),)


def strided_slice(
    input_x: Tensor,
    begin: Any,
    end: Any,
    strides: Any,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Tensor:
    """Return ``input_x[begin:end:strides]``; see :class:`StridedSlice` for the masks."""
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return StridedSlice(*masks)(input_x, begin, end, strides)


__all__ = ["StridedSlice", "strided_slice"]
