"""Grayscale dilation: the maximum over each window of the input plus a filter."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.elementwise.bases import REAL, check_dtype_kind
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.index.select import Select
from minispore.ops.shape.join import Pad
from minispore.ops.support.arguments import check_shape
from minispore.ops.support.derive import _Composite


def _make_lowest_value(dtype: np.dtype) -> Tensor:
    """Return the lowest finite value of ``dtype`` as a 0-d Tensor."""
    return Tensor(np.array((np.finfo if dtype.kind == "f" else np.iinfo)(dtype).min, dtype))


class Dilation2D(_Composite):
    """out[n, c, i, j] = max over y, x of input[n, c, i S + y D, j S + x D] + filter[c, y, x].

    Args:
        stride: S: an int, two ints, or (1, 1, SH, SW), from 1 to 255.
        dilation: D, likewise.
        pad_mode: "SAME": ceil(H / S) windows, ignoring elements outside x; "VALID": only the
            windows that fit.
        data_format: "NCHW".
        x (Tensor): (N, C, H, W), of any real dtype.
        filter (Tensor): (C, KH, KW), of the dtype of x.

    Returns:
        Tensor, (N, C, OH, OW).

    >>> x, tops = Tensor([[[[1.0, 5.0, 2.0]]]]), Tensor([[[0.0, 1.0]]])
    >>> print(Dilation2D(1, 1, "VALID")(x, tops))
    [[[[6. 5.]]]]
    """

    stride: Any
    dilation: Any
    pad_mode: str = "SAME"
    data_format: str = "NCHW"

    def check(self) -> None:
        """Check the attributes, and normalise stride and dilation to two ints.

        Raises:
            TypeError: a size is not an int.
            ValueError: a size is out of range, or a mode or format is unknown.
        """
        for name, limit in (("stride", 255), ("dilation", None)):
            sizes = check_shape(self.name, getattr(self, name), name, 1)
            if len(sizes) not in (1, 2, 4) or sizes[:-2] not in ((), (1, 1)):
                rule = "be an int, two, or (1, 1, H, W)"
                raise ValueError(checks.format_error(self.name, name, rule, f"{sizes}"))
            if limit and max(sizes) > limit:
                raise ValueError(checks.format_error(self.name, name, "be in [1, 255]", f"{sizes}"))
            self.normalise(**{name: sizes[-2:] if len(sizes) > 1 else sizes * 2})
        checks.one_of(self.name, "pad_mode", self.pad_mode, ("same", "valid", "SAME", "VALID"))
        checks.one_of(self.name, "data_format", self.data_format, ("NCHW",))

    def __call__(self, x: Tensor, filter: Tensor) -> Tensor:
        """Take the maximum over the taps of the shifted input plus the filter; padding counts as
        the lowest number.

        Raises:
            TypeError: x is not real, or the filter has another dtype.
            ValueError: the shapes do not fit, or the filter is larger than x.
        """
        check_dtype_kind(self.name, x.value_.spec, REAL, "x")
        if x.ndim != 4 or filter.ndim != 3 or filter.shape[0] != x.shape[1]:
            raise ValueError(
                f"{self.name}: x must be (N, C, H, W) and filter (C, KH, KW), got shapes {x.shape} "
                f"and {filter.shape}."
            )
        if filter.dtype != x.dtype:
            rule = f"be of the dtype {x.dtype} of x"
            raise TypeError(checks.format_error(self.name, "filter", rule, f"{filter.dtype}"))
        extents = [(k - 1) * d + 1 for k, d in zip(filter.shape[1:], self.dilation, strict=True)]
        is_same = self.pad_mode.upper() == "SAME"
        x, is_input = self._pad_same(x, extents) if is_same else (x, np.ones(x.shape[2:], bool))
        counts = [
            (n - r) // s + 1 for n, r, s in zip(x.shape[2:], extents, self.stride, strict=True)
        ]
        if min(counts) < 1:
            raise ValueError(
                f"{self.name}: filter must fit into x, got shapes {filter.shape} and {x.shape}."
            )
        output = None
        for i, j in np.ndindex(*filter.shape[1:]):
            begins = (i * self.dilation[0], j * self.dilation[1])
            window = tuple(
                slice(b, b + (m - 1) * s + 1, s)
                for b, m, s in zip(begins, counts, self.stride, strict=True)
            )
            sums = x[(..., *window)] + filter[:, i : i + 1, j : j + 1]
            if not is_input[window].all():
                lowest = _make_lowest_value(x.value_.spec.dtype)
                sums = Select()(Tensor(is_input[window]), sums, lowest)
            output = sums if output is None else Maximum()(output, sums)
        assert output is not None
        return output

    def _pad_same(self, x: Tensor, extents: list[int]) -> tuple[Tensor, np.ndarray]:
        """Return x padded with zeros for "same", and a bool mask (H, W) of the elements that are
        not padding.

        ``extents`` are the numbers of elements that the dilated filter spans along H and W.
        """
        totals = [
            max((-(-n // s) - 1) * s + r - n, 0)
            for n, r, s in zip(x.shape[2:], extents, self.stride, strict=True)
        ]
        padding = [(t // 2, t - t // 2) for t in totals]
        is_input = np.pad(np.ones(x.shape[2:], bool), padding)
        return Pad(((0, 0), (0, 0), *padding))(x), is_input


__all__ = ["Dilation2D"]

attach_docstrings("minispore.ops", __name__)
