"""Max pools, and the base classes of all pools.

Outputs have the memory order of their input; with the batch innermost, the inner loops are long. If
a window has several equal maxima, the first in row-major order gets the gradient, as in MindSpore.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Arithmetic, Calls, Cotangents, Primitive
from minispore.core.tensor import Tensor
from minispore.execution.layout import LIKE_INPUT
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind, view_as_integers
from minispore.ops.steps.window import (
    Window,
    check_rank,
    compute_window,
    normalise_padding,
    normalise_per_axis,
)
from minispore.ops.support.arguments import FLOAT_KINDS, ORDERED_KINDS

__all__ = [
    "MaxPool",
    "MaxPool3D",
]

_FORMATS = {2: "NCHW", 3: "NCDHW"}


class _Pool(Primitive):
    """Base of the pools: MindSpore's attributes and the sliding window.

    ``pad`` is used with ``pad_mode`` "pad" only. ``rank`` is the number of spatial axes.
    """

    kernel_size: Any = 1
    strides: Any = 1
    pad_mode: str = "valid"
    data_format: str = "NCHW"
    pad: Any = 0
    ceil_mode: bool = False
    dilation: Any = 1
    layout = LIKE_INPUT
    rank = 2

    def check(self) -> None:
        """Check the attributes; normalise sizes to one per axis, padding to (before, after), the
        mode to lower case.

        Raises:
            TypeError: a size is neither an int nor a tuple of ints.
            ValueError: an attribute is out of range, or the padding of an axis exceeds its kernel
                size.
        """
        op, rank = self.name, self.rank
        mode = self.pad_mode.lower() if isinstance(self.pad_mode, str) else self.pad_mode
        if mode not in ("valid", "same", "pad"):
            raise ValueError(
                f"{op}: pad_mode must be 'valid', 'same' or 'pad', got {self.pad_mode!r}."
            )
        if self.data_format != _FORMATS[rank]:
            raise ValueError(
                f"{op}: data_format must be {_FORMATS[rank]!r}, got {self.data_format!r}. "
                "Transpose the input with ops.transpose."
            )
        kernel = normalise_per_axis(op, "kernel_size", self.kernel_size, rank)
        pad = normalise_padding(op, self.pad, rank)
        if any(pad) and mode != "pad":
            raise ValueError(
                f"{op}: pad must be 0 unless pad_mode is 'pad', got {self.pad!r} with {mode!r}."
            )
        if any(pad[2 * i] + pad[2 * i + 1] > k for i, k in enumerate(kernel)):
            raise ValueError(
                f"{op}: pad of both sides of an axis must not exceed kernel_size together, got pad "
                f"{self.pad!r} with kernel {kernel}."
            )
        self.normalise(
            kernel_size=kernel,
            strides=normalise_per_axis(op, "strides", self.strides, rank),
            dilation=normalise_per_axis(op, "dilation", self.dilation, rank),
            pad=pad,
            pad_mode=mode,
        )

    def make_window(self, size: tuple[int, ...]) -> Window:
        """Return the sliding window over an input of spatial size ``size``.

        Raises:
            ValueError: the kernel does not fit into the padded input (AvgPool: also a
                RuntimeError).
        """
        steps = self.kernel_size, self.strides, self.dilation
        return compute_window(
            self.name, tuple(size), *steps, self.pad_mode, self.pad, self.ceil_mode
        )

    def make_sibling(self, cls: type[_Pool]) -> Any:
        """Return an op of another pool class with the values of all attributes that both classes
        have.
        """
        return cls(**{f: getattr(self, f) for f in cls.fields if f in self.fields})

    def infer_output(self, x: Spec) -> Spec:
        """Check the input ``x`` (N, C, *spatial) and return the spec of the pooled output, in the
        dtype of x.

        Raises:
            TypeError: ``x`` is not a real tensor.
            ValueError: ``x`` has a wrong number of axes, or the kernel does not fit into it.
        """
        check_rank(self.name, "input", check_dtype_kind(self.name, x, ORDERED_KINDS), self.rank)
        return Spec((*x.shape[:2], *self.make_window(x.shape[2:]).out), x.dtype)


def pad_input(x: Any, win: Window, fill: float) -> Any:
    """Return x padded by ``fill``, in the memory order of x; x itself if the window has no
    padding.
    """
    if win.padded == win.size:
        return x
    padded = _view_in_memory_order(
        np.empty(math.prod((*x.shape[:2], *win.padded)), x.dtype), x, win.padded
    )
    for call in _make_padding_calls(x, win, fill, padded):
        call()
    return padded


def _make_padding_calls(x: np.ndarray, win: Window, fill: float, padded: np.ndarray) -> Calls:
    """Return calls that fill an array with the padding value and copy x into its interior."""
    return [partial(padded.fill, fill), partial(np.copyto, padded[(..., *win.interior)], x)]


def _view_in_memory_order(flat: np.ndarray, x: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    """View a flat array as images (N, C, *size) whose axes lie in memory in the order of those of
    ``x``.
    """
    axis_order = sorted(range(x.ndim), key=lambda i: -abs(x.strides[i]))
    shape = (*x.shape[:2], *size)
    inverse_order = sorted(range(x.ndim), key=axis_order.__getitem__)
    return flat.reshape([shape[i] for i in axis_order]).transpose(inverse_order)


def get_lowest_value(dtype: np.dtype) -> float:
    """Return the identity element of the maximum over ``dtype``: -inf or the smallest integer."""
    return -np.inf if dtype.kind in FLOAT_KINDS else np.iinfo(dtype).min


class _ReducingPool(_Pool):
    """Base of pools that combine each window by a ufunc, one axis after the other."""

    ufunc: ClassVar[np.ufunc]

    def get_padding_value(self, dtype: np.dtype) -> float:
        """Return the padding value, which must not change a window's result: here 0, for sums."""
        return 0

    def scratch(self, x: Spec) -> tuple[Spec, ...]:
        """Return the spec of a flat buffer for each intermediate array, including the padded
        input.
        """
        images = math.prod(x.shape[:2])
        sizes = _compute_intermediate_sizes(self.make_window(x.shape[2:]))
        return tuple([Spec((images * math.prod(size),), x.dtype) for size in sizes])

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return calls that pad x, then combine the taps along one axis after the other.

        If windows have one element and stride 1, x is only copied.
        """
        win = self.make_window(x.shape[2:])
        intermediates = [
            _view_in_memory_order(w, x, size)
            for w, size in zip(work, _compute_intermediate_sizes(win), strict=True)
        ]
        calls: Calls = []
        if win.padded != win.size:  # then the first intermediate is the padded input
            padded = intermediates.pop(0)
            calls = _make_padding_calls(x, win, self.get_padding_value(x.dtype), padded)
            x = padded
        axes = _find_reduced_axes(win)
        if not axes:
            return [*calls, partial(np.copyto, out, x)]
        for i, target in zip(axes, [*intermediates, out], strict=True):
            first_tap, *later_taps = _view_axis_taps(x, win, i)
            if not later_taps:
                calls.append(partial(np.copyto, target, first_tap))
            for j, tap in enumerate(later_taps):
                left = target if j else first_tap  # target holds the result of the taps so far
                calls.append(partial(self.ufunc, left, tap, out=target))
            x = target
        return calls


def _find_reduced_axes(win: Window) -> list[int]:
    """Return the spatial axes along which a window has several elements or a stride above 1."""
    return [i for i, (k, s) in enumerate(zip(win.kernel, win.stride)) if k > 1 or s > 1]


def _compute_intermediate_sizes(win: Window) -> list[tuple[int, ...]]:
    """Return the spatial sizes of the intermediate arrays between an input and its pooled output.

    These are the padded input, if there is padding, then the result of each reduced axis but the
    last.
    """
    padded = [win.padded] if win.padded != win.size else []
    return padded + [
        (*win.out[: i + 1], *win.padded[i + 1 :]) for i in _find_reduced_axes(win)[:-1]
    ]


def _view_axis_taps(x: np.ndarray, win: Window, i: int) -> list[np.ndarray]:
    """Return a strided view of the padded input x for each element of the window along spatial axis
    ``i``.

    Each has one element per window along that axis.
    """
    axis = x.ndim - len(win.kernel) + i
    stride, dilation, count = win.stride[i], win.dilation[i], win.out[i]
    starts = [j * dilation for j in range(win.kernel[i])]
    leading_axes = (slice(None),) * axis
    return [x[(*leading_axes, slice(j, j + (count - 1) * stride + 1, stride))] for j in starts]


class MaxPool(_ReducingPool):
    """The maximum of each window; padding is never the maximum.

    Inputs: x (N, C, H, W). Output: (N, C, OH, OW).

    Inputs: x (N, C, H, W). Output: (N, C, OH, OW).

    Source: the behaviour of mindspore.ops.MaxPool; ``pad``, ``ceil_mode`` and ``dilation`` are for
    nn.MaxPool2d and ops.max_pool2d.
    """

    arithmetic = Arithmetic.EXACT
    ufunc = np.maximum

    def infer(self, x: Spec) -> Spec:
        return self.infer_output(x)

    def get_padding_value(self, dtype: np.dtype) -> float:
        """Return the lowest value of the dtype, which never exceeds an element of x."""
        return get_lowest_value(dtype)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: self.make_sibling(MaxPoolGrad)(x, out, dout),)


class MaxPoolGrad(_Pool):
    """The gradient of MaxPool: adds each output's gradient to the first maximum of its window.

    Inputs: x (N, C, H, W), out = MaxPool(x), dy like out. Output: like x.
    """

    @property
    def arithmetic(self) -> Arithmetic:  # type: ignore[override]
        """EXACT if no windows overlap, so that gradients are copied and never added."""
        is_disjoint = all(k <= s for k, s in zip(self.kernel_size, self.strides))
        is_exact = is_disjoint and set(self.dilation) == {1}
        return Arithmetic.EXACT if is_exact else Arithmetic.ROUNDED

    def infer(self, x: Spec, y: Spec, dy: Spec) -> Spec:
        return Spec(x.shape, check_dtype_kind(self.name, dy, ORDERED_KINDS).dtype)

    def scratch(self, x: Spec, y: Spec, dy: Spec) -> tuple[Spec, ...]:
        """Return specs of two masks; if windows overlap or are padded, also of the masked dy and
        padded arrays.
        """
        win = self.make_window(x.shape[2:])
        unclaimed = is_maximum = Spec((y.size,), np.dtype(bool))
        if win.is_partition and win.padded == win.size:
            return unclaimed, is_maximum
        selected = Spec((y.size,), dy.dtype)
        padded_size = math.prod((*x.shape[:2], *win.padded))
        # The padded gradient, and the padded input if there is padding.
        dtypes = [dy.dtype] if win.padded == win.size else [dy.dtype, x.dtype]
        padded = [Spec((padded_size,), dtype) for dtype in dtypes]
        return unclaimed, is_maximum, selected, *padded

    def calls(
        self, x: np.ndarray, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray, work: Any
    ) -> Calls:
        """Return calls that route dy to the first maximum of each window.

        It is copied if the windows partition x, else added. A window with a NaN routes dy to its
        last element.
        """
        win, calls, dy_bits = self.make_window(x.shape[2:]), Calls(), view_as_integers(dy)
        masks = [_view_in_memory_order(buffer, y, win.out) for buffer in work[:2]]
        # The bits of dy are multiplied by the masks, so that inf and NaN times False are 0.
        if win.is_partition and win.padded == win.size:
            for index, mask_calls, is_maximum in _make_first_maximum_calls(x, y, win, *masks):
                target = view_as_integers(out[index])
                calls += [*mask_calls, partial(np.multiply, dy_bits, is_maximum, out=target)]
            return calls
        selected = _view_in_memory_order(work[2], dy, win.out)
        dxp, *padded = [_view_in_memory_order(buffer, x, win.padded) for buffer in work[3:]]
        calls.append(partial(dxp.fill, 0))
        for padded_x in padded:
            calls += _make_padding_calls(x, win, get_lowest_value(x.dtype), padded_x)
            x = padded_x
        for index, mask_calls, is_maximum in _make_first_maximum_calls(x, y, win, *masks):
            target = dxp[index]
            calls += [
                *mask_calls,
                partial(
                    np.multiply, view_as_integers(dy), is_maximum, out=view_as_integers(selected)
                ),
                partial(np.add, target, selected, out=target),
            ]
        return [*calls, partial(np.copyto, out, dxp[(..., *win.interior)])]

    def vjp(self, x: Tensor, y: Tensor, dy: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (None, None, lambda: self.make_sibling(MaxPoolGradGrad)(x, y, dout))


class MaxPoolGradGrad(_Pool):
    """The gradient of MaxPoolGrad by dy: in each window, the element of ``ddx`` at the first
    maximum of x.

    Inputs: x and ddx (N, C, H, W), out = MaxPool(x). Output: like out.
    """

    def infer(self, x: Spec, y: Spec, ddx: Spec) -> Spec:
        return Spec(y.shape, check_dtype_kind(self.name, ddx, ORDERED_KINDS).dtype)

    def kernel(self, x: np.ndarray, y: np.ndarray, ddx: np.ndarray, *, out: np.ndarray) -> None:
        """Copy the element of ``ddx`` at the first maximum of x in each window."""
        win = self.make_window(x.shape[2:])
        dp = pad_input(ddx, win, 0)
        out.fill(0)
        for index, is_maximum in iterate_first_maxima(
            pad_input(x, win, get_lowest_value(x.dtype)), y, win
        ):
            np.copyto(out, dp[index], where=is_maximum)

    def vjp(self, x: Tensor, y: Tensor, ddx: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (None, None, lambda: self.make_sibling(MaxPoolGrad)(x, y, dout))


def _make_first_maximum_calls(
    xp: np.ndarray, y: np.ndarray, win: Window, unclaimed: np.ndarray, is_maximum: np.ndarray
) -> Iterator[tuple[Any, Calls, np.ndarray]]:
    """Yield for each tap of the window its index into the padded input, the calls to run, and a
    mask.

    After the calls, the mask (``is_maximum`` or ``unclaimed``) is True for windows whose first
    maximum is this tap. Both are overwritten by the calls of the next tap, so the taps must be
    handled in order.
    """
    last = math.prod(win.kernel) - 1
    for position, (_, taps) in enumerate(win.taps()):
        index = (Ellipsis, *taps)
        if position and position == last:
            # The last tap is the maximum of all unclaimed windows, or there is a NaN, which equals
            # nothing.
            yield index, [], unclaimed
            return
        calls: Calls = [partial(np.equal, xp[index], y, out=is_maximum)]
        if position:
            calls.append(partial(np.logical_and, is_maximum, unclaimed, out=is_maximum))
            calls.append(partial(np.logical_xor, unclaimed, is_maximum, out=unclaimed))
        else:
            calls.append(partial(np.logical_not, is_maximum, out=unclaimed))
        yield index, calls, is_maximum


def iterate_first_maxima(
    xp: np.ndarray, y: np.ndarray, win: Window
) -> Iterator[tuple[Any, np.ndarray]]:
    """Yield each tap's index into the padded input, and a mask of the windows whose first maximum
    it is.

    The next iteration overwrites the mask. A window with a NaN counts for its last tap.
    """
    masks = np.empty_like(y, dtype=bool), np.empty_like(y, dtype=bool)
    for index, calls, is_maximum in _make_first_maximum_calls(xp, y, win, *masks):
        for call in calls:
            call()
        yield index, is_maximum


class MaxPool3D(MaxPool):
    """:class:`MaxPool` with three spatial axes: x (N, C, D, H, W).

    ``pad_list`` is MindSpore's other name of ``pad``; a ``ceil_mode`` of None means False.
    """

    kernel_size: Any = 1
    strides: Any = 1
    pad_mode: str = "valid"
    pad_list: Any = 0
    ceil_mode: Any = None
    data_format: str = "NCDHW"
    pad: Any = 0
    dilation: Any = 1
    rank = 3

    def check(self) -> None:
        """Merge ``pad_list`` into ``pad``, replace a ``ceil_mode`` of None by False, and check all
        attributes.
        """
        self.normalise(pad=self.pad or self.pad_list, pad_list=0, ceil_mode=bool(self.ceil_mode))
        super().check()

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: self.make_sibling(MaxPool3DGrad)(x, out, dout),)


class MaxPool3DGrad(MaxPoolGrad):
    """:class:`MaxPoolGrad` with three spatial axes."""

    data_format: str = "NCDHW"
    rank = 3

    def vjp(self, x: Tensor, y: Tensor, dy: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (None, None, lambda: self.make_sibling(MaxPool3DGradGrad)(x, y, dout))


class MaxPool3DGradGrad(MaxPoolGradGrad):
    """:class:`MaxPoolGradGrad` with three spatial axes."""

    data_format: str = "NCDHW"
    rank = 3

    def vjp(self, x: Tensor, y: Tensor, ddx: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (None, None, lambda: self.make_sibling(MaxPool3DGrad)(x, y, dout))
