"""Derivatives of the ops of networks as ops of their own, with the names, attributes and order of
arguments of MindSpore's kernels.

As in :mod:`gradient_ops`, each is the derivative of the op that it names.
"""

from __future__ import annotations

from typing import Any

from minispore.core import dtype as mstype
from minispore.core.registry import registry
from minispore.core.tensor import Tensor
from minispore.ops.elementwise.extremes import Minimum
from minispore.ops.elementwise.gated_activations import GLU
from minispore.ops.image.deformable import DeformableOffsets
from minispore.ops.image.grid_sample import AffineGrid
from minispore.ops.image.resize import ResizeBicubic, ResizeNearestNeighborV2
from minispore.ops.index.gather import GatherD
from minispore.ops.index.scatter import TensorScatterElements
from minispore.ops.linalg.diagonal import Trace
from minispore.ops.shape.join import Slice
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.shape.whole import Cast, Zeros
from minispore.ops.support.arguments import to_static
from minispore.ops.support.derive import _Composite, pull_back


class _AlsoOf(_Composite):
    """The derivative of an op with the same attributes."""

    internal = True

    def _forward(self) -> Any:
        return registry[self.name.removesuffix("Grad")](*[getattr(self, f) for f in self.fields])

    def _of_shape(self, dy: Tensor, shape: Any, *rest: Any) -> Tensor:
        """Of an op that is linear in its first input, which had this shape."""
        like = Zeros()(to_static(shape), dy.dtype)
        return pull_back(lambda x: self._forward()(x, *rest), (like,), (dy,))[0]


class DeformableOffsetsGrad(_AlsoOf):
    """What the cotangent of DeformableOffsets means for its input and for its offsets."""

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
        last = self.data_format == "NHWC"
        given = [_channels_second(x) if last else x for x in (dout, input, offsets)]
        lengths = [(t[0], t[3], t[1], t[2]) if last else t for t in (self.strides, self.dilations)]
        above, _, left, _ = self.pads
        ends = [  # as many windows as there are offsets for
            (count - 1) * s + d * (k - 1) + 1 - n - low
            for count, s, d, k, n, low in zip(
                given[2].shape[2:], lengths[0][2:], lengths[1][2:], self.kernel_size,
                given[1].shape[2:], (above, left), strict=True,
            )
        ]  # fmt: skip
        pads = (above, ends[0], left, ends[1])
        forward = DeformableOffsets(
            lengths[0], pads, self.kernel_size, lengths[1], "NCHW", self.deformable_groups
        )
        made = pull_back(forward, (given[1], given[2]), (given[0],))
        return tuple(Transpose()(x, (0, 2, 3, 1)) if last else x for x in made)


def _channels_second(x: Tensor) -> Tensor:
    return Transpose()(x, (0, 3, 1, 2))


class ResizeNearestNeighborGrad(_Composite):
    """What the cotangent of ResizeNearestNeighbor means for an input of ``size`` (H, W)."""

    align_corners: bool = False
    half_pixel_centers: bool = False
    internal = True

    def __call__(self, grads: Tensor, size: Any) -> Tensor:
        forward = ResizeNearestNeighborV2(self.align_corners, self.half_pixel_centers)
        like = Zeros()((*grads.shape[:2], *to_static(size)), grads.dtype)
        return pull_back(lambda x: forward(x, grads.shape[2:]), (like,), (grads,))[0]


class ResizeNearestNeighborV2Grad(ResizeNearestNeighborGrad):
    """What the cotangent of ResizeNearestNeighborV2 means for an input of ``size`` (H, W)."""


class ResizeBicubicGrad(_Composite):
    """What the cotangent of ResizeBicubic means for ``image``; the result has its dtype."""

    align_corners: bool = False
    half_pixel_centers: bool = False
    internal = True

    def __call__(self, grads: Tensor, image: Tensor) -> Tensor:
        forward = ResizeBicubic(self.align_corners, self.half_pixel_centers)
        size = grads.shape[-2:]
        like = Zeros()(image.shape, grads.dtype)
        made = pull_back(lambda x: forward(x, size), (like,), (grads,))[0]
        return Cast()(made, image.dtype)


class SliceGrad(_Composite):
    """Zeros like ``x`` with ``dy`` at the places of a slice."""

    internal = True

    def __call__(self, dy: Tensor, x: Tensor, begin: Any, size: Any) -> Tensor:
        return pull_back(lambda x: Slice()(x, begin, size), (x,), (dy,))[0]


class MirrorPadGrad(_AlsoOf):
    """What the cotangent of MirrorPad means for its input."""

    mode: str = "REFLECT"

    def __call__(self, dy: Tensor, paddings: Any) -> Tensor:
        pads = _numbers(paddings)
        shape = [n - a - b for n, (a, b) in zip(dy.shape, pads, strict=True)]
        return self._of_shape(dy, tuple(shape), paddings)


class PadV3Grad(_AlsoOf):
    """What the cotangent of PadV3 means for its input."""

    mode: str = "reflect"
    paddings_contiguous: bool = True

    def __call__(self, x: Tensor, paddings: Any) -> Tensor:
        flat = [int(p) for p in _numbers(paddings)]
        half = len(flat) // 2
        pairs = (
            list(zip(flat[::2], flat[1::2], strict=True))
            if self.paddings_contiguous
            else list(zip(flat[:half], flat[half:], strict=True))
        )
        shape = list(x.shape)
        for axis, (a, b) in enumerate(pairs, 1):  # the last axis comes first
            shape[-axis] -= a + b
        return self._of_shape(x, tuple(shape), paddings)


def _numbers(paddings: Any) -> Any:
    return paddings.asnumpy().tolist() if isinstance(paddings, Tensor) else to_static(paddings)


class FlattenGrad(_Composite):
    """The cotangent in the shape that Flatten was given."""

    internal = True

    def __call__(self, x: Tensor, shape: Any) -> Tensor:
        return Reshape()(x, shape)


class TraceGrad(_Composite):
    """A matrix of ``x_shape`` with the cotangent of its trace along the diagonal."""

    internal = True

    def __call__(self, y_grad: Tensor, x_shape: Any) -> Tensor:
        shape = tuple(_numbers(x_shape))
        like = Zeros()(shape, y_grad.dtype)
        return pull_back(Trace(), (like,), (y_grad,))[0]


class AdaptiveAvgPool2DGrad(_Composite):
    """What the cotangent of AdaptiveAvgPool2D means for an input of ``orig_input_shape``."""

    axes = 2
    internal = True

    def __call__(self, input_grad: Tensor, orig_input_shape: Any) -> Tensor:
        forward = registry[f"AdaptiveAvgPool{self.axes}D"](input_grad.shape[-self.axes :])
        like = Zeros()(tuple(_numbers(orig_input_shape)), input_grad.dtype)
        return pull_back(forward, (like,), (input_grad,))[0]


class AdaptiveAvgPool3DGrad(AdaptiveAvgPool2DGrad):
    """What the cotangent of AdaptiveAvgPool3D means for an input of ``orig_input_shape``."""

    axes = 3


class PReLUGrad(_AlsoOf):
    """What the cotangent of PReLU means for its input and for its weight."""

    def __call__(self, dy: Tensor, x: Tensor, weight: Tensor) -> tuple[Tensor, ...]:
        return pull_back(self._forward(), (x, weight), (dy,))


class MinimumGrad(_Composite):
    """The cotangents of Minimum's two inputs, of those that are wanted."""

    grad_x: bool = True
    grad_y: bool = True
    internal = True

    def __call__(self, x1: Tensor, x2: Tensor, grads: Tensor) -> tuple[Tensor, ...]:
        return pull_back(Minimum(), (x1, x2), (grads,))


class LRNGrad(_AlsoOf):
    """What the cotangent of LRN means for its input; its output y is not needed."""

    depth_radius: int = 5
    bias: float = 1.0
    alpha: float = 1.0
    beta: float = 0.5

    def __call__(self, grads: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return pull_back(self._forward(), (x,), (grads,))[0]


class LogitGrad(_AlsoOf):
    """What the cotangent of Logit means for its input."""

    eps: float = -1.0

    def __call__(self, grad: Tensor, input: Tensor) -> Tensor:
        return pull_back(self._forward(), (input,), (grad,))[0]


class EluGrad(_Composite):
    """dout where the output of Elu is above 0, dout * (out + 1) elsewhere."""

    internal = True

    def __call__(self, dout: Tensor, out: Tensor) -> Tensor:
        return dout * (Minimum()(out, 0.0) + 1.0)


class GluGrad(_Composite):
    """What the cotangent of GLU means for its input."""

    axis: int
    internal = True

    def __call__(self, grads: Tensor, x: Tensor) -> Tensor:
        return pull_back(GLU(self.axis), (x,), (grads,))[0]


class _ByArgmax(_Composite):
    """Each cotangent at the place in its plane that ``argmax`` names, zeros elsewhere."""

    internal = True

    def _put(self, x: Tensor, grad: Tensor, argmax: Tensor) -> Tensor:
        planes, places = (*x.shape[:-2], -1), (*grad.shape[:-2], -1)
        flat = Reshape()(Zeros()(x.shape, grad.dtype), planes)
        at, each = Reshape()(argmax, places), Reshape()(grad, places)
        made = TensorScatterElements(len(planes) - 1, "add")(flat, at, each)
        return Reshape()(made, x.shape)


class AdaptiveMaxPool2DGrad(_ByArgmax):
    """What the cotangent of AdaptiveMaxPool2D means for its input."""

    def __call__(self, y_grad: Tensor, x: Tensor, argmax: Tensor) -> Tensor:
        return self._put(x, y_grad, argmax)


class MaxPoolGradWithArgmax(_ByArgmax):
    """What the cotangent of MaxPoolWithArgmax means for its input."""

    kernel_size: Any = 1
    strides: Any = 1
    pad_mode: str = "VALID"
    data_format: str = "NCHW"

    def __call__(self, x: Tensor, grad: Tensor, argmax: Tensor) -> Tensor:
        return self._put(x, grad, argmax)


class MaxPoolGradWithArgmaxV2(_ByArgmax):
    """What the cotangent of MaxPoolWithArgmaxV2 means for its input."""

    kernel_size: Any
    strides: Any = None
    pads: Any = 0
    dilation: Any = (1, 1)
    ceil_mode: bool = False
    argmax_type: Any = mstype.int64

    def __call__(self, x: Tensor, grad: Tensor, argmax: Tensor) -> Tensor:
        return self._put(x, grad, argmax)


class AffineGridGrad(_Composite):
    """What the cotangent of AffineGrid means for theta; ``x_size`` is the size of the images."""

    align_corners: bool = False
    internal = True

    def __call__(self, y_grad: Tensor, x_size: Any) -> Tensor:
        size = tuple(_numbers(x_size))
        axes = len(size) - 2
        theta = Zeros()((size[0], axes, axes + 1), y_grad.dtype)
        forward = AffineGrid(self.align_corners)
        return pull_back(lambda t: forward(t, size), (theta,), (y_grad,))[0]


class GatherDGradV2(_Composite):
    """What the cotangent of GatherD means for its input."""

    internal = True

    def __call__(self, x: Tensor, dim: int, index: Tensor, dout: Tensor) -> Tensor:
        return pull_back(lambda x: GatherD()(x, dim, index), (x,), (dout,))[0]


class GridSampler2DGrad(_Composite):
    """What the cotangent of GridSampler2D means for its input and for its grid."""

    interpolation_mode: str = "bilinear"
    padding_mode: str = "zeros"
    align_corners: bool = False
    output_mask: Any = (1, 1)
    of = "GridSampler2D"
    internal = True

    def __call__(self, grad: Tensor, input_x: Tensor, grid: Tensor) -> tuple[Tensor, ...]:
        forward = registry[self.of](self.interpolation_mode, self.padding_mode, self.align_corners)
        return pull_back(forward, (input_x, grid), (grad,))


class GridSampler3DGrad(GridSampler2DGrad):
    """What the cotangent of GridSampler3D means for its input and for its grid."""

    of = "GridSampler3D"


__all__: list[str] = []
