"""Max and average pooling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore import ops
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn import check
from minispore.nn.cell import Cell


class _Pool(Cell):
    """Base of pools; checks kernel, stride and pad_mode, and accepts inputs without a batch
    axis.
    """

    _n_axes: int  # number of pooled axes

    def __init__(self, kernel_size: Any, stride: Any, pad_mode: str) -> None:
        super().__init__()
        name = type(self).__name__
        self.pad_mode = checks.one_of(
            name,
            "pad_mode",
            checks.string(name, "pad_mode", pad_mode).upper(),
            ("VALID", "SAME", "PAD"),
        )
        for argument, value in (("kernel_size", kernel_size), ("stride", stride)):
            checks.integers(name, argument, value, self._n_axes)
        self.kernel_size, self.stride = kernel_size, stride

    def _get_op_window(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return kernel and stride for each axis of the op, which has at least two axes."""
        name, axes = type(self).__name__, self._n_axes
        kernel = checks.integers(name, "kernel_size", self.kernel_size, axes)
        stride = checks.integers(name, "stride", self.stride, axes)
        return _to_two_axes(kernel, 1), _to_two_axes(stride, 1)

    def _get_op_padding(self, padding: Any) -> tuple[int, ...]:
        """Return the padding as one flat tuple of (low, high) for each axis of the op."""
        name, axes = type(self).__name__, self._n_axes
        if isinstance(padding, tuple | list) and len(padding) == 1:
            padding = padding[0]
        numbers = _to_two_axes(checks.integers(name, "padding", padding, axes, low=0), 0)
        return tuple(p for p in numbers for _ in range(2))

    def _apply_pool(self, pool: Callable[[Tensor], Any], x: Tensor) -> Any:
        """Return ``pool(x)``; adds the axes that the op needs to x, and removes them from the
        result.
        """
        name, axes = type(self).__name__, self._n_axes
        check.check_ndim(name, "x", x, axes + 1, axes + 2)
        new_axes = [0] if x.ndim == axes + 1 else []
        if axes == 1:
            new_axes.append(2)
        for axis in new_axes:
            x = ops.expand_dims(x, axis)
        out = pool(x)
        for axis in reversed(new_axes):
            if isinstance(out, tuple):
                out = tuple(ops.squeeze(o, axis) for o in out)
            else:
                out = ops.squeeze(out, axis)
        return out

    def extend_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


def _to_two_axes(numbers: tuple[int, ...], fill: int) -> tuple[int, ...]:
    """Return the numbers for at least two axes; ``fill`` is prepended to a single number."""
    return (fill, *numbers) if len(numbers) == 1 else numbers


def _check_data_format(name: str, data_format: str) -> None:
    """Check that ``data_format`` is 'NCHW'; raises ValueError."""
    if data_format != "NCHW":
        raise ValueError(
            f"{name}: data_format must be 'NCHW', got {data_format!r}. Transpose the input "
            "with ops.transpose."
        )


class _MaxPool(_Pool):
    """Base of max pools: chooses the op by the number of axes and ``return_indices``."""

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode)
        name = type(self).__name__
        self.padding = padding
        self.return_indices = checks.boolean(name, "return_indices", return_indices)
        ceil = checks.boolean(name, "ceil_mode", ceil_mode)
        dilate = _to_two_axes(checks.integers(name, "dilation", dilation, self._n_axes), 1)
        kernel, strides = self._get_op_window()
        is_dilated = any(d != 1 for d in dilate)
        has_extras = is_dilated or return_indices or ceil or any(self._get_op_padding(padding))
        if self.pad_mode != "PAD" and has_extras and self._n_axes != 3:
            raise ValueError(
                f"{name}: padding, dilation, return_indices and ceil_mode must keep their defaults "
                f"unless pad_mode is 'pad', got pad_mode {pad_mode!r}."
            )
        if self.pad_mode != "PAD" and (return_indices or is_dilated):
            raise ValueError(
                f"{name}: pad_mode must be 'pad' where dilation is not 1 or return_indices is "
                f"True, got {pad_mode!r}."
            )
        pads = self._get_op_padding(padding)
        if self._n_axes == 3:
            self.max_pool: Primitive = (
                ops.MaxPool3DWithArgmax(kernel, strides, pads[::2], dilate, ceil)
                if return_indices
                else ops.MaxPool3D(
                    kernel, strides, self.pad_mode.lower(), pads, ceil, dilation=dilate
                )
            )
        elif return_indices:
            self.max_pool = ops.MaxPoolWithArgmaxV2(kernel, strides, pads[::2], dilate, ceil)
        else:
            self.max_pool = ops.MaxPool(
                kernel,
                strides,
                self.pad_mode.lower(),
                pad=pads,
                ceil_mode=ceil,
                dilation=dilate,
            )

    __init__.__qualname__ = "MaxPool.__init__"  # MindSpore's name in argument errors

    def construct(self, x: Tensor) -> Any:
        return self._apply_pool(self.max_pool, x)


class MaxPool2d(_MaxPool):
    """The maximum of each window.

    Args:
        kernel_size: an int or (height, width).
        stride: an int or (height, width).
        pad_mode: ``"valid"``, ``"same"`` or ``"pad"``.
        padding: with ``"pad"``, an int or (height, width), on both sides.
        dilation: with ``"pad"``, the distance between a window's elements.
        return_indices: with ``"pad"``, also return the flat index of each maximum.
        ceil_mode: with ``"pad"``, also pool windows that extend past the end.
        data_format: ``"NCHW"``.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range.

    Shape: x (N, C, H, W) or (C, H, W) -> (N, C, OH, OW) or (C, OH, OW).

    >>> print(MaxPool2d(2, 2)(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
    [[[[4.]]]]
    """

    _n_axes = 2

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        _check_data_format("MaxPool2d", data_format)
        super().__init__(
            kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode
        )


class MaxPool1d(_MaxPool):
    """The maximum of each window over one axis. The arguments are those of :class:`MaxPool2d`.

    Shape: x (N, C, L) or (C, L) -> (N, C, OL) or (C, OL).
    """

    _n_axes = 1


class MaxPool3d(_MaxPool):
    """The maximum of each window over three axes. The arguments are those of :class:`MaxPool2d`.

    Shape: x (N, C, D, H, W) or (C, D, H, W).
    """

    _n_axes = 3


class _AvgPool(_Pool):
    """Base of average pools."""

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode)
        name = type(self).__name__
        if divisor_override is not None:
            checks.integer(name, "divisor_override", divisor_override, 1)
        op = ops.AvgPool3D if self._n_axes == 3 else ops.AvgPool
        kernel, strides = self._get_op_window()
        self.avg_pool = op(
            kernel,
            strides,
            self.pad_mode.lower(),
            pad=self._get_op_padding(padding),
            ceil_mode=checks.boolean(name, "ceil_mode", ceil_mode),
            count_include_pad=checks.boolean(name, "count_include_pad", count_include_pad),
            divisor_override=divisor_override,
        )

    __init__.__qualname__ = "AvgPool.__init__"

    def construct(self, x: Tensor) -> Tensor:
        return self._apply_pool(self.avg_pool, x)


class AvgPool2d(_AvgPool):
    """The mean of each window.

    Args:
        kernel_size: an int or (height, width).
        stride: an int or (height, width).
        pad_mode: ``"valid"``, ``"same"`` or ``"pad"``.
        padding: with ``"pad"``, an int or (height, width), on both sides.
        ceil_mode: also pool windows that extend past the end.
        count_include_pad: whether padding (of ``"pad"``) counts as elements.
        divisor_override: the divisor of a window's sum, instead of its number of elements.
        data_format: ``"NCHW"``.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range.

    Shape: x (N, C, H, W) or (C, H, W) -> (N, C, OH, OW) or (C, OH, OW).

    >>> print(AvgPool2d(2, 2)(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
    [[[[2.5]]]]
    """

    _n_axes = 2

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        _check_data_format("AvgPool2d", data_format)
        super().__init__(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
        )


class AvgPool1d(_AvgPool):
    """The mean of each window over one axis. The arguments are those of :class:`AvgPool2d`.

    Shape: x (N, C, L) or (C, L) -> (N, C, OL) or (C, OL).
    """

    _n_axes = 1

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad)


class AvgPool3d(_AvgPool):
    """The mean of each window over three axes. The arguments are those of :class:`AvgPool2d`.

    Shape: x (N, C, D, H, W) or (C, D, H, W).
    """

    _n_axes = 3


__all__ = ["AvgPool1d", "AvgPool2d", "AvgPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d"]
