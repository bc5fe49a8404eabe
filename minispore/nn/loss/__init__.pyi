# Written by python -m tests.typing.stubs
from minispore.nn.loss import base as base
from minispore.nn.loss import classification as classification
from minispore.nn.loss import ctc as ctc
from minispore.nn.loss import regression as regression
from minispore.nn.loss import sampled as sampled
from minispore.nn.loss import similarity as similarity
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

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "DiceLoss",
    "FocalLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "LossBase",
    "MAELoss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiClassDiceLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultilabelMarginLoss",
    "NLLLoss",
    "PoissonNLLLoss",
    "RMSELoss",
    "SampledSoftmaxLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "SoftmaxCrossEntropyWithLogits",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]
