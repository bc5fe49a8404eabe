"""Pooling: what all pools share, and the largest of each window.

Arrays keep the memory order of their input; with the batch innermost the inner loops are
long. Ties of a maximum send the gradient to the first element of the window in row-major
order, as MindSpore does.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.ops.steps.window import Window, check_rank, paddings, per_axis, window

__all__ = [
    "MaxPool",
    "MaxPool3D",
]

_FORMATS = {2: "NCHW", 3: "NCDHW"}


class _Pool(Primitive):
    """What the pools share: MindSpore's attributes, and the window they slide."""

    kernel_size: Any = 1
    strides: Any = 1
    pad_mode: str = "valid"
    data_format: str = "NCHW"
    pad: Any = 0
    ceil_mode: bool = False
    dilation: Any = 1
    images = True
    layout = LIKE_INPUT
    rank = 2

    def check(self) -> None:
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
        kernel = per_axis(op, "kernel_size", self.kernel_size, rank)
        pad = paddings(op, self.pad, rank)
        if any(pad) and mode != "pad":
            raise ValueError(
                f"{op}: pad must be 0 unless pad_mode is 'pad', got {self.pad!r} with {mode!r}."
            )
        if any(p > k for p, k in zip(pad, [k for k in kernel for _ in range(2)])):
            raise ValueError(
                f"{op}: pad must not exceed kernel_size, got pad {self.pad!r} with kernel {kernel}."
            )
        self.normalise(
            kernel_size=kernel,
            strides=per_axis(op, "strides", self.strides, rank),
            dilation=per_axis(op, "dilation", self.dilation, rank),
            pad=pad,
            pad_mode=mode,
        )

    def over(self, size: tuple[int, ...]) -> Window:
        """The window over an input of spatial size ``size``."""
        steps = self.kernel_size, self.strides, self.dilation
        return window(self.name, tuple(size), *steps, self.pad_mode, self.pad, self.ceil_mode)

    def sibling(self, kind: type[_Pool]) -> Any:
        """Another pool primitive with the same attributes."""
        return kind(**{f: getattr(self, f) for f in kind.fields if f in self.fields})

    def pooled(self, x: Spec) -> Spec:
        """The spec of the output for an input ``x``."""
        check_rank(self.name, "input", x, self.rank)
        return Spec((*x.shape[:2], *self.over(x.shape[2:]).out), x.dtype)


def _padded(x: Any, win: Window, fill: float) -> Any:
    """``x`` within its padding, in x's own memory order; ``x`` itself where there is none."""
    if win.padded == win.size:
        return x
    order = sorted(range(x.ndim), key=lambda i: -abs(x.strides[i]))
    shape = (*x.shape[:2], *win.padded)
    held = np.empty([shape[i] for i in order], x.dtype).transpose(np.argsort(order))
    held.fill(fill)
    held[(..., *win.interior)] = x
    return held


def _lowest(dtype: np.dtype) -> float:
    return -np.inf if dtype.kind in "fV" else np.iinfo(dtype).min


def _reduced(ufunc: np.ufunc, x: np.ndarray, win: Window, out: np.ndarray) -> None:
    """Combine each window of the padded ``x`` by ``ufunc``, one axis after the other."""
    rank = len(win.kernel)
    axes = [i for i in range(rank) if win.kernel[i] > 1 or win.stride[i] > 1]
    if not axes:
        np.copyto(out, x)
        return
    for i in axes:
        axis = x.ndim - rank + i
        k, s, d, o = win.kernel[i], win.stride[i], win.dilation[i], win.out[i]
        parts = [
            x[(slice(None),) * axis + (slice(j * d, j * d + (o - 1) * s + 1, s),)] for j in range(k)
        ]
        if i == axes[-1]:
            made = out
        else:
            made = np.empty_like(parts[0])
        if k == 1:
            np.copyto(made, parts[0])
        else:
            ufunc(parts[0], parts[1], out=made)
            for part in parts[2:]:
                ufunc(made, part, out=made)
        x = made


class MaxPool(_Pool):
    """The largest element of each window.

    Inputs: x (N, C, H, W). Output: (N, C, OH, OW).

    Source: the behaviour of mindspore.ops.MaxPool; ``pad``, ``ceil_mode`` and ``dilation`` serve
    nn.MaxPool2d and ops.max_pool2d.
    """

    chooses = True

    def infer(self, x: Spec) -> Spec:
        return self.pooled(x)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        win = self.over(x.shape[2:])
        _reduced(np.maximum, _padded(x, win, _lowest(x.dtype)), win, out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: self.sibling(MaxPoolGrad)(x, out, dout),)


class MaxPoolGrad(_Pool):
    """Send each output's gradient to the first largest element of its window.

    Inputs: x (N, C, H, W), out = MaxPool(x), dy like out. Output: like x.
    """

    internal = True

    @property
    def chooses(self) -> bool:  # type: ignore[override]
        """Whether no windows overlap, whose gradients would be added."""
        apart = all(k <= s for k, s in zip(self.kernel_size, self.strides))
        return apart and set(self.dilation) == {1}

    def infer(self, x: Spec, y: Spec, dy: Spec) -> Spec:
        return Spec(x.shape, dy.dtype)

    def kernel(self, x: np.ndarray, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray) -> None:
        win = self.over(x.shape[2:])
        xp = _padded(x, win, _lowest(x.dtype))
        if win.tiles and win.padded == win.size:
            for where, hit in _winners(xp, y, win):
                np.multiply(dy, hit, out=out[where])
            return
        dxp = np.zeros_like(xp, dtype=out.dtype)
        for where, hit in _winners(xp, y, win):
            dxp[where] += dy * hit
        np.copyto(out, dxp[(..., *win.interior)])

    def vjp(self, x: Tensor, y: Tensor, dy: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (None, None, lambda: self.sibling(MaxPoolGradGrad)(x, y, dout))


class MaxPoolGradGrad(_Pool):
    """Take from each window of ``ddx`` the element where x has its first largest one.

    Inputs: x and ddx (N, C, H, W), out = MaxPool(x). Output: like out.
    """

    internal = True

    def infer(self, x: Spec, y: Spec, ddx: Spec) -> Spec:
        return Spec(y.shape, ddx.dtype)

    def kernel(self, x: np.ndarray, y: np.ndarray, ddx: np.ndarray, *, out: np.ndarray) -> None:
        win = self.over(x.shape[2:])
        dp = _padded(ddx, win, 0)
        out.fill(0)
        for where, hit in _winners(_padded(x, win, _lowest(x.dtype)), y, win):
            np.copyto(out, dp[where], where=hit)

    def vjp(self, x: Tensor, y: Tensor, ddx: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (None, None, lambda: self.sibling(MaxPoolGrad)(x, y, dout))


def _winners(xp: np.ndarray, y: np.ndarray, win: Window) -> Any:
    """Of each tap its slices of the padded input, and where it is a window's first maximum."""
    free: Any = None
    hit = np.empty_like(y, dtype=bool)
    last = math.prod(win.kernel) - 1
    for n, (_, taps) in enumerate(win.taps()):
        where = (Ellipsis, *taps)
        np.equal(xp[where], y, out=hit)
        if free is None:
            free = np.logical_not(hit) if last else hit
        elif n == last:
            np.copyto(hit, free)  # the maximum is somewhere; a NaN, equal to nothing, is sent here
        else:
            np.logical_and(hit, free, out=hit)
            np.logical_xor(free, hit, out=free)
        yield where, hit


class MaxPool3D(MaxPool):
    """:class:`MaxPool` with three spatial axes: x (N, C, D, H, W)."""

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
        self.normalise(pad=self.pad or self.pad_list, pad_list=0, ceil_mode=bool(self.ceil_mode))
        super().check()

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: self.sibling(MaxPool3DGrad)(x, out, dout),)


class MaxPool3DGrad(MaxPoolGrad):
    """:class:`MaxPoolGrad` with three spatial axes."""

    data_format: str = "NCDHW"
    rank = 3

    def vjp(self, x: Tensor, y: Tensor, dy: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (None, None, lambda: self.sibling(MaxPool3DGradGrad)(x, y, dout))


class MaxPool3DGradGrad(MaxPoolGradGrad):
    """:class:`MaxPoolGradGrad` with three spatial axes."""

    data_format: str = "NCDHW"
    rank = 3

    def vjp(self, x: Tensor, y: Tensor, ddx: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (None, None, lambda: self.sibling(MaxPool3DGrad)(x, y, dout))
