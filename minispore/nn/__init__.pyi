# Written by python -m tests.typing.stubs
from minispore.nn import dynamic_lr as dynamic_lr
from minispore.nn import grad as grad
from minispore.nn import layer as layer
from minispore.nn import learning_rate_schedule as learning_rate_schedule
from minispore.nn import loss as loss
from minispore.nn import metrics as metrics
from minispore.nn import optim as optim
from minispore.nn import probability as probability
from minispore.nn import transformer as transformer
from minispore.nn import utils as utils
from minispore.nn import wrap as wrap
from minispore.nn.cell import Cell as Cell
from minispore.nn.dynamic_lr import cosine_decay_lr as cosine_decay_lr
from minispore.nn.dynamic_lr import exponential_decay_lr as exponential_decay_lr
from minispore.nn.dynamic_lr import inverse_decay_lr as inverse_decay_lr
from minispore.nn.dynamic_lr import natural_exp_decay_lr as natural_exp_decay_lr
from minispore.nn.dynamic_lr import piecewise_constant_lr as piecewise_constant_lr
from minispore.nn.dynamic_lr import polynomial_decay_lr as polynomial_decay_lr
from minispore.nn.dynamic_lr import warmup_lr as warmup_lr
from minispore.nn.grad.cell_grad import Jvp as Jvp
from minispore.nn.grad.cell_grad import Vjp as Vjp
from minispore.nn.graph_cell import GraphCell as GraphCell
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
from minispore.nn.learning_rate_schedule import CosineDecayLR as CosineDecayLR
from minispore.nn.learning_rate_schedule import ExponentialDecayLR as ExponentialDecayLR
from minispore.nn.learning_rate_schedule import InverseDecayLR as InverseDecayLR
from minispore.nn.learning_rate_schedule import LearningRateSchedule as LearningRateSchedule
from minispore.nn.learning_rate_schedule import NaturalExpDecayLR as NaturalExpDecayLR
from minispore.nn.learning_rate_schedule import PolynomialDecayLR as PolynomialDecayLR
from minispore.nn.learning_rate_schedule import WarmUpLR as WarmUpLR
from minispore.nn.loss.base import LossBase as LossBase
from minispore.nn.loss.classification import BCELoss as BCELoss
from minispore.nn.loss.classification import BCEWithLogitsLoss as BCEWithLogitsLoss
from minispore.nn.loss.classification import CrossEntropyLoss as CrossEntropyLoss
from minispore.nn.loss.classification import FocalLoss as FocalLoss
from minispore.nn.loss.classification import KLDivLoss as KLDivLoss
from minispore.nn.loss.classification import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from minispore.nn.loss.classification import MultiMarginLoss as MultiMarginLoss
from minispore.nn.loss.classification import MultilabelMarginLoss as MultilabelMarginLoss
from minispore.nn.loss.classification import NLLLoss as NLLLoss
from minispore.nn.loss.classification import SoftMarginLoss as SoftMarginLoss
from minispore.nn.loss.classification import SoftmaxCrossEntropyWithLogits as SoftmaxCrossEntropyWithLogits
from minispore.nn.loss.ctc import CTCLoss as CTCLoss
from minispore.nn.loss.regression import GaussianNLLLoss as GaussianNLLLoss
from minispore.nn.loss.regression import HuberLoss as HuberLoss
from minispore.nn.loss.regression import L1Loss as L1Loss
from minispore.nn.loss.regression import MAELoss as MAELoss
from minispore.nn.loss.regression import MSELoss as MSELoss
from minispore.nn.loss.regression import PoissonNLLLoss as PoissonNLLLoss
from minispore.nn.loss.regression import RMSELoss as RMSELoss
from minispore.nn.loss.regression import SmoothL1Loss as SmoothL1Loss
from minispore.nn.loss.sampled import SampledSoftmaxLoss as SampledSoftmaxLoss
from minispore.nn.loss.similarity import CosineEmbeddingLoss as CosineEmbeddingLoss
from minispore.nn.loss.similarity import DiceLoss as DiceLoss
from minispore.nn.loss.similarity import HingeEmbeddingLoss as HingeEmbeddingLoss
from minispore.nn.loss.similarity import MarginRankingLoss as MarginRankingLoss
from minispore.nn.loss.similarity import MultiClassDiceLoss as MultiClassDiceLoss
from minispore.nn.loss.similarity import TripletMarginLoss as TripletMarginLoss
from minispore.nn.loss.similarity import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from minispore.nn.metrics import get_metric_fn as get_metric_fn
from minispore.nn.metrics import get_metrics as get_metrics
from minispore.nn.metrics import names as names
from minispore.nn.metrics.classification import Accuracy as Accuracy
from minispore.nn.metrics.classification import F1 as F1
from minispore.nn.metrics.classification import Fbeta as Fbeta
from minispore.nn.metrics.classification import Precision as Precision
from minispore.nn.metrics.classification import Recall as Recall
from minispore.nn.metrics.classification import Top1CategoricalAccuracy as Top1CategoricalAccuracy
from minispore.nn.metrics.classification import Top5CategoricalAccuracy as Top5CategoricalAccuracy
from minispore.nn.metrics.classification import TopKCategoricalAccuracy as TopKCategoricalAccuracy
from minispore.nn.metrics.confusion import ConfusionMatrix as ConfusionMatrix
from minispore.nn.metrics.confusion import ConfusionMatrixMetric as ConfusionMatrixMetric
from minispore.nn.metrics.curve import ROC as ROC
from minispore.nn.metrics.curve import auc as auc
from minispore.nn.metrics.error import CosineSimilarity as CosineSimilarity
from minispore.nn.metrics.error import Dice as Dice
from minispore.nn.metrics.error import Loss as Loss
from minispore.nn.metrics.error import MAE as MAE
from minispore.nn.metrics.error import MSE as MSE
from minispore.nn.metrics.error import Perplexity as Perplexity
from minispore.nn.metrics.metric import EvaluationBase as EvaluationBase
from minispore.nn.metrics.metric import Metric as Metric
from minispore.nn.metrics.metric import rearrange_inputs as rearrange_inputs
from minispore.nn.metrics.occlusion import OcclusionSensitivity as OcclusionSensitivity
from minispore.nn.metrics.surface import HausdorffDistance as HausdorffDistance
from minispore.nn.metrics.surface import MeanSurfaceDistance as MeanSurfaceDistance
from minispore.nn.metrics.surface import RootMeanSquareDistance as RootMeanSquareDistance
from minispore.nn.metrics.text import BleuScore as BleuScore
from minispore.nn.optim.ada_grad import Adagrad as Adagrad
from minispore.nn.optim.ada_grad import ProximalAdagrad as ProximalAdagrad
from minispore.nn.optim.adadelta import Adadelta as Adadelta
from minispore.nn.optim.adafactor import AdaFactor as AdaFactor
from minispore.nn.optim.adam import Adam as Adam
from minispore.nn.optim.adam import AdamOffload as AdamOffload
from minispore.nn.optim.adam import AdamWeightDecay as AdamWeightDecay
from minispore.nn.optim.adam import LazyAdam as LazyAdam
from minispore.nn.optim.adamax import AdaMax as AdaMax
from minispore.nn.optim.asgd import ASGD as ASGD
from minispore.nn.optim.ftrl import FTRL as FTRL
from minispore.nn.optim.lamb import Lamb as Lamb
from minispore.nn.optim.lars import LARS as LARS
from minispore.nn.optim.momentum import Momentum as Momentum
from minispore.nn.optim.optimizer import Optimizer as Optimizer
from minispore.nn.optim.optimizer import opt_init_args_register as opt_init_args_register
from minispore.nn.optim.rmsprop import RMSProp as RMSProp
from minispore.nn.optim.rprop import Rprop as Rprop
from minispore.nn.optim.sgd import SGD as SGD
from minispore.nn.optim.thor import thor as thor
from minispore.nn.utils.init import no_init_parameters as no_init_parameters
from minispore.nn.wrap.cell_wrapper import ForwardValueAndGrad as ForwardValueAndGrad
from minispore.nn.wrap.cell_wrapper import GetNextSingleOp as GetNextSingleOp
from minispore.nn.wrap.cell_wrapper import GradAccumulationCell as GradAccumulationCell
from minispore.nn.wrap.cell_wrapper import MicroBatchInterleaved as MicroBatchInterleaved
from minispore.nn.wrap.cell_wrapper import ParameterUpdate as ParameterUpdate
from minispore.nn.wrap.cell_wrapper import PipelineCell as PipelineCell
from minispore.nn.wrap.cell_wrapper import TrainOneStepCell as TrainOneStepCell
from minispore.nn.wrap.cell_wrapper import VirtualDatasetCellTriple as VirtualDatasetCellTriple
from minispore.nn.wrap.cell_wrapper import WithEvalCell as WithEvalCell
from minispore.nn.wrap.cell_wrapper import WithGradCell as WithGradCell
from minispore.nn.wrap.cell_wrapper import WithLossCell as WithLossCell
from minispore.nn.wrap.grad_reducer import DistributedGradReducer as DistributedGradReducer
from minispore.nn.wrap.grad_reducer import PipelineGradReducer as PipelineGradReducer
from minispore.nn.wrap.loss_scale import DynamicLossScaleUpdateCell as DynamicLossScaleUpdateCell
from minispore.nn.wrap.loss_scale import FixedLossScaleUpdateCell as FixedLossScaleUpdateCell
from minispore.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell as TrainOneStepWithLossScaleCell

__all__ = [
    "ASGD",
    "Accuracy",
    "AdaFactor",
    "AdaMax",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamOffload",
    "AdamWeightDecay",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "BiDense",
    "BleuScore",
    "CELU",
    "CTCLoss",
    "Cell",
    "CellDict",
    "CellList",
    "CentralCrop",
    "ChannelShuffle",
    "ClipByNorm",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
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
    "CosineDecayLR",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "Dense",
    "DenseBnAct",
    "DiGamma",
    "Dice",
    "DiceLoss",
    "DistributedGradReducer",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "DynamicLossScaleUpdateCell",
    "ELU",
    "Embedding",
    "EmbeddingLookup",
    "EvaluationBase",
    "ExponentialDecayLR",
    "F1",
    "FTRL",
    "FastGelu",
    "Fbeta",
    "FixedLossScaleUpdateCell",
    "Flatten",
    "FocalLoss",
    "ForwardValueAndGrad",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "GELU",
    "GLU",
    "GRU",
    "GRUCell",
    "GaussianNLLLoss",
    "GetNextSingleOp",
    "GradAccumulationCell",
    "GraphCell",
    "GroupNorm",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "HausdorffDistance",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "IGamma",
    "Identity",
    "ImageGradients",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "InverseDecayLR",
    "Jvp",
    "KLDivLoss",
    "L1Loss",
    "L1Regularizer",
    "LARS",
    "LBeta",
    "LGamma",
    "LPPool1d",
    "LPPool2d",
    "LRN",
    "LSTM",
    "LSTMCell",
    "Lamb",
    "LayerNorm",
    "LazyAdam",
    "LeakyReLU",
    "LearningRateSchedule",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "Loss",
    "LossBase",
    "MAE",
    "MAELoss",
    "MSE",
    "MSELoss",
    "MSSSIM",
    "MarginRankingLoss",
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
    "MeanSurfaceDistance",
    "Metric",
    "MicroBatchInterleaved",
    "Mish",
    "Moments",
    "Momentum",
    "MultiClassDiceLoss",
    "MultiFieldEmbeddingLookup",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultiheadAttention",
    "MultilabelMarginLoss",
    "NLLLoss",
    "NaturalExpDecayLR",
    "Norm",
    "OcclusionSensitivity",
    "OneHot",
    "Optimizer",
    "PReLU",
    "PSNR",
    "Pad",
    "ParameterUpdate",
    "Perplexity",
    "PipelineCell",
    "PipelineGradReducer",
    "PixelShuffle",
    "PixelUnshuffle",
    "PoissonNLLLoss",
    "PolynomialDecayLR",
    "Precision",
    "ProximalAdagrad",
    "RMSELoss",
    "RMSProp",
    "RNN",
    "RNNCell",
    "ROC",
    "RReLU",
    "Range",
    "ReLU",
    "ReLU6",
    "Recall",
    "ReduceLogSumExp",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ResizeBilinear",
    "Roll",
    "RootMeanSquareDistance",
    "Rprop",
    "SGD",
    "SSIM",
    "SampledSoftmaxLoss",
    "SeLU",
    "SequentialCell",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "SoftShrink",
    "Softmax",
    "Softmax2d",
    "SoftmaxCrossEntropyWithLogits",
    "Softmin",
    "Softsign",
    "SparseTensorDenseMatmul",
    "SparseToDense",
    "SyncBatchNorm",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "TimeDistributed",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "Tril",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "Triu",
    "Unflatten",
    "Unfold",
    "Upsample",
    "VirtualDatasetCellTriple",
    "Vjp",
    "WarmUpLR",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
    "ZeroPad2d",
    "auc",
    "cosine_decay_lr",
    "exponential_decay_lr",
    "get_activation",
    "get_metric_fn",
    "get_metrics",
    "inverse_decay_lr",
    "names",
    "natural_exp_decay_lr",
    "no_init_parameters",
    "opt_init_args_register",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "rearrange_inputs",
    "thor",
    "warmup_lr",
]
