"""Derivatives of neural-network ops as ops, with the names and arguments of MindSpore's kernels.

As in :mod:`gradient_ops`, each calls the vjp of the op in its name.
"""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype
from minispore.ir.registry import registry
from minispore.ops.elementwise.extremes import Minimum
from minispore.ops.elementwise.gated_activations import GLU
from minispore.ops.image.deformable import DeformableOffsets
from minispore.ops.image.grid_sample import AffineGrid
from minispore.ops.image.resize import ResizeBicubic, ResizeNearestNeighborV2
from minispore.ops.index.gather import GatherD
from minispore.ops.index.scatter import TensorScatterElements
from minispore.ops.linalg.diagonal import Trace
from minispore.ops.shape.cast_fill import Cast, Zeros
from minispore.ops.shape.join import Slice
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import to_static
from minispore.ops.support.derive import _Composite, pull_back


class _SameAttributes(_Composite):
    """Base of derivative ops ``<Forward>Grad`` that have the attributes of their forward op."""

    def _make_forward_op(self) -> Any:
        """Create the op of this name without "Grad", with this op's attributes."""
        return registry[self.name.removesuffix("Grad")](*[getattr(self, f) for f in self.fields])

    def _pull_back_to_shape(self, dy: Tensor, shape: Any, *other_inputs: Any) -> Tensor:
        """Return the gradient of the forward op by its first input, of ``shape``, at zeros.

        The op must be linear in that input. ``other_inputs`` are the op's remaining inputs.
        """
        zeros = Zeros()(to_static(shape), dy.dtype)
        return pull_back(lambda x: self._make_forward_op()(x, *other_inputs), (zeros,), (dy,))[0]


class DeformableOffsetsGrad(_SameAttributes):
    """The gradients of DeformableOffsets with respect to its input and its offsets."""

    strides: tuple[int, ...]
    pads: tuple[int, ...]
    kernel_size: tuple[int, ...]
    dilations: tuple[int, ...] = (1, 1, 1, 1)
    data_format: str = "NCHW"
    deformable_groups: int = 1
    modulated: bool = True

    def check(self) -> None:
        if self.data_format not in ("NCHW", "NHWC"):
            raise ValueError(
                f"{self.name}: data_format must be 'NCHW' or 'NHWC', got {self.data_format!r}."
            )

    def __call__(self, dout: Tensor, input: Tensor, offsets: Tensor) -> tuple[Tensor, ...]:
        """Return both gradients by pulling ``dout`` back through a DeformableOffsets with one
        window per offset.
        """
        is_channels_last = self.data_format == "NHWC"
        strides, dilations = self.strides, self.dilations
        if is_channels_last:
            dout, input, offsets = (_move_channels_second(x) for x in (dout, input, offsets))
            strides, dilations = ((t[0], t[3], t[1], t[2]) for t in (strides, dilations))
        above, _, left, _ = self.pads
        below, right = (  # so that there is one window for each offset
            (count - 1) * s + d * (k - 1) + 1 - n - low
            for count, s, d, k, n, low in zip(
                offsets.shape[2:], strides[2:], dilations[2:], self.kernel_size,
                input.shape[2:], (above, left), strict=True,
            )
        )  # fmt: skip
        pads, groups = (above, below, left, right), self.deformable_groups
        forward = DeformableOffsets(strides, pads, self.kernel_size, dilations, "NCHW", groups)
        grads = pull_back(forward, (input, offsets), (dout,))
        return tuple(Transpose()(x, (0, 2, 3, 1)) if is_channels_last else x for x in grads)


def _move_channels_second(x: Tensor) -> Tensor:
    """Transpose (N, H, W, C) to (N, C, H, W)."""
    return Transpose()(x, (0, 3, 1, 2))


class ResizeNearestNeighborGrad(_Composite):
    """The gradient of ResizeNearestNeighbor with respect to an input of ``size`` (H, W)."""

    align_corners: bool = False
    half_pixel_centers: bool = False

    def __call__(self, grads: Tensor, size: Any) -> Tensor:
        forward = ResizeNearestNeighborV2(self.align_corners, self.half_pixel_centers)
        zeros = Zeros()((*grads.shape[:2], *to_static(size)), grads.dtype)
        return pull_back(lambda x: forward(x, grads.shape[2:]), (zeros,), (grads,))[0]


class ResizeNearestNeighborV2Grad(ResizeNearestNeighborGrad):
    """The gradient of ResizeNearestNeighborV2 with respect to an input of ``size`` (H, W)."""


class ResizeBicubicGrad(_Composite):
    """The gradient of ResizeBicubic with respect to ``image``, in its dtype."""

    align_corners: bool = False
    half_pixel_centers: bool = False

    def __call__(self, grads: Tensor, image: Tensor) -> Tensor:
        forward = ResizeBicubic(self.align_corners, self.half_pixel_centers)
        size = grads.shape[-2:]
        zeros = Zeros()(image.shape, grads.dtype)
        grad = pull_back(lambda x: forward(x, size), (zeros,), (grads,))[0]
        return Cast()(grad, image.dtype)


class SliceGrad(_Composite):
    """The gradient of Slice: zeros of the shape of ``x``, with ``dy`` written into the slice."""

    def __call__(self, dy: Tensor, x: Tensor, begin: Any, size: Any) -> Tensor:
        return pull_back(lambda x: Slice()(x, begin, size), (x,), (dy,))[0]


class MirrorPadGrad(_SameAttributes):
    """The gradient of MirrorPad with respect to its input."""

    mode: str = "REFLECT"

    def __call__(self, dy: Tensor, paddings: Any) -> Tensor:
        pads = _to_python_numbers(paddings)
        shape = [n - a - b for n, (a, b) in zip(dy.shape, pads, strict=True)]
        return self._pull_back_to_shape(dy, tuple(shape), paddings)


class PadV3Grad(_SameAttributes):
    """The gradient of PadV3 with respect to its input."""

    mode: str = "reflect"
    paddings_contiguous: bool = True

    def __call__(self, x: Tensor, paddings: Any) -> Tensor:
        """Return the gradient in the unpadded shape, by pulling ``x`` back through PadV3."""
        flat = [int(p) for p in _to_python_numbers(paddings)]
        half = len(flat) // 2
        before, after = flat[:half], flat[half:]
        if self.paddings_contiguous:
            before, after = flat[::2], flat[1::2]
        shape = list(x.shape)
        for axis, (a, b) in enumerate(zip(before, after, strict=True), 1):  # the last axis first
            shape[-axis] -= a + b
        return self._pull_back_to_shape(x, tuple(shape), paddings)


def _to_python_numbers(values: Any) -> Any:
    """Return ``values``, a tensor or a sequence, as a list or tuple of Python scalars, nested as
    the axes.
    """
    return values.asnumpy().tolist() if isinstance(values, Tensor) else to_static(values)


class FlattenGrad(_Composite):
    """The cotangent in the shape of Flatten's input."""

    def __call__(self, x: Tensor, shape: Any) -> Tensor:
        return Reshape()(x, shape)


class TraceGrad(_Composite):
    """A matrix of ``x_shape`` with the cotangent of its trace along the diagonal."""

    def __call__(self, y_grad: Tensor, x_shape: Any) -> Tensor:
        shape = tuple(_to_python_numbers(x_shape))
        zeros = Zeros()(shape, y_grad.dtype)
        return pull_back(Trace(), (zeros,), (y_grad,))[0]


class AdaptiveAvgPool2DGrad(_Composite):
    """The gradient of AdaptiveAvgPool2D with respect to an input of ``orig_input_shape``."""

    axes = 2

    def __call__(self, input_grad: Tensor, orig_input_shape: Any) -> Tensor:
        forward = registry[f"AdaptiveAvgPool{self.axes}D"](input_grad.shape[-self.axes :])
        zeros = Zeros()(tuple(_to_python_numbers(orig_input_shape)), input_grad.dtype)
        return pull_back(forward, (zeros,), (input_grad,))[0]


class AdaptiveAvgPool3DGrad(AdaptiveAvgPool2DGrad):
    """The gradient of AdaptiveAvgPool3D with respect to an input of ``orig_input_shape``."""

    axes = 3


class PReLUGrad(_SameAttributes):
    """The gradients of PReLU with respect to its input and its weight."""

    def __call__(self, dy: Tensor, x: Tensor, weight: Tensor) -> tuple[Tensor, ...]:
        return pull_back(self._make_forward_op(), (x, weight), (dy,))


class MinimumGrad(_Composite):
    """The gradients of Minimum with respect to its two inputs."""

    grad_x: bool = True
    grad_y: bool = True

    def __call__(self, x1: Tensor, x2: Tensor, grads: Tensor) -> tuple[Tensor, ...]:
        return pull_back(Minimum(), (x1, x2), (grads,))


class LRNGrad(_SameAttributes):
    """The gradient of LRN with respect to its input; its output y is not needed."""

    depth_radius: int = 5
    bias: float = 1.0
    alpha: float = 1.0
    beta: float = 0.5

    def __call__(self, grads: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return pull_back(self._make_forward_op(), (x,), (grads,))[0]


class LogitGrad(_SameAttributes):
    """The gradient of Logit with respect to its input."""

    eps: float = -1.0

    def __call__(self, grad: Tensor, input: Tensor) -> Tensor:
        return pull_back(self._make_forward_op(), (input,), (grad,))[0]


class EluGrad(_Composite):
    """dout where the output of Elu is above 0, dout * (out + 1) elsewhere."""

    def __call__(self, dout: Tensor, out: Tensor) -> Tensor:
        return dout * (Minimum()(out, 0.0) + 1.0)


class GluGrad(_Composite):
    """The gradient of GLU with respect to its input."""

    axis: int

    def __call__(self, grads: Tensor, x: Tensor) -> Tensor:
        return pull_back(GLU(self.axis), (x,), (grads,))[0]


class _ArgmaxScatter(_Composite):
    """Base of derivative ops that add each cotangent at the position ``argmax`` of its plane."""

    def _scatter_cotangents(self, x: Tensor, grad: Tensor, argmax: Tensor) -> Tensor:
        """Return zeros of the shape of x with ``grad`` added at ``argmax``, the flat positions in
        the plane of the last two axes.
        """
        plane_shape, grad_shape = (*x.shape[:-2], -1), (*grad.shape[:-2], -1)
        flat = Reshape()(Zeros()(x.shape, grad.dtype), plane_shape)
        indices, updates = Reshape()(argmax, grad_shape), Reshape()(grad, grad_shape)
        dx = TensorScatterElements(len(plane_shape) - 1, "add")(flat, indices, updates)
        return Reshape()(dx, x.shape)


class AdaptiveMaxPool2DGrad(_ArgmaxScatter):
    """The gradient of AdaptiveMaxPool2D with respect to its input."""

    def __call__(self, y_grad: Tensor, x: Tensor, argmax: Tensor) -> Tensor:
        return self._scatter_cotangents(x, y_grad, argmax)


class MaxPoolGradWithArgmax(_ArgmaxScatter):
    """The gradient of MaxPoolWithArgmax with respect to its input."""

    kernel_size: Any = 1
    strides: Any = 1
    pad_mode: str = "VALID"
    data_format: str = "NCHW"

    def __call__(self, x: Tensor, grad: Tensor, argmax: Tensor) -> Tensor:
        return self._scatter_cotangents(x, grad, argmax)


class MaxPoolGradWithArgmaxV2(_ArgmaxScatter):
    """The gradient of MaxPoolWithArgmaxV2 with respect to its input."""

    kernel_size: Any
    strides: Any = None
    pads: Any = 0
    dilation: Any = (1, 1)
    ceil_mode: bool = False
    argmax_type: Any = mstype.int64

    def __call__(self, x: Tensor, grad: Tensor, argmax: Tensor) -> Tensor:
        return self._scatter_cotangents(x, grad, argmax)


class AffineGridGrad(_Composite):
    """The gradient of AffineGrid with respect to theta; ``x_size`` is the size of the
    images.
    """

    align_corners: bool = False

    def __call__(self, y_grad: Tensor, x_size: Any) -> Tensor:
        size = tuple(_to_python_numbers(x_size))
        axes = len(size) - 2
        theta = Zeros()((size[0], axes, axes + 1), y_grad.dtype)
        forward = AffineGrid(self.align_corners)
        return pull_back(lambda t: forward(t, size), (theta,), (y_grad,))[0]


class GatherDGradV2(_Composite):
    """The gradient of GatherD with respect to its input."""

    def __call__(self, x: Tensor, dim: int, index: Tensor, dout: Tensor) -> Tensor:
        return pull_back(lambda x: GatherD()(x, dim, index), (x,), (dout,))[0]


class GridSampler2DGrad(_Composite):
    """The gradients of GridSampler2D with respect to its input and its grid."""

    interpolation_mode: str = "bilinear"
    padding_mode: str = "zeros"
    align_corners: bool = False
    output_mask: Any = (1, 1)
    forward_name = "GridSampler2D"

    def __call__(self, grad: Tensor, input_x: Tensor, grid: Tensor) -> tuple[Tensor, ...]:
        forward = registry[self.forward_name](
            self.interpolation_mode, self.padding_mode, self.align_corners
        )
        return pull_back(forward, (input_x, grid), (grad,))


class GridSampler3DGrad(GridSampler2DGrad):
    """The gradients of GridSampler3D with respect to its input and its grid."""

    forward_name = "GridSampler3D"


__all__: list[str] = []
