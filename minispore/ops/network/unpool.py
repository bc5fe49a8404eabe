"""Max pools that also return the indices of the maxima, and max unpooling."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Cotangents, VjpRule
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.index.scatter import tensor_scatter_elements
from minispore.ops.network.pool import (
    MaxPool,
    MaxPool3D,
    MaxPool3DGrad,
    MaxPoolGrad,
    _Pool,
    get_lowest_value,
    iterate_first_maxima,
    pad_input,
)
from minispore.ops.shape.cast_fill import zeros
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import to_static
from minispore.ops.support.derive import _Composite


class _ArgmaxPool(_Pool):
    """Base of max pools whose second output holds the index of each maximum in its plane.

    ``pool`` is the class of the op that computes the maxima.
    """

    argmax_type: Any = "int64"
    vjp_rule = VjpRule(partial=True)
    pool: ClassVar[type[_Pool]] = MaxPool

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        y = self.infer_output(x)
        return y, Spec(y.shape, np.dtype(self.argmax_type))

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        """Write the maxima of the windows, and the flat index of the first maximum of each window.

        Indices count the elements of the input plane without padding.
        """
        win = self.make_window(x.shape[2:])
        y, index = out
        xp = pad_input(x, win, get_lowest_value(x.dtype))
        self.make_sibling(self.pool).kernel(x, out=y)
        flat_indices = np.arange(math.prod(win.size)).reshape(win.size)
        flat_indices = np.pad(flat_indices, list(zip(win.low, win.high)))
        for window_index, is_maximum in iterate_first_maxima(xp, y, win):
            np.copyto(index, flat_indices[window_index], where=is_maximum)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        if dout[0] is None:
            return (None,)
        return (lambda: self.make_sibling(MaxPoolGrad)(x, out[0], dout[0]),)


class MaxPoolWithArgmaxV2(_ArgmaxPool):
    """The maximum of each window and its flat index in the input plane.

    ``pads`` is the padding, ``strides`` None means the kernel size, and ``argmax_type`` is int32 or
    int64.

    Inputs: x (N, C, H, W). Outputs: (N, C, OH, OW) twice, the second of ``argmax_type``.

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
        """Set the pool's attributes from ``pads`` and ``strides`` (by default the kernel size), and
        check them.
        """
        dtype_name = str(getattr(self.argmax_type, "name", self.argmax_type))
        if dtype_name not in ("int32", "int64"):
            raise ValueError(
                f"{self.name}: argmax_type must be int32 or int64, got {dtype_name!r}."
            )
        self.normalise(
            strides=self.kernel_size if self.strides is None else self.strides,
            pad=self.pads,
            argmax_type=dtype_name,
        )
        super().check()


class MaxPoolWithArgmax(_ArgmaxPool):
    """The maximum of each window and its flat index within the (C, H, W) of its sample.

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
        """Check that ``pad_mode`` is "valid" or "same", and the attributes of all pools."""
        if not isinstance(self.pad_mode, str) or self.pad_mode.lower() not in ("valid", "same"):
            raise ValueError(
                f"{self.name}: pad_mode must be 'valid' or 'same', got {self.pad_mode!r}."
            )
        super().check()

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        """Pool as the base does, and add the offset of each channel to the indices."""
        super().kernel(x, out=out)
        planes = np.arange(x.shape[1], dtype=np.int32) * math.prod(x.shape[2:])
        out[1][...] += planes[:, None, None]


class MaxPool3DWithArgmax(MaxPoolWithArgmaxV2):
    """The maximum of each window and its flat index in the input volume.

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
        """Create the op; ``ksize`` is the kernel size, and ``argmax_type`` int32 or int64."""
        super().__init__(ksize, strides, pads, dilation, ceil_mode, data_format, argmax_type)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        if dout[0] is None:
            return (None,)
        return (lambda: self.make_sibling(MaxPool3DGrad)(x, out[0], dout[0]),)


def max_pool2d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """Return the maximum of each window of x (N, C, H, W).

    With ``return_indices``, return a pair: the maxima, and their int64 flat indices in the plane. A
    ``stride`` of None means the kernel size.

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
    return op.make_sibling(MaxPool)(x)


def max_pool3d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maximum of each window of x (N, C, D, H, W).

    With ``return_indices``, return a pair: the maxima, and their int64 flat indices in the volume.
    A ``stride`` of None means the kernel size.
    """
    op = MaxPool3DWithArgmax(kernel_size, stride, padding, dilation, ceil_mode)
    if return_indices:
        return op(x)
    return op.make_sibling(MaxPool3D)(x)


def check_each_axis(
    api_name: str, name: str, value: Any, count: int, least: int
) -> tuple[int, ...]:
    """Return ``value``, an int or one int for each of ``count`` axes, as a tuple.

    Raises:
        ValueError: the number of ints is not ``count``, or an int is below ``least``.
        TypeError: an element is not an int.
    """
    per_axis = value if isinstance(value, tuple | list) else (value,) * count
    if len(per_axis) != count:
        raise ValueError(f"{api_name}: {name} must have {count} numbers, got {value!r}.")
    return tuple(checks.integer(api_name, name, n, least) for n in per_axis)


def scatter_to_indices(
    api_name: str,
    axes: int,
    x: Tensor,
    indices: Tensor,
    window: tuple[Any, Any, Any],
    output_size: Any,
) -> Tensor:
    """Return zeros with each element of x written to its index within the channel.

    Args:
        api_name: the public name, with which errors begin.
        axes: the number of spatial axes; x may have a batch axis or not.
        x: the elements.
        indices: the flat index of each element in its channel, of the shape of x.
        window: the kernel size, stride and padding of the pool.
        output_size: the size of the output, of which the last ``axes`` numbers are used; None or ()
            for the default, the smallest that fits.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or the shapes do not fit.
    """
    for name, t in (("x", x), ("indices", indices)):
        if not isinstance(t, Tensor):
            raise TypeError(f"{api_name}: {name} must be a Tensor, got {t!r} ({type(t).__name__}).")
    if x.ndim not in (axes + 1, axes + 2):
        raise ValueError(
            f"{api_name}: x must have {axes + 1} or {axes + 2} axes, got shape {x.shape}."
        )
    if indices.shape != x.shape:
        raise ValueError(
            f"{api_name}: indices must have the shape of x, got {indices.shape} and {x.shape}."
        )
    batch_shape = x.shape[:-axes]
    sizes = _infer_unpooled_size(
        api_name, x.shape[-axes:], _normalize_window(api_name, axes, window), to_static(output_size)
    )
    rows = (math.prod(batch_shape), -1)
    zero_output = zeros((rows[0], math.prod(sizes)), x.dtype)
    scattered = tensor_scatter_elements(
        zero_output, Reshape()(indices, rows), Reshape()(x, rows), 1
    )
    return Reshape()(scattered, (*batch_shape, *sizes))


def _normalize_window(api_name: str, axes: int, window: tuple[Any, Any, Any]) -> Any:
    """Check kernel size, stride and padding, and return each as a tuple with one int per axis.

    A stride of None or 0 means the kernel size. Errors are those of :func:`check_each_axis`.
    """
    kernel, stride, padding = window
    sizes = check_each_axis(api_name, "kernel_size", kernel, axes, 1)
    strides = check_each_axis(api_name, "stride", 0 if stride is None else stride, axes, 0)
    pads = check_each_axis(api_name, "padding", padding, axes, 0)
    return sizes, strides if any(strides) else sizes, pads


def _infer_unpooled_size(
    api_name: str, sizes: tuple[int, ...], window: Any, output_size: Any
) -> tuple[int, ...]:
    """Return the spatial lengths of an unpooled output: ``output_size``, or by default the
    smallest.

    ``output_size`` may begin with the lengths of batch and channels, which are dropped.

    Raises:
        ValueError: ``output_size`` is too short or differs from the default by more than one
            stride.
    """
    kernel, stride, padding = window
    default = tuple(
        (n - 1) * s - 2 * p + k for n, k, s, p in zip(sizes, kernel, stride, padding, strict=True)
    )
    if output_size is None or output_size == ():
        return default
    if not isinstance(output_size, tuple) or len(output_size) < len(default):
        raise ValueError(
            f"{api_name}: output_size must be a tuple of at least {len(default)} ints, got "
            f"{output_size!r}."
        )
    output_size = output_size[-len(default) :]
    if any(abs(w - m) > s for w, m, s in zip(output_size, default, stride, strict=True)):
        raise ValueError(
            f"{api_name}: output_size must be within one stride of {default}, got {output_size}."
        )
    return output_size


class MaxUnpool2D(_Composite):
    """The inverse of a max pool: zeros, with each element of x written to index ``argmax`` of its
    channel.

    Args:
        ksize: the size of the pool's windows.
        strides: the distance between windows; 0 means ``ksize``.
        pads: the padding of the pool.
        output_shape: the output's shape in all 4 axes; () for the smallest that fits.
        data_format: "NCHW" or "NHWC".

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
        """Check the format and the length of ``output_shape``; raise a ValueError if one is
        wrong.
        """
        checks.one_of(self.name, "data_format", self.data_format, self.formats)
        axes = len(self.data_format)
        if len(self.output_shape) not in (0, axes):
            raise ValueError(
                f"{self.name}: output_shape must be () or have {axes} axes, got "
                f"{self.output_shape}."
            )

    def __call__(self, x: Tensor, argmax: Tensor) -> Tensor:
        """Check the inputs, move the channels first, and write each element to its index.

        Raises:
            TypeError: ``argmax`` is neither int32 nor int64.
            ValueError: the shapes do not fit.
        """
        axes = len(self.data_format) - 2
        to_channels_first = [self.data_format.index(axis) for axis in self.formats[0]]
        output_shape: tuple[int, ...] = ()
        if self.output_shape:
            output_shape = tuple(self.output_shape[i] for i in to_channels_first)
        batch_shape = tuple(x.shape[i] for i in to_channels_first[:2])
        if x.ndim != axes + 2 or output_shape[:2] not in ((), batch_shape):
            rule = f"have {axes + 2} axes, N and C those of output_shape"
            raise ValueError(checks.format_error(self.name, "x", rule, f"shape {x.shape}"))
        if argmax.dtype.name not in ("int32", "int64"):
            raise TypeError(f"{self.name}: argmax must be int32 or int64, got {argmax.dtype}.")
        window = (self.ksize, self.strides, self.pads)
        if to_channels_first[1] == 1:
            return scatter_to_indices(self.name, axes, x, argmax, window, output_shape)
        x, argmax = (Transpose()(t, tuple(to_channels_first)) for t in (x, argmax))
        output = scatter_to_indices(self.name, axes, x, argmax, window, output_shape)
        return Transpose()(output, tuple(self.formats[0].index(c) for c in self.data_format))


class MaxUnpool3D(MaxUnpool2D):
    """Max unpooling of volumes (N, C, D, H, W), see :class:`MaxUnpool2D`.

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
    """Undo a max pool: write each element of ``x`` to its index, zeros elsewhere.

    Args:
        x: (N, C, L) or (C, L).
        indices: the pool's indices, of the shape of x.
        kernel_size: the length of the pool's windows.
        stride: the distance between windows; None or 0 means ``kernel_size``.
        padding: the padding that the pool added at each end.
        output_size: the output's shape, needed if the pool dropped a remainder.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or the shapes do not fit.

    >>> from minispore import Tensor
    >>> print(max_unpool1d(Tensor([[5.0, 7.0]]), Tensor([[1, 2]]), 2))
    [[0. 5. 7. 0.]]
    """
    return scatter_to_indices(
        "max_unpool1d", 1, x, indices, (kernel_size, stride, padding), output_size
    )


def max_unpool2d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """Undo a max pool of images (N, C, H, W) or (C, H, W): write each element to its index.

    The arguments are those of :func:`max_unpool1d`.

    Returns:
        Tensor, zeros except for the elements of x.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, or the shapes do not fit.

    >>> from minispore import Tensor
    >>> print(max_unpool2d(Tensor([[[7.0]]]), Tensor([[[3]]]), 2))
    [[[0. 0.]
      [0. 7.]]]
    """
    return scatter_to_indices(
        "max_unpool2d", 2, x, indices, (kernel_size, stride, padding), output_size
    )


def max_unpool3d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """Undo a max pool of volumes (N, C, D, H, W) or (C, D, H, W): write each element to its index.

    All other elements are zeros. The arguments are those of :func:`max_unpool1d`.

    >>> from minispore import Tensor
    >>> print(max_unpool3d(Tensor([[[[7.0]]]]), Tensor([[[[1]]]]), (1, 1, 2)))
    [[[[0. 7.]]]]
    """
    return scatter_to_indices(
        "max_unpool3d", 3, x, indices, (kernel_size, stride, padding), output_size
    )


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
