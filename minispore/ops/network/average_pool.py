"""Average pools; max pools are in :mod:`pool`."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls, Cotangents
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.network.pool import _Pool, _ReducingPool
from minispore.ops.steps.window import Window
from minispore.ops.support.arguments import FLOAT_KINDS, check_tensors
from minispore.ops.support.spelling import also_spelled


class _AveragePoolBase(_Pool):
    """Base of average pools and their gradients: the attributes and the divisor.

    ``count_include_pad`` counts padding as elements; ``divisor_override`` replaces the number of
    elements.
    """

    count_include_pad: bool = False
    divisor_override: Any = None

    def check(self) -> None:
        """Check that the divisor is None or an int, and the attributes of all pools."""
        if self.divisor_override is not None:
            checks.integer(self.name, "divisor_override", self.divisor_override)
        super().check()

    def compute_divisors(self, win: Window, dtype: np.dtype) -> Any:
        """Return the divisor of each window's sum in ``dtype``: a scalar, or an array over the
        output plane.

        It is ``divisor_override``, or else the number of elements of the window, which includes
        padding or not.
        """
        if self.divisor_override is not None:
            return dtype.type(self.divisor_override)
        # As in MindSpore, "same" padding counts as elements in three dimensions or with ceil_mode.
        counts_same_padding = self.rank == 3 or self.ceil_mode
        counts_all_taps = counts_same_padding and self.pad_mode == "same" and self.count_include_pad
        if win.padded == win.size or counts_all_taps:
            return dtype.type(math.prod(win.kernel))
        counts = np.ones(1)
        for i, n in enumerate(win.size):
            starts = np.arange(win.out[i]) * win.stride[i] - win.low[i]
            ends = starts + (win.kernel[i] - 1) * win.dilation[i]
            low, high = 0, n - 1
            if self.count_include_pad and self.pad_mode == "pad":
                low, high = -self.pad[2 * i], n - 1 + self.pad[2 * i + 1]
            tap_counts = np.minimum(ends, high) - np.maximum(starts, low) + 1
            counts = np.multiply.outer(counts, tap_counts)
        return counts[0].astype(dtype)


class AvgPool(_AveragePoolBase, _ReducingPool):
    """The mean of each window.

    Inputs: x (N, C, H, W). Output: (N, C, OH, OW). Padding counts as elements only with
    ``count_include_pad``; ``divisor_override`` replaces the divisor.

    Source: the behaviour of mindspore.ops.AvgPool and nn.AvgPool2d.
    """

    def infer(self, x: Spec) -> Spec:
        return self.infer_output(check_dtype_kind(self.name, x, FLOAT_KINDS, "x"))

    ufunc = np.add

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the calls that sum each window, and divide the sum by its divisor."""
        divisors = self.compute_divisors(self.make_window(x.shape[2:]), x.dtype)
        sum_calls = super().calls(x, out=out, work=work)
        return [*sum_calls, partial(np.divide, out, divisors, out=out)]

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: self.make_sibling(AvgPoolGrad)(dout, x.shape),)


class AvgPoolGrad(_AveragePoolBase):
    """The gradient of AvgPool: spreads each output's gradient evenly over its window.

    Inputs: dy (N, C, OH, OW), the input's shape. Output: (N, C, H, W).
    """

    def infer(self, dy: Spec, input_shape: tuple[int, ...]) -> Spec:
        return Spec(tuple(input_shape), check_dtype_kind(self.name, dy, FLOAT_KINDS, "dy").dtype)

    def kernel(self, dy: np.ndarray, input_shape: Any, *, out: np.ndarray) -> None:
        """Divide dy by the divisors, and copy it to each tap, or add it if windows overlap."""
        win = self.make_window(out.shape[2:])
        share = np.divide(dy, self.compute_divisors(win, dy.dtype))
        if win.is_partition and win.padded == win.size:
            for _, index in win.taps():
                np.copyto(out[(..., *index)], share)
            return
        axis_order = sorted(range(out.ndim), key=lambda i: -abs(out.strides[i]))
        shape = (*out.shape[:2], *win.padded)
        dxp = np.zeros([shape[i] for i in axis_order], out.dtype).transpose(np.argsort(axis_order))
        for _, index in win.taps():
            dxp[(..., *index)] += share
        np.copyto(out, dxp[(..., *win.interior)])

    def vjp(self, dy: Tensor, input_shape: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: self.make_sibling(AvgPool)(dout),)


class AvgPool3D(AvgPool):
    """:class:`AvgPool` with three spatial axes: x (N, C, D, H, W); a ``divisor_override`` of 0
    means None.
    """

    kernel_size: Any = 1
    strides: Any = 1
    pad_mode: str = "valid"
    pad: Any = 0
    ceil_mode: bool = False
    count_include_pad: bool = True
    divisor_override: Any = 0
    data_format: str = "NCDHW"
    dilation: Any = 1
    rank = 3

    def check(self) -> None:
        """Check the attributes, and replace a ``divisor_override`` of 0 by None."""
        super().check()
        self.normalise(divisor_override=self.divisor_override or None)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: self.make_sibling(AvgPool3DGrad)(dout, x.shape),)


class AvgPool3DGrad(AvgPoolGrad):
    """:class:`AvgPoolGrad` with three spatial axes."""

    data_format: str = "NCDHW"
    rank = 3

    def vjp(self, dy: Tensor, input_shape: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: self.make_sibling(AvgPool3D)(dout),)


@also_spelled(input_x="x")
def avg_pool2d(
    x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """Average each window of x (N, C, H, W), which is padded with zeros by ``padding``.

    Args:
        x: (N, C, H, W).
        kernel_size: the size of a window, an int or two.
        stride: the distance between windows, an int or two.
        padding: an int, two, or four (before and after H, before and after W).
        ceil_mode: allow a last window that extends past the end.
        count_include_pad: count the padding as elements.
        divisor_override: a divisor to use instead of the number of elements, unless 0.

    >>> from minispore import Tensor
    >>> import numpy as np
    >>> x = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    >>> print(avg_pool2d(x, 2, 2).asnumpy()[0, 0])
    [[ 2.5  4.5]
     [10.5 12.5]]
    """
    return AvgPool(
        kernel_size, stride, "pad", pad=padding, ceil_mode=ceil_mode,
        count_include_pad=count_include_pad, divisor_override=divisor_override or None,
    )(x)  # fmt: skip


def avg_pool3d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """Average each window of x (N, C, D, H, W); the arguments are those of :func:`avg_pool2d`."""
    return AvgPool3D(
        kernel_size, stride, "pad", padding, ceil_mode, count_include_pad, divisor_override
    )(input_x)


def avg_pool1d(
    input_x: Tensor,
    kernel_size: int = 1,
    stride: int = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Average each window of x (N, C, L), which is padded at both ends by ``padding``, an int or a
    tuple of one.

    Raises:
        TypeError: x is not a Tensor.
    """
    check_tensors("avg_pool1d", input_x=input_x)
    pad = padding if isinstance(padding, int) else padding[0]
    output = avg_pool2d(
        input_x.expand_dims(2),  # the Tensor method registered by the ops
        (1, kernel_size), (1, stride), (0, 0, pad, pad), ceil_mode, count_include_pad,
    )  # fmt: skip
    return output.squeeze(2)


__all__ = [
    "AvgPool",
    "AvgPool3D",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
]
