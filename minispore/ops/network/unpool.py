"""Max pools that say where each largest element was, and max pools undone."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.foundation import checks
from minispore.ops.index.scatter import tensor_scatter_elements
from minispore.ops.network.pool import (
    MaxPool,
    MaxPool3D,
    MaxPool3DGrad,
    MaxPoolGrad,
    _hits,
    _lowest,
    _padded,
    _Pool,
)
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.shape.whole import zeros
from minispore.ops.support.arguments import to_static
from minispore.ops.support.derive import _Composite


class _Argmax(_Pool):
    """A pool whose second output says where in its plane each largest element was."""

    argmax_type: Any = "int64"
    partial = True
    pool: ClassVar[type[_Pool]] = MaxPool

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        y = self.pooled(x)
        return y, Spec(y.shape, np.dtype(self.argmax_type))

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        win = self.over(x.shape[2:])
        y, index = out
        xp = _padded(x, win, _lowest(x.dtype))
        self.sibling(self.pool).kernel(x, out=y)
        place = np.arange(math.prod(win.size)).reshape(win.size)
        place = np.pad(place, list(zip(win.low, win.high)))
        for where, hit in _hits(xp, y, win):
            np.copyto(index, place[where], where=hit)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Any:
        if dout[0] is None:
            return (None,)
        return (lambda: self.sibling(MaxPoolGrad)(x, out[0], dout[0]),)


class MaxPoolWithArgmaxV2(_Argmax):
    """The largest element of each window and its flat position in the input plane.

    Inputs: x (N, C, H, W). Outputs: (N, C, OH, OW) twice, the second of ``argmax_type``.
    """

    kernel_size: Any
    strides: Any = None
    pads: Any = 0
    dilation: Any = 1
    ceil_mode: bool = False
    argmax_type: Any = "int64"
    pad_mode: str = "pad"
    data_format: str = "NCHW"
    pad: Any = 0

    def check(self) -> None:
        kind = str(getattr(self.argmax_type, "name", self.argmax_type))
        if kind not in ("int32", "int64"):
            raise ValueError(f"{self.name}: argmax_type must be int32 or int64, got {kind!r}.")
        self.normalise(
            strides=self.kernel_size if self.strides is None else self.strides,
            pad=self.pads,
            argmax_type=kind,
        )
        super().check()


class MaxPoolWithArgmax(_Argmax):
    """The largest element of each window and its flat position among the (C, H, W) of its sample.

    Inputs: x (N, C, H, W). Outputs: (N, C, OH, OW) twice, the second int32.

    >>> y, where = MaxPoolWithArgmax(2, 2)(
    ...     Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    ... )
    >>> print(where)
    [[[[ 5  7]
       [13 15]]]]
    """

    argmax_type: Any = "int32"

    def check(self) -> None:
        if not isinstance(self.pad_mode, str) or self.pad_mode.lower() not in ("valid", "same"):
            raise ValueError(
                f"{self.name}: pad_mode must be 'valid' or 'same', got {self.pad_mode!r}."
            )
        super().check()

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        super().kernel(x, out=out)
        planes = np.arange(x.shape[1], dtype=np.int32) * math.prod(x.shape[2:])
        out[1][...] += planes[:, None, None]


class MaxPool3DWithArgmax(MaxPoolWithArgmaxV2):
    """The largest element of each window and its flat position in the input volume.

    Inputs: x (N, C, D, H, W). Outputs: (N, C, OD, OH, OW) twice, the second of ``argmax_type``.

    >>> x = Tensor(np.arange(8, dtype=np.float32).reshape(1, 1, 2, 2, 2))
    >>> y, where = MaxPool3DWithArgmax(2, 2, 0)(x)
    >>> print(y, where)
    [[[[[7.]]]]] [[[[[7]]]]]
    """

    kernel_size: Any
    strides: Any
    pads: Any
    dilation: Any = (1, 1, 1)
    ceil_mode: bool = False
    data_format: str = "NCDHW"
    argmax_type: Any = "int64"
    pad_mode: str = "pad"
    pad: Any = 0
    rank = 3
    pool = MaxPool3D

    def __init__(
        self,
        ksize: Any,
        strides: Any,
        pads: Any,
        dilation: Any = (1, 1, 1),
        ceil_mode: bool = False,
        data_format: str = "NCDHW",
        argmax_type: Any = "int64",
    ) -> None:
        super().__init__(ksize, strides, pads, dilation, ceil_mode, data_format, argmax_type)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Any:
        if dout[0] is None:
            return (None,)
        return (lambda: self.sibling(MaxPool3DGrad)(x, out[0], dout[0]),)


def max_pool2d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """The largest element of each window of x (N, C, H, W), and its flat position if asked for.

    >>> from minispore import Tensor
    >>> import numpy as np
    >>> x = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    >>> print(max_pool2d(x, 2).asnumpy()[0, 0])
    [[ 5.  7.]
     [13. 15.]]
    """
    op = MaxPoolWithArgmaxV2(kernel_size, stride, padding, dilation, ceil_mode)
    if return_indices:
        return op(x)
    return op.sibling(MaxPool)(x)


def max_pool3d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of x (N, C, D, H, W), and its place if asked for."""
    op = MaxPool3DWithArgmax(kernel_size, stride, padding, dilation, ceil_mode)
    if return_indices:
        return op(x)
    return op.sibling(MaxPool3D)(x)


def each(owner: str, name: str, value: Any, count: int, least: int) -> tuple[int, ...]:
    """An int, or one for each of ``count`` axes, as a tuple.

    Raises:
        ValueError: there are others than ``count``, or one below ``least``.
        TypeError: one is no int.
    """
    items = value if isinstance(value, tuple | list) else (value,) * count
    if len(items) != count:
        raise ValueError(f"{owner}: {name} must have {count} numbers, got {value!r}.")
    return tuple(checks.integer(owner, name, n, least) for n in items)


def unpooled(
    owner: str,
    axes: int,
    x: Tensor,
    indices: Tensor,
    window: tuple[Any, Any, Any],
    output_size: Any,
) -> Tensor:
    """Each element of ``x`` at the place in its channel that ``indices`` says, zeros elsewhere;
    ``window`` is kernel size, stride and padding of the pool.
    """
    for name, t in (("x", x), ("indices", indices)):
        if not isinstance(t, Tensor):
            raise TypeError(f"{owner}: {name} must be a Tensor, got {t!r} ({type(t).__name__}).")
    if x.ndim not in (axes + 1, axes + 2):
        raise ValueError(
            f"{owner}: x must have {axes + 1} or {axes + 2} axes, got shape {x.shape}."
        )
    if indices.shape != x.shape:
        raise ValueError(
            f"{owner}: indices must have the shape of x, got {indices.shape} and {x.shape}."
        )
    lead = x.shape[:-axes]
    sizes = _sizes(owner, x.shape[-axes:], _window(owner, axes, window), to_static(output_size))
    rows = (math.prod(lead), -1)
    empty = zeros((rows[0], math.prod(sizes)), x.dtype)
    filled = tensor_scatter_elements(empty, Reshape()(indices, rows), Reshape()(x, rows), 1)
    return Reshape()(filled, (*lead, *sizes))


def _window(owner: str, axes: int, window: tuple[Any, Any, Any]) -> Any:
    kernel, stride, padding = window
    size = each(owner, "kernel_size", kernel, axes, 1)
    step = each(owner, "stride", 0 if stride is None else stride, axes, 0)
    return size, step if any(step) else size, each(owner, "padding", padding, axes, 0)


def _sizes(owner: str, sizes: tuple[int, ...], window: Any, wanted: Any) -> tuple[int, ...]:
    """The spatial axes of the output."""
    kernel, stride, padding = window
    made = tuple(
        (n - 1) * s - 2 * p + k for n, k, s, p in zip(sizes, kernel, stride, padding, strict=True)
    )
    if wanted is None or wanted == ():
        return made
    if not isinstance(wanted, tuple) or len(wanted) < len(made):
        raise ValueError(
            f"{owner}: output_size must be a tuple of at least {len(made)} ints, got {wanted!r}."
        )
    wanted = wanted[-len(made) :]
    if any(abs(w - m) > s for w, m, s in zip(wanted, made, stride, strict=True)):
        raise ValueError(f"{owner}: output_size must be within one stride of {made}, got {wanted}.")
    return wanted


class MaxUnpool2D(_Composite):
    """A max pool undone: each element of x at the place in its channel that ``argmax`` says, zeros
    elsewhere.

    >>> x, where = Tensor([[[[5.0]]]]), Tensor([[[[3]]]])
    >>> print(MaxUnpool2D(2)(x, where))
    [[[[0. 0.]
       [0. 5.]]]]
    """

    ksize: Any
    strides: Any = 0
    pads: Any = 0
    output_shape: Any = ()
    data_format: str = "NCHW"
    formats: ClassVar[tuple[str, ...]] = ("NCHW", "NHWC")

    def check(self) -> None:
        checks.one_of(self.name, "data_format", self.data_format, self.formats)
        axes = len(self.data_format)
        if len(self.output_shape) not in (0, axes):
            raise ValueError(
                f"{self.name}: output_shape must be () or have {axes} axes, got "
                f"{self.output_shape}."
            )

    def __call__(self, x: Tensor, argmax: Tensor) -> Tensor:
        axes = len(self.data_format) - 2
        order = [self.data_format.index(axis) for axis in self.formats[0]]
        wanted = tuple(self.output_shape[i] for i in order) if self.output_shape else ()
        if x.ndim != axes + 2 or wanted[:2] not in ((), tuple(x.shape[i] for i in order[:2])):
            rule = f"have {axes + 2} axes, N and C those of output_shape"
            raise ValueError(checks.format_error(self.name, "x", rule, f"shape {x.shape}"))
        if argmax.dtype.name not in ("int32", "int64"):
            raise TypeError(f"{self.name}: argmax must be int32 or int64, got {argmax.dtype}.")
        window = (self.ksize, self.strides, self.pads)
        if order[1] == 1:
            return unpooled(self.name, axes, x, argmax, window, wanted)
        x, argmax = (Transpose()(t, tuple(order)) for t in (x, argmax))
        made = unpooled(self.name, axes, x, argmax, window, wanted)
        return Transpose()(made, tuple(self.formats[0].index(c) for c in self.data_format))


class MaxUnpool3D(MaxUnpool2D):
    """As :class:`MaxUnpool2D`, of (N, C, D, H, W).

    >>> print(MaxUnpool3D((1, 1, 2))(Tensor([[[[[5.0]]]]]), Tensor([[[[[1]]]]])))
    [[[[[0. 5.]]]]]
    """

    data_format: str = "NCDHW"
    formats: ClassVar[tuple[str, ...]] = ("NCDHW", "NDHWC")


def max_unpool1d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """Each element of ``x`` at the place that ``indices`` says, zeros elsewhere: a max pool undone.

    Args:
        x: (N, C, L) or (C, L).
        indices: of the pool, of the shape of x.
        kernel_size: the length of the pool's windows.
        stride: from one window to the next; None or 0 for ``kernel_size``.
        padding: what the pool added at each end.
        output_size: the shape, where the pool dropped a rest.

    Raises:
        TypeError: an argument of another type.
        ValueError: a number out of range, or shapes that do not fit.

    >>> from minispore import Tensor
    >>> print(max_unpool1d(Tensor([[5.0, 7.0]]), Tensor([[1, 2]]), 2))
    [[0. 5. 7. 0.]]
    """
    return unpooled("max_unpool1d", 1, x, indices, (kernel_size, stride, padding), output_size)


def max_unpool2d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """A max pool of images undone: each element at the place that ``indices`` says.

    Returns:
        The elements of x, zeros elsewhere.

    Raises:
        TypeError: an argument of another type.
        ValueError: a number out of range, or shapes that do not fit.

    >>> from minispore import Tensor
    >>> print(max_unpool2d(Tensor([[[7.0]]]), Tensor([[[3]]]), 2))
    [[[0. 0.]
      [0. 7.]]]
    """
    return unpooled("max_unpool2d", 2, x, indices, (kernel_size, stride, padding), output_size)


def max_unpool3d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """A max pool of volumes undone: each element at the place that ``indices`` says.

    >>> from minispore import Tensor
    >>> print(max_unpool3d(Tensor([[[[7.0]]]]), Tensor([[[[1]]]]), (1, 1, 2)))
    [[[[0. 7.]]]]
    """
    return unpooled("max_unpool3d", 3, x, indices, (kernel_size, stride, padding), output_size)


__all__ = [
    "MaxPool3DWithArgmax",
    "MaxPoolWithArgmax",
    "MaxPoolWithArgmaxV2",
    "MaxUnpool2D",
    "MaxUnpool3D",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]
