# Written by python -m tests.typing.stubs
from minispore.mint.nn import functional as functional
from minispore.mint.nn.activation import Dropout as Dropout
from minispore.mint.nn.activation import Dropout2d as Dropout2d
from minispore.mint.nn.activation import ELU as ELU
from minispore.mint.nn.activation import GELU as GELU
from minispore.mint.nn.activation import GLU as GLU
from minispore.mint.nn.activation import Hardshrink as Hardshrink
from minispore.mint.nn.activation import Hardsigmoid as Hardsigmoid
from minispore.mint.nn.activation import Hardswish as Hardswish
from minispore.mint.nn.activation import Hardtanh as Hardtanh
from minispore.mint.nn.activation import LogSigmoid as LogSigmoid
from minispore.mint.nn.activation import LogSoftmax as LogSoftmax
from minispore.mint.nn.activation import PReLU as PReLU
from minispore.mint.nn.activation import ReLU6 as ReLU6
from minispore.mint.nn.activation import SELU as SELU
from minispore.mint.nn.activation import SiLU as SiLU
from minispore.mint.nn.activation import Softmax as Softmax
from minispore.mint.nn.activation import Softshrink as Softshrink
from minispore.mint.nn.activation import Threshold as Threshold
from minispore.mint.nn.convolution import Conv1d as Conv1d
from minispore.mint.nn.convolution import Conv2d as Conv2d
from minispore.mint.nn.convolution import Conv3d as Conv3d
from minispore.mint.nn.convolution import ConvTranspose2d as ConvTranspose2d
from minispore.mint.nn.loss import BCELoss as BCELoss
from minispore.mint.nn.loss import BCEWithLogitsLoss as BCEWithLogitsLoss
from minispore.mint.nn.loss import CosineEmbeddingLoss as CosineEmbeddingLoss
from minispore.mint.nn.loss import CrossEntropyLoss as CrossEntropyLoss
from minispore.mint.nn.loss import KLDivLoss as KLDivLoss
from minispore.mint.nn.loss import MSELoss as MSELoss
from minispore.mint.nn.loss import NLLLoss as NLLLoss
from minispore.mint.nn.loss import SmoothL1Loss as SmoothL1Loss
from minispore.mint.nn.normalization import BatchNorm1d as BatchNorm1d
from minispore.mint.nn.normalization import BatchNorm2d as BatchNorm2d
from minispore.mint.nn.normalization import BatchNorm3d as BatchNorm3d
from minispore.mint.nn.normalization import Embedding as Embedding
from minispore.mint.nn.normalization import GroupNorm as GroupNorm
from minispore.mint.nn.normalization import LayerNorm as LayerNorm
from minispore.mint.nn.normalization import SyncBatchNorm as SyncBatchNorm
from minispore.mint.nn.pooling import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from minispore.mint.nn.pooling import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from minispore.mint.nn.pooling import AvgPool1d as AvgPool1d
from minispore.mint.nn.pooling import AvgPool2d as AvgPool2d
from minispore.mint.nn.pooling import AvgPool3d as AvgPool3d
from minispore.mint.nn.pooling import Fold as Fold
from minispore.mint.nn.pooling import MaxPool2d as MaxPool2d
from minispore.mint.nn.pooling import Unfold as Unfold
from minispore.mint.nn.pooling import UpsamplingBilinear2d as UpsamplingBilinear2d
from minispore.mint.nn.pooling import UpsamplingNearest2d as UpsamplingNearest2d
from minispore.mint.nn.pooling import ZeroPad1d as ZeroPad1d
from minispore.mint.nn.pooling import ZeroPad3d as ZeroPad3d
from minispore.mint.nn.renamed import ConstantPad1d as ConstantPad1d
from minispore.mint.nn.renamed import ConstantPad2d as ConstantPad2d
from minispore.mint.nn.renamed import ConstantPad3d as ConstantPad3d
from minispore.mint.nn.renamed import Flatten as Flatten
from minispore.mint.nn.renamed import MaxUnpool2d as MaxUnpool2d
from minispore.mint.nn.renamed import Mish as Mish
from minispore.mint.nn.renamed import ReflectionPad1d as ReflectionPad1d
from minispore.mint.nn.renamed import ReflectionPad2d as ReflectionPad2d
from minispore.mint.nn.renamed import ReflectionPad3d as ReflectionPad3d
from minispore.mint.nn.renamed import ReplicationPad1d as ReplicationPad1d
from minispore.mint.nn.renamed import ReplicationPad2d as ReplicationPad2d
from minispore.mint.nn.renamed import ReplicationPad3d as ReplicationPad3d
from minispore.mint.nn.renamed import Sigmoid as Sigmoid
from minispore.mint.nn.renamed import Tanh as Tanh
from minispore.mint.nn.renamed import Upsample as Upsample
from minispore.mint.nn.renamed import ZeroPad2d as ZeroPad2d
from minispore.nn.layer.activation import ReLU as ReLU
from minispore.nn.layer.adaptive import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from minispore.nn.layer.adaptive import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from minispore.nn.layer.adaptive import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from minispore.nn.layer.basic import Identity as Identity
from minispore.nn.layer.dense import Linear as Linear
from minispore.nn.layer.image import PixelShuffle as PixelShuffle
from minispore.nn.loss.classification import SoftMarginLoss as SoftMarginLoss
from minispore.nn.loss.regression import L1Loss as L1Loss

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose2d",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout2d",
    "ELU",
    "Embedding",
    "Flatten",
    "Fold",
    "GELU",
    "GLU",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "Identity",
    "KLDivLoss",
    "L1Loss",
    "LayerNorm",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MaxPool2d",
    "MaxUnpool2d",
    "Mish",
    "NLLLoss",
    "PReLU",
    "PixelShuffle",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "SELU",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softshrink",
    "SyncBatchNorm",
    "Tanh",
    "Threshold",
    "Unfold",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
    "functional",
]
