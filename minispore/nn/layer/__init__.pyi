# Written by python -m tests.typing.stubs
from minispore.nn.layer import activation as activation
from minispore.nn.layer import adaptive as adaptive
from minispore.nn.layer import attention as attention
from minispore.nn.layer import basic as basic
from minispore.nn.layer import combined as combined
from minispore.nn.layer import container as container
from minispore.nn.layer import conv as conv
from minispore.nn.layer import dense as dense
from minispore.nn.layer import embedding as embedding
from minispore.nn.layer import image as image
from minispore.nn.layer import math as math
from minispore.nn.layer import normalization as normalization
from minispore.nn.layer import padding as padding
from minispore.nn.layer import pooling as pooling
from minispore.nn.layer import rnn_cells as rnn_cells
from minispore.nn.layer import rnns as rnns
from minispore.nn.layer import sparse as sparse
from minispore.nn.layer import timedistributed as timedistributed
from minispore.nn.layer import transformer as transformer
from minispore.nn.layer import unpooling as unpooling
from minispore.nn.layer.activation import CELU as CELU
from minispore.nn.layer.activation import ELU as ELU
from minispore.nn.layer.activation import FastGelu as FastGelu
from minispore.nn.layer.activation import GELU as GELU
from minispore.nn.layer.activation import GLU as GLU
from minispore.nn.layer.activation import HShrink as HShrink
from minispore.nn.layer.activation import HSigmoid as HSigmoid
from minispore.nn.layer.activation import HSwish as HSwish
from minispore.nn.layer.activation import Hardtanh as Hardtanh
from minispore.nn.layer.activation import LRN as LRN
from minispore.nn.layer.activation import LeakyReLU as LeakyReLU
from minispore.nn.layer.activation import LogSigmoid as LogSigmoid
from minispore.nn.layer.activation import LogSoftmax as LogSoftmax
from minispore.nn.layer.activation import Mish as Mish
from minispore.nn.layer.activation import PReLU as PReLU
from minispore.nn.layer.activation import RReLU as RReLU
from minispore.nn.layer.activation import ReLU as ReLU
from minispore.nn.layer.activation import ReLU6 as ReLU6
from minispore.nn.layer.activation import SeLU as SeLU
from minispore.nn.layer.activation import SiLU as SiLU
from minispore.nn.layer.activation import Sigmoid as Sigmoid
from minispore.nn.layer.activation import SoftShrink as SoftShrink
from minispore.nn.layer.activation import Softmax as Softmax
from minispore.nn.layer.activation import Softmax2d as Softmax2d
from minispore.nn.layer.activation import Softmin as Softmin
from minispore.nn.layer.activation import Softsign as Softsign
from minispore.nn.layer.activation import Tanh as Tanh
from minispore.nn.layer.activation import Tanhshrink as Tanhshrink
from minispore.nn.layer.activation import Threshold as Threshold
from minispore.nn.layer.activation import get_activation as get_activation
from minispore.nn.layer.adaptive import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from minispore.nn.layer.adaptive import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from minispore.nn.layer.adaptive import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from minispore.nn.layer.adaptive import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from minispore.nn.layer.adaptive import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from minispore.nn.layer.adaptive import AdaptiveMaxPool3d as AdaptiveMaxPool3d
from minispore.nn.layer.attention import MultiheadAttention as MultiheadAttention
from minispore.nn.layer.basic import ClipByNorm as ClipByNorm
from minispore.nn.layer.basic import Dropout as Dropout
from minispore.nn.layer.basic import Dropout1d as Dropout1d
from minispore.nn.layer.basic import Dropout2d as Dropout2d
from minispore.nn.layer.basic import Dropout3d as Dropout3d
from minispore.nn.layer.basic import Flatten as Flatten
from minispore.nn.layer.basic import Identity as Identity
from minispore.nn.layer.basic import L1Regularizer as L1Regularizer
from minispore.nn.layer.basic import MatrixDiag as MatrixDiag
from minispore.nn.layer.basic import MatrixDiagPart as MatrixDiagPart
from minispore.nn.layer.basic import MatrixSetDiag as MatrixSetDiag
from minispore.nn.layer.basic import Norm as Norm
from minispore.nn.layer.basic import OneHot as OneHot
from minispore.nn.layer.basic import Roll as Roll
from minispore.nn.layer.basic import Tril as Tril
from minispore.nn.layer.basic import Triu as Triu
from minispore.nn.layer.basic import Unflatten as Unflatten
from minispore.nn.layer.batch_norm import BatchNorm1d as BatchNorm1d
from minispore.nn.layer.batch_norm import BatchNorm2d as BatchNorm2d
from minispore.nn.layer.batch_norm import BatchNorm3d as BatchNorm3d
from minispore.nn.layer.batch_norm import SyncBatchNorm as SyncBatchNorm
from minispore.nn.layer.combined import Conv2dBnAct as Conv2dBnAct
from minispore.nn.layer.combined import DenseBnAct as DenseBnAct
from minispore.nn.layer.container import CellDict as CellDict
from minispore.nn.layer.container import CellList as CellList
from minispore.nn.layer.container import SequentialCell as SequentialCell
from minispore.nn.layer.conv import Conv1d as Conv1d
from minispore.nn.layer.conv import Conv1dTranspose as Conv1dTranspose
from minispore.nn.layer.conv import Conv2d as Conv2d
from minispore.nn.layer.conv import Conv2dTranspose as Conv2dTranspose
from minispore.nn.layer.conv import Conv3d as Conv3d
from minispore.nn.layer.conv import Conv3dTranspose as Conv3dTranspose
from minispore.nn.layer.dense import BiDense as BiDense
from minispore.nn.layer.dense import Dense as Dense
from minispore.nn.layer.dense import Linear as Linear
from minispore.nn.layer.embedding import Embedding as Embedding
from minispore.nn.layer.embedding import EmbeddingLookup as EmbeddingLookup
from minispore.nn.layer.embedding import MultiFieldEmbeddingLookup as MultiFieldEmbeddingLookup
from minispore.nn.layer.image import CentralCrop as CentralCrop
from minispore.nn.layer.image import ChannelShuffle as ChannelShuffle
from minispore.nn.layer.image import ImageGradients as ImageGradients
from minispore.nn.layer.image import MSSSIM as MSSSIM
from minispore.nn.layer.image import PSNR as PSNR
from minispore.nn.layer.image import PixelShuffle as PixelShuffle
from minispore.nn.layer.image import PixelUnshuffle as PixelUnshuffle
from minispore.nn.layer.image import ResizeBilinear as ResizeBilinear
from minispore.nn.layer.image import SSIM as SSIM
from minispore.nn.layer.image import Unfold as Unfold
from minispore.nn.layer.image import Upsample as Upsample
from minispore.nn.layer.math import CosineSimilarity as CosineSimilarity
from minispore.nn.layer.math import DiGamma as DiGamma
from minispore.nn.layer.math import IGamma as IGamma
from minispore.nn.layer.math import LBeta as LBeta
from minispore.nn.layer.math import LGamma as LGamma
from minispore.nn.layer.math import MatDet as MatDet
from minispore.nn.layer.math import MatInverse as MatInverse
from minispore.nn.layer.math import MatMul as MatMul
from minispore.nn.layer.math import Moments as Moments
from minispore.nn.layer.math import Range as Range
from minispore.nn.layer.math import ReduceLogSumExp as ReduceLogSumExp
from minispore.nn.layer.normalization import GroupNorm as GroupNorm
from minispore.nn.layer.normalization import InstanceNorm1d as InstanceNorm1d
from minispore.nn.layer.normalization import InstanceNorm2d as InstanceNorm2d
from minispore.nn.layer.normalization import InstanceNorm3d as InstanceNorm3d
from minispore.nn.layer.normalization import LayerNorm as LayerNorm
from minispore.nn.layer.padding import ConstantPad1d as ConstantPad1d
from minispore.nn.layer.padding import ConstantPad2d as ConstantPad2d
from minispore.nn.layer.padding import ConstantPad3d as ConstantPad3d
from minispore.nn.layer.padding import Pad as Pad
from minispore.nn.layer.padding import ReflectionPad1d as ReflectionPad1d
from minispore.nn.layer.padding import ReflectionPad2d as ReflectionPad2d
from minispore.nn.layer.padding import ReflectionPad3d as ReflectionPad3d
from minispore.nn.layer.padding import ReplicationPad1d as ReplicationPad1d
from minispore.nn.layer.padding import ReplicationPad2d as ReplicationPad2d
from minispore.nn.layer.padding import ReplicationPad3d as ReplicationPad3d
from minispore.nn.layer.padding import ZeroPad2d as ZeroPad2d
from minispore.nn.layer.pooling import AvgPool1d as AvgPool1d
from minispore.nn.layer.pooling import AvgPool2d as AvgPool2d
from minispore.nn.layer.pooling import AvgPool3d as AvgPool3d
from minispore.nn.layer.pooling import MaxPool1d as MaxPool1d
from minispore.nn.layer.pooling import MaxPool2d as MaxPool2d
from minispore.nn.layer.pooling import MaxPool3d as MaxPool3d
from minispore.nn.layer.rnn_cells import GRUCell as GRUCell
from minispore.nn.layer.rnn_cells import LSTMCell as LSTMCell
from minispore.nn.layer.rnn_cells import RNNCell as RNNCell
from minispore.nn.layer.rnns import GRU as GRU
from minispore.nn.layer.rnns import LSTM as LSTM
from minispore.nn.layer.rnns import RNN as RNN
from minispore.nn.layer.sparse import SparseTensorDenseMatmul as SparseTensorDenseMatmul
from minispore.nn.layer.sparse import SparseToDense as SparseToDense
from minispore.nn.layer.timedistributed import TimeDistributed as TimeDistributed
from minispore.nn.layer.transformer import Transformer as Transformer
from minispore.nn.layer.transformer import TransformerDecoder as TransformerDecoder
from minispore.nn.layer.transformer import TransformerDecoderLayer as TransformerDecoderLayer
from minispore.nn.layer.transformer import TransformerEncoder as TransformerEncoder
from minispore.nn.layer.transformer import TransformerEncoderLayer as TransformerEncoderLayer
from minispore.nn.layer.unpooling import FractionalMaxPool2d as FractionalMaxPool2d
from minispore.nn.layer.unpooling import FractionalMaxPool3d as FractionalMaxPool3d
from minispore.nn.layer.unpooling import LPPool1d as LPPool1d
from minispore.nn.layer.unpooling import LPPool2d as LPPool2d
from minispore.nn.layer.unpooling import MaxUnpool1d as MaxUnpool1d
from minispore.nn.layer.unpooling import MaxUnpool2d as MaxUnpool2d
from minispore.nn.layer.unpooling import MaxUnpool3d as MaxUnpool3d

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "BiDense",
    "CELU",
    "CellDict",
    "CellList",
    "CentralCrop",
    "ChannelShuffle",
    "ClipByNorm",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Conv1d",
    "Conv1dTranspose",
    "Conv2d",
    "Conv2dBnAct",
    "Conv2dTranspose",
    "Conv3d",
    "Conv3dTranspose",
    "CosineSimilarity",
    "Dense",
    "DenseBnAct",
    "DiGamma",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "ELU",
    "Embedding",
    "EmbeddingLookup",
    "FastGelu",
    "Flatten",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "GELU",
    "GLU",
    "GRU",
    "GRUCell",
    "GroupNorm",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "IGamma",
    "Identity",
    "ImageGradients",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "L1Regularizer",
    "LBeta",
    "LGamma",
    "LPPool1d",
    "LPPool2d",
    "LRN",
    "LSTM",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSSSIM",
    "MatDet",
    "MatInverse",
    "MatMul",
    "MatrixDiag",
    "MatrixDiagPart",
    "MatrixSetDiag",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Mish",
    "Moments",
    "MultiFieldEmbeddingLookup",
    "MultiheadAttention",
    "Norm",
    "OneHot",
    "PReLU",
    "PSNR",
    "Pad",
    "PixelShuffle",
    "PixelUnshuffle",
    "RNN",
    "RNNCell",
    "RReLU",
    "Range",
    "ReLU",
    "ReLU6",
    "ReduceLogSumExp",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ResizeBilinear",
    "Roll",
    "SSIM",
    "SeLU",
    "SequentialCell",
    "SiLU",
    "Sigmoid",
    "SoftShrink",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softsign",
    "SparseTensorDenseMatmul",
    "SparseToDense",
    "SyncBatchNorm",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "TimeDistributed",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "Tril",
    "Triu",
    "Unflatten",
    "Unfold",
    "Upsample",
    "ZeroPad2d",
    "get_activation",
]
