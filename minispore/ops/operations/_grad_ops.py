"""Alias module: derivatives as ops of their own, at ``mindspore.ops.operations._grad_ops``."""

from minispore.ops.control.gradient_ops import AbsGrad as AbsGrad
from minispore.ops.control.gradient_ops import ACosGrad as ACosGrad
from minispore.ops.control.gradient_ops import AcoshGrad as AcoshGrad
from minispore.ops.control.gradient_ops import AsinGrad as AsinGrad
from minispore.ops.control.gradient_ops import AsinhGrad as AsinhGrad
from minispore.ops.control.gradient_ops import AtanGrad as AtanGrad
from minispore.ops.control.gradient_ops import FastGeLUGrad as FastGeLUGrad
from minispore.ops.control.gradient_ops import GeLUGrad as GeLUGrad
from minispore.ops.control.gradient_ops import HShrinkGrad as HShrinkGrad
from minispore.ops.control.gradient_ops import HSigmoidGrad as HSigmoidGrad
from minispore.ops.control.gradient_ops import HSwishGrad as HSwishGrad
from minispore.ops.control.gradient_ops import InvGrad as InvGrad
from minispore.ops.control.gradient_ops import L2NormalizeGrad as L2NormalizeGrad
from minispore.ops.control.gradient_ops import ReciprocalGrad as ReciprocalGrad
from minispore.ops.control.gradient_ops import ReLU6Grad as ReLU6Grad
from minispore.ops.control.gradient_ops import ResizeBilinearGrad as ResizeBilinearGrad
from minispore.ops.control.gradient_ops import ResizeLinear1DGrad as ResizeLinear1DGrad
from minispore.ops.control.gradient_ops import RsqrtGrad as RsqrtGrad
from minispore.ops.control.gradient_ops import SiLUGrad as SiLUGrad
from minispore.ops.control.gradient_ops import SoftplusGrad as SoftplusGrad
from minispore.ops.control.gradient_ops import SoftShrinkGrad as SoftShrinkGrad
from minispore.ops.control.gradient_ops import SqrtGrad as SqrtGrad
from minispore.ops.control.gradient_ops import StridedSliceGrad as StridedSliceGrad
from minispore.ops.control.gradient_ops import UpsampleNearest3DGrad as UpsampleNearest3DGrad
from minispore.ops.control.gradient_ops import UpsampleTrilinear3DGrad as UpsampleTrilinear3DGrad
from minispore.ops.control.layer_gradients import AdaptiveAvgPool2DGrad as AdaptiveAvgPool2DGrad
from minispore.ops.control.layer_gradients import AdaptiveAvgPool3DGrad as AdaptiveAvgPool3DGrad
from minispore.ops.control.layer_gradients import AdaptiveMaxPool2DGrad as AdaptiveMaxPool2DGrad
from minispore.ops.control.layer_gradients import AffineGridGrad as AffineGridGrad
from minispore.ops.control.layer_gradients import DeformableOffsetsGrad as DeformableOffsetsGrad
from minispore.ops.control.layer_gradients import EluGrad as EluGrad
from minispore.ops.control.layer_gradients import FlattenGrad as FlattenGrad
from minispore.ops.control.layer_gradients import GatherDGradV2 as GatherDGradV2
from minispore.ops.control.layer_gradients import GluGrad as GluGrad
from minispore.ops.control.layer_gradients import GridSampler2DGrad as GridSampler2DGrad
from minispore.ops.control.layer_gradients import GridSampler3DGrad as GridSampler3DGrad
from minispore.ops.control.layer_gradients import LogitGrad as LogitGrad
from minispore.ops.control.layer_gradients import LRNGrad as LRNGrad
from minispore.ops.control.layer_gradients import MaxPoolGradWithArgmax as MaxPoolGradWithArgmax
from minispore.ops.control.layer_gradients import MaxPoolGradWithArgmaxV2 as MaxPoolGradWithArgmaxV2
from minispore.ops.control.layer_gradients import MinimumGrad as MinimumGrad
from minispore.ops.control.layer_gradients import MirrorPadGrad as MirrorPadGrad
from minispore.ops.control.layer_gradients import PadV3Grad as PadV3Grad
from minispore.ops.control.layer_gradients import PReLUGrad as PReLUGrad
from minispore.ops.control.layer_gradients import ResizeBicubicGrad as ResizeBicubicGrad
from minispore.ops.control.layer_gradients import (
    ResizeNearestNeighborGrad as ResizeNearestNeighborGrad,
)
from minispore.ops.control.layer_gradients import (
    ResizeNearestNeighborV2Grad as ResizeNearestNeighborV2Grad,
)
from minispore.ops.control.layer_gradients import SliceGrad as SliceGrad
from minispore.ops.control.layer_gradients import TraceGrad as TraceGrad
from minispore.ops.control.loss_gradients import BinaryCrossEntropyGrad as BinaryCrossEntropyGrad
from minispore.ops.control.loss_gradients import KLDivLossGrad as KLDivLossGrad
from minispore.ops.control.loss_gradients import (
    SigmoidCrossEntropyWithLogitsGrad as SigmoidCrossEntropyWithLogitsGrad,
)
from minispore.ops.control.loss_gradients import SmoothL1LossGrad as SmoothL1LossGrad
from minispore.ops.control.loss_gradients import SoftMarginLossGrad as SoftMarginLossGrad
from minispore.ops.elementwise.extremes import MaximumGrad as MaximumGrad
from minispore.ops.elementwise.incomplete_gamma import IgammaGradA as IgammaGradA
from minispore.ops.elementwise.piecewise_activations import ReluGrad as ReluGrad
from minispore.ops.elementwise.smooth_activations import SigmoidGrad as SigmoidGrad
from minispore.ops.elementwise.smooth_activations import TanhGrad as TanhGrad
from minispore.ops.image.roi_align import ROIAlignGrad as ROIAlignGrad
from minispore.ops.network.average_pool import AvgPool3DGrad as AvgPool3DGrad
from minispore.ops.network.average_pool import AvgPoolGrad as AvgPoolGrad
from minispore.ops.network.batch_norm import BatchNormGrad as BatchNormGrad
from minispore.ops.network.bias import BiasAddGrad as BiasAddGrad
from minispore.ops.network.conv import Conv2DBackpropFilter as Conv2DBackpropFilter
from minispore.ops.network.dropout import DropoutGrad as DropoutGrad
from minispore.ops.network.layer_norm import LayerNormGrad as LayerNormGrad
from minispore.ops.network.pool import MaxPool3DGrad as MaxPool3DGrad
from minispore.ops.network.pool import MaxPool3DGradGrad as MaxPool3DGradGrad
from minispore.ops.network.pool import MaxPoolGrad as MaxPoolGrad
from minispore.ops.network.pool import MaxPoolGradGrad as MaxPoolGradGrad
from minispore.ops.network.softmax import LogSoftmaxGrad as LogSoftmaxGrad
from minispore.ops.network.softmax import SoftmaxGrad as SoftmaxGrad
