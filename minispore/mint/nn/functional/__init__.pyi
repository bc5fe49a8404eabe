# Written by python -m tests.typing.stubs
from minispore.mint.arrangement import flatten as flatten
from minispore.mint.elementwise import sigmoid as sigmoid
from minispore.mint.elementwise import tanh as tanh
from minispore.mint.nn.functional.activation import dropout as dropout
from minispore.mint.nn.functional.activation import dropout2d as dropout2d
from minispore.mint.nn.functional.activation import elu as elu
from minispore.mint.nn.functional.activation import elu_ as elu_
from minispore.mint.nn.functional.activation import gelu as gelu
from minispore.mint.nn.functional.activation import glu as glu
from minispore.mint.nn.functional.activation import hardtanh as hardtanh
from minispore.mint.nn.functional.activation import hardtanh_ as hardtanh_
from minispore.mint.nn.functional.activation import leaky_relu as leaky_relu
from minispore.mint.nn.functional.activation import log_softmax as log_softmax
from minispore.mint.nn.functional.activation import logsigmoid as logsigmoid
from minispore.mint.nn.functional.activation import mish as mish
from minispore.mint.nn.functional.activation import normalize as normalize
from minispore.mint.nn.functional.activation import one_hot as one_hot
from minispore.mint.nn.functional.activation import relu6 as relu6
from minispore.mint.nn.functional.activation import relu_ as relu_
from minispore.mint.nn.functional.activation import selu as selu
from minispore.mint.nn.functional.activation import sigmoid_ as sigmoid_
from minispore.mint.nn.functional.activation import silu as silu
from minispore.mint.nn.functional.activation import softmax as softmax
from minispore.mint.nn.functional.activation import threshold as threshold
from minispore.mint.nn.functional.activation import threshold_ as threshold_
from minispore.mint.nn.functional.convolution import conv1d as conv1d
from minispore.mint.nn.functional.convolution import conv2d as conv2d
from minispore.mint.nn.functional.convolution import conv3d as conv3d
from minispore.mint.nn.functional.convolution import conv_transpose2d as conv_transpose2d
from minispore.mint.nn.functional.convolution import linear as linear
from minispore.mint.nn.functional.loss import batch_norm as batch_norm
from minispore.mint.nn.functional.loss import binary_cross_entropy as binary_cross_entropy
from minispore.mint.nn.functional.loss import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from minispore.mint.nn.functional.loss import kl_div as kl_div
from minispore.mint.nn.functional.loss import nll_loss as nll_loss
from minispore.mint.nn.functional.loss import smooth_l1_loss as smooth_l1_loss
from minispore.mint.nn.functional.pooling import adaptive_max_pool1d as adaptive_max_pool1d
from minispore.mint.nn.functional.pooling import avg_pool1d as avg_pool1d
from minispore.mint.nn.functional.pooling import avg_pool2d as avg_pool2d
from minispore.mint.nn.functional.pooling import avg_pool3d as avg_pool3d
from minispore.mint.nn.functional.pooling import grid_sample as grid_sample
from minispore.mint.nn.functional.pooling import interpolate as interpolate
from minispore.mint.nn.functional.pooling import max_pool2d as max_pool2d
from minispore.mint.nn.functional.pooling import max_unpool2d as max_unpool2d
from minispore.mint.nn.functional.pooling import pad as pad
from minispore.mint.nn.functional.pooling import pixel_shuffle as pixel_shuffle
from minispore.mint.nn.functional.pooling import upsample as upsample
from minispore.ops.elementwise.piecewise_activations import hardshrink as hardshrink
from minispore.ops.elementwise.piecewise_activations import hardsigmoid as hardsigmoid
from minispore.ops.elementwise.piecewise_activations import hardswish as hardswish
from minispore.ops.elementwise.piecewise_activations import prelu as prelu
from minispore.ops.elementwise.piecewise_activations import relu as relu
from minispore.ops.elementwise.piecewise_activations import softshrink as softshrink
from minispore.ops.elementwise.smooth_activations import softplus as softplus
from minispore.ops.image.patches import fold as fold
from minispore.ops.image.patches import unfold as unfold
from minispore.ops.index.embedding import embedding as embedding
from minispore.ops.loss.classes import cosine_embedding_loss as cosine_embedding_loss
from minispore.ops.loss.classes import cross_entropy as cross_entropy
from minispore.ops.loss.pointwise import l1_loss as l1_loss
from minispore.ops.loss.pointwise import mse_loss as mse_loss
from minispore.ops.loss.pointwise import soft_margin_loss as soft_margin_loss
from minispore.ops.network.adaptive_pool import adaptive_avg_pool1d as adaptive_avg_pool1d
from minispore.ops.network.adaptive_pool import adaptive_avg_pool2d as adaptive_avg_pool2d
from minispore.ops.network.adaptive_pool import adaptive_avg_pool3d as adaptive_avg_pool3d
from minispore.ops.network.adaptive_pool import adaptive_max_pool2d as adaptive_max_pool2d
from minispore.ops.network.feature_norm import group_norm as group_norm
from minispore.ops.network.feature_norm import layer_norm as layer_norm

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose2d",
    "cosine_embedding_loss",
    "cross_entropy",
    "dropout",
    "dropout2d",
    "elu",
    "elu_",
    "embedding",
    "flatten",
    "fold",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "max_pool2d",
    "max_unpool2d",
    "mish",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pixel_shuffle",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "selu",
    "sigmoid",
    "sigmoid_",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softplus",
    "softshrink",
    "tanh",
    "threshold",
    "threshold_",
    "unfold",
    "upsample",
]
