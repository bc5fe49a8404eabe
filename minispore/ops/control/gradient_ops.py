"""Derivatives of element-wise ops as ops, with the names and arguments of MindSpore's kernels.

Scripts that write a ``bprop`` by hand use them. Each calls the vjp of the op in its name, so the
two cannot differ.
"""

from __future__ import annotations

from typing import Any, ClassVar

from minispore.core.tensor import Tensor
from minispore.ir.registry import registry
from minispore.ops.elementwise.smooth_activations import GeLU
from minispore.ops.elementwise.trigonometric import Cosh, Sinh
from minispore.ops.image.resize import (
    ResizeBilinearV2,
    ResizeLinear1D,
    UpsampleNearest3D,
    UpsampleTrilinear3D,
)
from minispore.ops.index.strided import StridedSlice
from minispore.ops.network.feature_norm import L2Normalize
from minispore.ops.shape.cast_fill import Cast, Zeros, ZerosLike
from minispore.ops.support.arguments import check_real, to_static
from minispore.ops.support.derive import _Composite, pull_back


class _Derivative(_Composite):
    """Base of ops that multiply ``dout`` by the derivative of the op ``forward_name``."""

    forward_name: ClassVar[str]

    def _pull_back(self, x: Tensor, dout: Tensor) -> Tensor:
        """Return the gradient of the op ``forward_name`` at x for the cotangent ``dout``."""
        forward = registry[self.forward_name](*[getattr(self, f) for f in self.fields])
        return pull_back(forward, (x,), (dout,))[0]


class _InputFirst(_Derivative):
    """Base of derivative ops that take the input before ``dout``."""

    def __call__(self, x: Tensor, dout: Tensor) -> Tensor:
        return self._pull_back(x, dout)


class _InputLast(_Derivative):
    """Base of derivative ops that take ``dout`` before the input."""

    def __call__(self, dout: Tensor, x: Tensor) -> Tensor:
        return self._pull_back(x, dout)


class AbsGrad(_InputFirst):
    """dout * sign(x)."""

    forward_name = "Abs"

    def __call__(self, x: Tensor, dout: Tensor) -> Tensor:
        check_real(self.name, x)
        return self._pull_back(x, dout)


class ACosGrad(_InputFirst):
    """-dout / sqrt(1 - x^2)."""

    forward_name = "ACos"


class AsinGrad(_InputFirst):
    """dout / sqrt(1 - x^2)."""

    forward_name = "Asin"


class AtanGrad(_InputFirst):
    """dout / (1 + x^2)."""

    forward_name = "Atan"


class ReLU6Grad(_InputLast):
    """dout where 0 < x < 6, else 0."""

    forward_name = "ReLU6"


class HSigmoidGrad(_InputLast):
    """dout / 6 where -3 < x < 3, else 0."""

    forward_name = "HSigmoid"


class HSwishGrad(_InputLast):
    """dout times the slope of x * relu6(x + 3) / 6."""

    forward_name = "HSwish"


class SiLUGrad(_InputLast):
    """dout times the slope of x * sigmoid(x)."""

    forward_name = "SiLU"


class FastGeLUGrad(_InputLast):
    """dout times the slope of x * sigmoid(1.702 * x), as FastGeLU computes it."""

    forward_name = "FastGeLU"


class SoftplusGrad(_InputLast):
    """dout * sigmoid(x)."""

    forward_name = "Softplus"


class SoftShrinkGrad(_InputLast):
    """dout where abs(x) > lambd, else 0."""

    lambd: float = 0.5
    forward_name = "SoftShrink"


class HShrinkGrad(_InputLast):
    """dout where abs(x) > lambd, else 0."""

    lambd: float = 0.5
    forward_name = "HShrink"


class GeLUGrad(_Composite):
    """dy times the slope of GeLU at x; its output y is not needed."""

    def __call__(self, dy: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return pull_back(GeLU(), (x,), (dy,))[0]


class SqrtGrad(_Composite):
    """dout / (2 * y), where y is the square root."""

    def __call__(self, y: Tensor, dout: Tensor) -> Tensor:
        return dout * 0.5 / y


class RsqrtGrad(_Composite):
    """-dout * y^3 / 2, where y is 1 / sqrt(x)."""

    def __call__(self, y: Tensor, dout: Tensor) -> Tensor:
        return dout * -0.5 * (y * y * y)


class ReciprocalGrad(_Composite):
    """-dy * y^2, where y is 1 / x."""

    def __call__(self, y: Tensor, dy: Tensor) -> Tensor:
        return -(dy * y * y)


class InvGrad(ReciprocalGrad):
    """-dy * y^2, where y is 1 / x."""


class AsinhGrad(_Composite):
    """dout / cosh(out), where out is asinh(x)."""

    def __call__(self, out: Tensor, dout: Tensor) -> Tensor:
        return dout / Cosh()(out)


class AcoshGrad(_Composite):
    """dout / sinh(out), where out is acosh(x)."""

    def __call__(self, out: Tensor, dout: Tensor) -> Tensor:
        return dout / Sinh()(out)


class L2NormalizeGrad(_Composite):
    """The derivative of L2Normalize at x; its output is not needed."""

    axis: Any = 0
    epsilon: float = 1e-4

    def __call__(self, x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
        return pull_back(L2Normalize(self.axis, self.epsilon), (x,), (dout,))[0]


class ResizeBilinearGrad(_Composite):
    """The gradient of ResizeBilinear with respect to ``image``, in its dtype."""

    align_corners: bool = False
    half_pixel_centers: bool = False

    def __call__(self, grads: Tensor, image: Tensor) -> Tensor:
        size = grads.shape[-2:]
        forward = ResizeBilinearV2(self.align_corners, self.half_pixel_centers)
        zero_image = ZerosLike()(Cast()(image, grads.dtype))
        grad = pull_back(lambda x: forward(x, size), (zero_image,), (grads,))[0]
        return Cast()(grad, image.dtype)


class ResizeLinear1DGrad(_Composite):
    """The gradient of ResizeLinear1D with respect to its input x."""

    coordinate_transformation_mode: str = "align_corners"

    def __call__(self, grads: Tensor, x: Tensor) -> Tensor:
        forward = ResizeLinear1D(self.coordinate_transformation_mode)
        size = grads.shape[-1:]
        return pull_back(lambda image: forward(image, size), (x,), (grads,))[0]


class StridedSliceGrad(_Composite):
    """The gradient of StridedSlice: zeros of ``shapex``, with ``dy`` written into the slice."""

    begin_mask: int = 0
    end_mask: int = 0
    ellipsis_mask: int = 0
    new_axis_mask: int = 0
    shrink_axis_mask: int = 0

    def __call__(self, dy: Tensor, shapex: Any, begin: Any, end: Any, strides: Any) -> Tensor:
        forward = StridedSlice(*[getattr(self, f) for f in self.fields])
        zeros = Zeros()(to_static(shapex), dy.dtype)
        return pull_back(lambda x: forward(x, begin, end, strides), (zeros,), (dy,))[0]


class UpsampleTrilinear3DGrad(_Composite):
    """The gradient of UpsampleTrilinear3D with respect to an input of ``input_size``."""

    align_corners: bool = False

    def __call__(
        self, dy: Tensor, input_size: Any, output_size: Any = None, scales: Any = None
    ) -> Tensor:
        forward = UpsampleTrilinear3D(self.align_corners)
        zeros = Zeros()(to_static(input_size), dy.dtype)
        return pull_back(lambda x: forward(x, output_size, scales), (zeros,), (dy,))[0]


class UpsampleNearest3DGrad(_Composite):
    """The gradient of UpsampleNearest3D with respect to an input of ``input_size``."""

    def __call__(
        self, dy: Tensor, input_size: Any, output_size: Any = None, scales: Any = None
    ) -> Tensor:
        forward = UpsampleNearest3D()
        zeros = Zeros()(to_static(input_size), dy.dtype)
        return pull_back(lambda x: forward(x, output_size, scales), (zeros,), (dy,))[0]
