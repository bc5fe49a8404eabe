"""Convolution and its two gradients: three ops, each of which uses the other two in its vjp.

:mod:`minispore.ops.steps.lowering` lowers them to the steps that compute them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import context
from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.errors import ShapeError
from minispore.execution.layout import BATCH_LAST
from minispore.foundation import checks
from minispore.ir.operator import Steps
from minispore.ir.registry import registry
from minispore.ir.value import Spec
from minispore.ops.steps.lowering import ConvolutionLowering, choose_lowering
from minispore.ops.steps.window import (
    Window,
    check_rank,
    compute_window,
    normalise_padding,
    normalise_per_axis,
)
from minispore.ops.support.arguments import check_tensors

__all__ = [
    "Conv2D",
    "Conv2DBackpropFilter",
    "Conv2DBackpropInput",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DBackpropFilter",
    "Conv3DBackpropInput",
    "conv1d",
    "conv2d",
    "conv3d",
]

_FORMATS = {2: "NCHW", 3: "NCDHW"}


class _Conv(Primitive):
    """Base of the convolutions: MindSpore's attributes, shape checks and the sliding window.

    ``pad`` is used with ``pad_mode`` "pad" only. ``rank`` is the number of spatial axes.
    """

    out_channel: int
    kernel_size: Any
    mode: int = 1
    pad_mode: str = "valid"
    pad: Any = 0
    stride: Any = 1
    dilation: Any = 1
    group: int = 1
    data_format: str = "NCHW"
    layout = BATCH_LAST
    rank = 2

    def check(self) -> None:
        """Check the attributes; normalise sizes to one per axis, padding to (before, after), the
        mode to lower case.

        Raises:
            TypeError: an attribute is of a wrong type.
            ValueError: an attribute is out of range, or ``pad`` is not 0 without "pad".
        """
        op, rank = self.name, self.rank
        for name in ("out_channel", "group"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{op}: {name} must be an int, got {value!r}.")
            if value < 1:
                raise ValueError(f"{op}: {name} must be at least 1, got {value!r}.")
        if self.mode != 1:
            raise ValueError(f"{op}: mode must be 1 (cross-correlation), got {self.mode!r}.")
        mode = self.pad_mode.lower() if isinstance(self.pad_mode, str) else self.pad_mode
        if mode not in ("valid", "same", "pad"):
            raise ValueError(
                f"{op}: pad_mode must be 'valid', 'same' or 'pad', got {self.pad_mode!r}."
            )
        pad = normalise_padding(op, self.pad, rank)
        if mode != "pad" and any(pad):
            raise ValueError(
                f"{op}: pad must be 0 unless pad_mode is 'pad', got {self.pad!r} with {mode!r}."
            )
        if self.data_format != _FORMATS[rank]:
            raise ValueError(
                f"{op}: data_format must be {_FORMATS[rank]!r}, got {self.data_format!r}. "
                "Transpose the input with ops.transpose."
            )
        self.normalise(
            kernel_size=normalise_per_axis(op, "kernel_size", self.kernel_size, rank),
            stride=normalise_per_axis(op, "stride", self.stride, rank),
            dilation=normalise_per_axis(op, "dilation", self.dilation, rank),
            pad=pad,
            pad_mode=mode,
        )

    def make_window(self, size: tuple[int, ...]) -> Window:
        """Return the sliding window over an input of spatial size ``size``.

        Raises:
            ValueError: the kernel does not fit into the padded input.
        """
        return compute_window(
            self.name,
            tuple(size),
            self.kernel_size,
            self.stride,
            self.dilation,
            self.pad_mode,
            self.pad,
        )

    def make_sibling(self, suffix: str) -> Any:
        """Return the op of the same rank and attributes with this suffix.

        The suffix is "" for the convolution, "BackpropInput" or "BackpropFilter" for its gradients.
        """
        cls = registry[f"Conv{self.rank}D{suffix}"]
        return cls(**{f: getattr(self, f) for f in _Conv.fields})

    def choose_algorithm(self, x: tuple[int, ...], dtype: np.dtype) -> ConvolutionLowering:
        """Return the algorithm of this op and its siblings for an input of shape ``x`` (N, C,
        *spatial).

        It also depends on the setting ``conv_winograd`` of the context.
        """
        largest = context.current().conv_winograd
        return choose_lowering(
            self.make_window(x[2:]), *x[:2], self.out_channel, self.group, dtype, largest
        )

    def check_shapes(self, x: tuple[int, ...], w: tuple[int, ...], a: Spec, b: Spec) -> np.dtype:
        """Check that the shapes ``x`` and ``w`` of input and weight fit, and return the dtype of
        ``a`` and ``b``.

        Raises:
            ValueError: the shapes do not fit; in 2-D it is a ShapeError.
            TypeError: the dtypes of ``a`` and ``b`` differ, or are not a float or complex dtype.
        """
        if x[1] % self.group or self.out_channel % self.group:
            raise self.shape_error_type(
                f"{self.name}: group must divide the channels of the input and of the output, got "
                f"group {self.group} with {x[1]} and {self.out_channel} channels."
            )
        expected = (self.out_channel, x[1] // self.group, *self.kernel_size)
        if tuple(w) != expected:
            raise self.shape_error_type(
                f"{self.name}: weight must have the shape {expected} (out_channel, channels / "
                f"group, kernel) for an input with {x[1]} channels, got {tuple(w)}. Check "
                "in_channels of the layer against axis 1 of its input."
            )
        if a.dtype != b.dtype:
            raise TypeError(
                f"{self.name}: input and weight must have the same dtype, got {a.dtype.name} and "
                f"{b.dtype.name}. Cast one of them."
            )
        if a.dtype.kind not in "fcV":
            raise TypeError(f"{self.name}: input must be of a float type, got {a}. Cast it.")
        return a.dtype

    @property
    def shape_error_type(self) -> type[ValueError]:
        """The exception class for shapes that do not fit: ShapeError in 2-D, else ValueError."""
        return ShapeError if self.rank == 2 else ValueError

    @staticmethod
    def count_flops(output: Spec, w: Spec) -> int:
        """Return the floating-point operations of a convolution by ``w`` with this output, 2 per
        multiply-add.
        """
        return 2 * output.size * w.size // w.shape[0]

    def check_output_grad(self, dy: Spec, x: tuple[int, ...]) -> None:
        """Check that ``dy`` has the shape of the output for an input of shape ``x``.

        Raises:
            ValueError: it has another shape; in 2-D the error is a ShapeError.
        """
        expected = (x[0], self.out_channel, *self.make_window(x[2:]).out)
        if dy.shape != expected:
            raise self.shape_error_type(
                f"{self.name}: dout must have the shape {expected} of the convolution's output for "
                f"an input of shape {x}, got {dy.shape}."
            )


class Conv2D(_Conv):
    """out[n,f] = sum over channels c and taps of x[n,c] * weight[f,c].

    Inputs: x (N, C, H, W) and weight (F, C/group, KH, KW) of the same float dtype.
    Output: (N, F, OH, OW).

    Raises:
        ShapeError: the channels or the weight do not fit; it is a RuntimeError and a ValueError.
        ValueError: the kernel does not fit into the padded input.
        TypeError: the dtypes differ or are not float types.

    Source: the behaviour of mindspore.ops.Conv2D.
    """

    vjp_rule = VjpRule(saves_for_inputs=(1,))

    def infer(self, x: Spec, w: Spec) -> Spec:
        """Return the spec (N, F, OH, OW); raise for shapes and dtypes that do not fit, as the class
        says.
        """
        check_rank(self.name, "input", x, self.rank)
        check_rank(self.name, "weight", w, self.rank)
        dtype = self.check_shapes(x.shape, w.shape, x, w)
        return Spec((x.shape[0], self.out_channel, *self.make_window(x.shape[2:]).out), dtype)

    def lower_to_steps(self, x: Spec, w: Spec) -> Steps:
        """Return the steps of the chosen lowering that compute the output."""
        return self.choose_algorithm(x.shape, x.dtype).forward(self.infer(x, w).shape)

    def flops(self, x: Spec, w: Spec) -> int:
        return self.count_flops(self.infer(x, w), w)

    def vjp(self, x: Tensor, w: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: self.make_sibling("BackpropInput")(dout, w, x.shape),
            lambda: self.make_sibling("BackpropFilter")(dout, x, w.shape),
        )


class Conv2DBackpropInput(_Conv):
    """The gradient of Conv2D with respect to its input: the transposed convolution of ``dy``.

    A ``pad_list`` other than None replaces ``pad`` and implies the mode "pad".

    Inputs: dy (N, F, OH, OW), weight (F, C/group, KH, KW), the input's shape. Output: (N, C, H, W).

    Inputs: dy (N, F, OH, OW), weight (F, C/group, KH, KW), the input's shape. Output: (N, C, H, W).

    Source: the behaviour of mindspore.ops.Conv2DBackpropInput.
    """

    out_channel: int
    kernel_size: Any
    pad_mode: str = "valid"
    pad: Any = 0
    pad_list: Any = None
    mode: int = 1
    stride: Any = 1
    dilation: Any = 1
    group: int = 1
    data_format: str = "NCHW"

    def check(self) -> None:
        """Check the attributes; a ``pad_list`` other than None becomes ``pad`` with the mode
        "pad".
        """
        if self.pad_list is not None:
            self.normalise(pad_mode="pad", pad=self.pad_list, pad_list=None)
        super().check()

    def infer(self, dy: Spec, w: Spec, input_size: tuple[int, ...]) -> Spec:
        """Return the spec of shape ``input_size``; raise unless dy and the weight fit a convolution
        of such an input.
        """
        check_rank(self.name, "dout", dy, self.rank)
        check_rank(self.name, "weight", w, self.rank)
        shape = checks.integers(self.name, "input_size", input_size, self.rank + 2, 0)
        dtype = self.check_shapes(shape, w.shape, dy, w)
        self.check_output_grad(dy, shape)
        return Spec(shape, dtype)

    def lower_to_steps(self, dy: Spec, w: Spec, input_size: tuple[int, ...]) -> Steps:
        """Return the steps of the chosen lowering that compute the gradient of the input."""
        return self.choose_algorithm(tuple(input_size), w.dtype).input_gradient(tuple(input_size))

    def flops(self, dy: Spec, w: Spec, input_size: tuple[int, ...]) -> int:
        return self.count_flops(dy, w)

    def vjp(
        self, dy: Tensor, w: Tensor, input_size: Any, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        return (
            lambda: self.make_sibling("")(dout, w),
            lambda: self.make_sibling("BackpropFilter")(dy, dout, w.shape),
        )


class Conv2DTranspose(Conv2DBackpropInput):
    """The transposed convolution: MindSpore's other name for :class:`Conv2DBackpropInput`."""


class Conv2DBackpropFilter(_Conv):
    """The gradient of Conv2D with respect to its weight.

    Inputs: dy (N, F, OH, OW), x (N, C, H, W), the weight's shape. Output: (F, C/group, KH, KW).

    Source: the behaviour of MindSpore's Conv2DBackpropFilter.
    """

    layout = "row_major"

    def infer(self, dy: Spec, x: Spec, filter_size: tuple[int, ...]) -> Spec:
        """Return the spec of shape ``filter_size``; raise unless dy and x fit a convolution by such
        a weight.
        """
        check_rank(self.name, "dout", dy, self.rank)
        check_rank(self.name, "input", x, self.rank)
        checks.integers(self.name, "filter_size", filter_size, self.rank + 2, 0)
        dtype = self.check_shapes(x.shape, tuple(filter_size), dy, x)
        self.check_output_grad(dy, x.shape)
        return Spec(tuple(filter_size), dtype)

    def lower_to_steps(self, dy: Spec, x: Spec, filter_size: tuple[int, ...]) -> Steps:
        """Return the steps of the chosen lowering that compute the gradient of the weight."""
        return self.choose_algorithm(x.shape, x.dtype).weight_gradient(tuple(filter_size))

    def flops(self, dy: Spec, x: Spec, filter_size: tuple[int, ...]) -> int:
        return self.count_flops(dy, self.infer(dy, x, filter_size))

    def vjp(
        self, dy: Tensor, x: Tensor, filter_size: Any, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        return (
            lambda: self.make_sibling("")(x, dout),
            lambda: self.make_sibling("BackpropInput")(dy, dout, x.shape),
        )


class Conv3D(Conv2D):
    """:class:`Conv2D` with three spatial axes: x (N, C, D, H, W), weight (F, C/group, KD,
    KH, KW).
    """

    data_format: str = "NCDHW"
    rank = 3


class Conv3DBackpropInput(Conv2DBackpropInput):
    """The gradient of :class:`Conv3D` with respect to its input."""

    data_format: str = "NCDHW"
    rank = 3


class Conv3DBackpropFilter(Conv2DBackpropFilter):
    """The gradient of :class:`Conv3D` with respect to its weight."""

    data_format: str = "NCDHW"
    rank = 3


# -- functions -------------------------------------------------------------------------------------


def _apply_convolution(
    op: type[_Conv], x: Tensor, weight: Tensor, bias: Any, **attributes: Any
) -> Tensor:
    """Create a convolution op with these ``attributes``, apply it, and add the bias unless None.

    ``pad_mode`` and ``padding`` are required among the attributes. The bias holds one number for
    each output channel.

    Raises:
        TypeError: the bias is not a Tensor.
    """
    pad_mode, padding = attributes.pop("pad_mode"), attributes.pop("padding")
    if pad_mode == "pad" and not isinstance(padding, int) and len(padding) == 1:
        padding = padding[0]
    output = op(weight.shape[0], weight.shape[2:], pad_mode=pad_mode, pad=padding, **attributes)(
        x, weight
    )
    if bias is None:
        return output
    check_tensors(op.name, bias=bias)
    return output + bias.reshape((1, -1, *(1,) * op.rank))


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve (N, C, H, W) with (F, C/groups, KH, KW) and add ``bias`` (F,), see :class:`Conv2D`.

    ``padding`` is used with the ``pad_mode`` "pad" only.

    >>> from minispore import Tensor
    >>> import numpy as np
    >>> x = Tensor(np.ones((1, 1, 3, 3), np.float32))
    >>> w = Tensor(np.ones((1, 1, 2, 2), np.float32))
    >>> print(conv2d(x, w).asnumpy()[0, 0])
    [[4. 4.]
     [4. 4.]]
    """
    check_tensors("conv2d", input=input, weight=weight)
    return _apply_convolution(
        Conv2D, input, weight, bias,
        stride=stride, pad_mode=pad_mode, padding=padding, dilation=dilation, group=groups,
    )  # fmt: skip


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve (N, C, D, H, W) with (F, C/groups, KD, KH, KW) and add ``bias`` (F,), see
    :class:`Conv3D`.

    ``padding`` is used with the ``pad_mode`` "pad" only.
    """
    check_tensors("conv3d", input=input, weight=weight)
    return _apply_convolution(
        Conv3D, input, weight, bias,
        stride=stride, pad_mode=pad_mode, padding=padding, dilation=dilation, group=groups,
    )  # fmt: skip


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | tuple[int] = 1,
    pad_mode: str = "valid",
    padding: int | tuple[int] = 0,
    dilation: int | tuple[int] = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve (N, C, L) with (F, C/groups, K) and add ``bias`` (F,), as a 2-d convolution of
    height 1.

    ``padding`` is used with the ``pad_mode`` "pad" only.
    """
    check_tensors("conv1d", input=input, weight=weight)

    def to_int(v: int | tuple[int]) -> int:
        """Return an int, or the only element of a tuple."""
        return v if isinstance(v, int) else v[0]

    pad = to_int(padding)
    output = conv2d(
        input.expand_dims(2),  # the Tensor method registered by the ops
        weight.expand_dims(2),
        bias, (1, to_int(stride)), pad_mode, (0, 0, pad, pad), (1, to_int(dilation)), groups,
    )  # fmt: skip
    return output.squeeze(2)
