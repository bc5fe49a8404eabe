"""Pooling: what all pools share, and the largest of each window.

Arrays keep the memory order of their input; with the batch innermost the inner loops are
long. Ties of a maximum send the gradient to the first element of the window in row-major
order, as MindSpore does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

import numpy as np

from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Calls, Primitive
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.ops.elementwise.bases import a_kind, bits
from minispore.ops.steps.window import (
    Window,
    check_rank,
    normalise_padding,
    normalise_per_axis,
    window,
)

__all__ = [
    "MaxPool",
    "MaxPool3D",
]

_FORMATS = {2: "NCHW", 3: "NCDHW"}
_KINDS = "iufV"  # of numbers of which one is the largest


class _Pool(Primitive):
    """What the pools share: MindSpore's attributes, and the window they slide."""

    kernel_size: Any = 1
    strides: Any = 1
    pad_mode: str = "valid"
    data_format: str = "NCHW"
    pad: Any = 0
    ceil_mode: bool = False
    dilation: Any = 1
    has_feature_maps = True
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

    def over(self, size: tuple[int, ...]) -> Window:
        """The window over an input of spatial size ``size``."""
        steps = self.kernel_size, self.strides, self.dilation
        return window(self.name, tuple(size), *steps, self.pad_mode, self.pad, self.ceil_mode)

    def sibling(self, kind: type[_Pool]) -> Any:
        """Another pool primitive with the same attributes."""
        return kind(**{f: getattr(self, f) for f in kind.fields if f in self.fields})

    def pooled(self, x: Spec) -> Spec:
        """The spec of the output for an input ``x``."""
        check_rank(self.name, "input", a_kind(self.name, x, _KINDS), self.rank)
        return Spec((*x.shape[:2], *self.over(x.shape[2:]).out), x.dtype)


def _padded(x: Any, win: Window, fill: float) -> Any:
    """``x`` within its padding, in x's own memory order; ``x`` itself where there is none."""
    if win.padded == win.size:
        return x
    held = _lying(np.empty(math.prod((*x.shape[:2], *win.padded)), x.dtype), x, win.padded)
    for call in _put(x, win, fill, held):
        call()
    return held


def _put(x: np.ndarray, win: Window, fill: float, held: np.ndarray) -> Calls:
    """Copy ``x`` into its padding."""
    return [partial(held.fill, fill), partial(np.copyto, held[(..., *win.interior)], x)]


def _lying(room: np.ndarray, x: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    """A vector as images of a spatial ``size`` that lie in memory as those of ``x`` do."""
    order = sorted(range(x.ndim), key=lambda i: -abs(x.strides[i]))
    shape = (*x.shape[:2], *size)
    place = sorted(range(x.ndim), key=order.__getitem__)
    return room.reshape([shape[i] for i in order]).transpose(place)


def _lowest(dtype: np.dtype) -> float:
    return -np.inf if dtype.kind in "fV" else np.iinfo(dtype).min


class _Reducing(_Pool):
    """What combines each window by a ufunc, one axis after the other."""

    ufunc: ClassVar[np.ufunc]

    def fill(self, dtype: np.dtype) -> float:
        """What the padding holds."""
        return 0

    def scratch(self, x: Spec) -> tuple[Spec, ...]:
        images = math.prod(x.shape[:2])
        sizes = _on_the_way(self.over(x.shape[2:]))
        return tuple([Spec((images * math.prod(size),), x.dtype) for size in sizes])

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        win = self.over(x.shape[2:])
        made = [_lying(w, x, size) for w, size in zip(work, _on_the_way(win), strict=True)]
        calls: Calls = []
        if win.padded != win.size:
            padded = made.pop(0)
            calls = _put(x, win, self.fill(x.dtype), padded)
            x = padded
        axes = _reduced_axes(win)
        if not axes:
            return [*calls, partial(np.copyto, out, x)]
        for i, to in zip(axes, [*made, out], strict=True):
            first, *more = _taps(x, win, i)
            if not more:
                calls.append(partial(np.copyto, to, first))
            for part in more:
                calls.append(partial(self.ufunc, first, part, out=to))
                first = to
            x = to
        return calls


def _reduced_axes(win: Window) -> list[int]:
    """The spatial axes along which a window is more than its one element."""
    return [i for i, (k, s) in enumerate(zip(win.kernel, win.stride)) if k > 1 or s > 1]


def _on_the_way(win: Window) -> list[tuple[int, ...]]:
    """The spatial sizes of what is made on the way from an input to its reduced windows: the padded
    input, if it is padded, then what each axis gives but the last.
    """
    padded = [win.padded] if win.padded != win.size else []
    return padded + [(*win.out[: i + 1], *win.padded[i + 1 :]) for i in _reduced_axes(win)[:-1]]


def _taps(x: np.ndarray, win: Window, i: int) -> list[np.ndarray]:
    """What each place of the window meets along spatial axis ``i``."""
    axis = x.ndim - len(win.kernel) + i
    step, apart, count = win.stride[i], win.dilation[i], win.out[i]
    starts = [j * apart for j in range(win.kernel[i])]
    lead = (slice(None),) * axis
    return [x[(*lead, slice(j, j + (count - 1) * step + 1, step))] for j in starts]


class MaxPool(_Reducing):
    """The largest element of each window.

    Inputs: x (N, C, H, W). Output: (N, C, OH, OW).

    Source: the behaviour of mindspore.ops.MaxPool; ``pad``, ``ceil_mode`` and ``dilation`` serve
    nn.MaxPool2d and ops.max_pool2d.
    """

    selects_elements = True
    ufunc = np.maximum

    def infer(self, x: Spec) -> Spec:
        return self.pooled(x)

    def fill(self, dtype: np.dtype) -> float:
        return _lowest(dtype)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: self.sibling(MaxPoolGrad)(x, out, dout),)


class MaxPoolGrad(_Pool):
    """Send each output's gradient to the first largest element of its window.

    Inputs: x (N, C, H, W), out = MaxPool(x), dy like out. Output: like x.
    """

    internal = True

    @property
    def selects_elements(self) -> bool:  # type: ignore[override]
        """Whether no windows overlap, whose gradients would be added."""
        apart = all(k <= s for k, s in zip(self.kernel_size, self.strides))
        return apart and set(self.dilation) == {1}

    def infer(self, x: Spec, y: Spec, dy: Spec) -> Spec:
        return Spec(x.shape, a_kind(self.name, dy, _KINDS).dtype)

    def scratch(self, x: Spec, y: Spec, dy: Spec) -> tuple[Spec, ...]:
        win = self.over(x.shape[2:])
        mask = Spec((y.size,), np.dtype(bool))
        if win.is_partition and win.padded == win.size:
            return mask, mask
        padded = math.prod((*x.shape[:2], *win.padded))
        kinds = [dy.dtype] if win.padded == win.size else [dy.dtype, x.dtype]
        return mask, mask, Spec((y.size,), dy.dtype), *[Spec((padded,), kind) for kind in kinds]

    def calls(
        self, x: np.ndarray, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray, work: Any
    ) -> Calls:
        win, calls = self.over(x.shape[2:]), Calls()
        masks = [_lying(room, y, win.out) for room in work[:2]]
        if win.is_partition and win.padded == win.size:
            for where, found, hit in _winners(x, y, win, *masks):
                calls += [*found, partial(np.multiply, bits(dy), hit, out=bits(out[where]))]
            return calls
        kept = _lying(work[2], dy, win.out)
        dxp, *padded = [_lying(room, x, win.padded) for room in work[3:]]
        calls.append(partial(dxp.fill, 0))
        for xp in padded:
            calls += _put(x, win, _lowest(x.dtype), xp)
            x = xp
        for where, found, hit in _winners(x, y, win, *masks):
            part = dxp[where]
            calls += [
                *found,
                partial(np.multiply, bits(dy), hit, out=bits(kept)),
                partial(np.add, part, kept, out=part),
            ]
        return [*calls, partial(np.copyto, out, dxp[(..., *win.interior)])]

    def vjp(self, x: Tensor, y: Tensor, dy: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (None, None, lambda: self.sibling(MaxPoolGradGrad)(x, y, dout))


class MaxPoolGradGrad(_Pool):
    """Take from each window of ``ddx`` the element where x has its first largest one.

    Inputs: x and ddx (N, C, H, W), out = MaxPool(x). Output: like out.
    """

    internal = True

    def infer(self, x: Spec, y: Spec, ddx: Spec) -> Spec:
        return Spec(y.shape, a_kind(self.name, ddx, _KINDS).dtype)

    def kernel(self, x: np.ndarray, y: np.ndarray, ddx: np.ndarray, *, out: np.ndarray) -> None:
        win = self.over(x.shape[2:])
        dp = _padded(ddx, win, 0)
        out.fill(0)
        for where, hit in _hits(_padded(x, win, _lowest(x.dtype)), y, win):
            np.copyto(out, dp[where], where=hit)

    def vjp(self, x: Tensor, y: Tensor, ddx: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (None, None, lambda: self.sibling(MaxPoolGrad)(x, y, dout))


def _winners(
    xp: np.ndarray, y: np.ndarray, win: Window, free: np.ndarray, hit: np.ndarray
) -> Iterator[tuple[Any, Calls, np.ndarray]]:
    """Of each tap its slices of the padded input, and whether it is a window's first maximum: the
    calls that find that out, into ``hit`` or ``free``, and where they write it.
    """
    last = math.prod(win.kernel) - 1
    for n, (_, taps) in enumerate(win.taps()):
        where = (Ellipsis, *taps)
        if n and n == last:
            yield where, [], free  # the maximum is somewhere; a NaN, equal to nothing, is sent here
            return
        found: Calls = [partial(np.equal, xp[where], y, out=hit)]
        if n:
            found.append(partial(np.logical_and, hit, free, out=hit))
            found.append(partial(np.logical_xor, free, hit, out=free))
        else:
            found.append(partial(np.logical_not, hit, out=free))
        yield where, found, hit


def _hits(xp: np.ndarray, y: np.ndarray, win: Window) -> Iterator[tuple[Any, np.ndarray]]:
    """Of each tap its slices of the padded input, and whether it is a window's first maximum."""
    masks = np.empty_like(y, dtype=bool), np.empty_like(y, dtype=bool)
    for where, calls, hit in _winners(xp, y, win, *masks):
        for call in calls:
            call()
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
