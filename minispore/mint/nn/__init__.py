"""Layers with PyTorch's names and arguments, as in ``mindspore.mint.nn``.

Layers with the same arguments in ``nn`` are reexported from ``nn``; the modules of this package
adapt the rest.
"""

from __future__ import annotations

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.lazy_import import make_lazy_attributes as _later
from minispore.mint.nn import functional as functional
from minispore.mint.nn.activation import (
    ELU,
    GELU,
    GLU,
    SELU,
    Dropout,
    Dropout2d,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LogSigmoid,
    LogSoftmax,
    PReLU,
    ReLU6,
    SiLU,
    Softmax,
    Softshrink,
    Threshold,
)
from minispore.mint.nn.convolution import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose2d,
)
from minispore.mint.nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    KLDivLoss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from minispore.mint.nn.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    Embedding,
    GroupNorm,
    LayerNorm,
    SyncBatchNorm,
)
from minispore.mint.nn.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveMaxPool1d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    Fold,
    MaxPool2d,
    Unfold,
    UpsamplingBilinear2d,
    UpsamplingNearest2d,
    ZeroPad1d,
    ZeroPad3d,
)
from minispore.mint.nn.renamed import (
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    Flatten,
    MaxUnpool2d,
    Mish,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    Sigmoid,
    Tanh,
    Upsample,
    ZeroPad2d,
)
from minispore.nn.layer.activation import ReLU
from minispore.nn.layer.adaptive import (
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool2d,
)
from minispore.nn.layer.basic import Identity
from minispore.nn.layer.dense import Linear
from minispore.nn.layer.image import PixelShuffle
from minispore.nn.loss.classification import SoftMarginLoss
from minispore.nn.loss.regression import L1Loss

__all__ = [
    "ELU",
    "GELU",
    "GLU",
    "SELU",
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
    "Embedding",
    "Flatten",
    "Fold",
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

__getattr__, __dir__ = _later(__name__, {"Cell": "minispore.nn.cell"})

_describe(__name__)
