# Written by python -m tests.typing.stubs
from minispore.foundation import checks as checks
from minispore.nn.metrics import classification as classification
from minispore.nn.metrics import confusion as confusion
from minispore.nn.metrics import curve as curve
from minispore.nn.metrics import error as error
from minispore.nn.metrics import metric as metric
from minispore.nn.metrics import occlusion as occlusion
from minispore.nn.metrics import surface as surface
from minispore.nn.metrics import text as text
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
from typing import Any

def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Any: ...
def get_metrics(metrics: Any) -> Any: ...
def names() -> list[str]: ...

__all__ = [
    "Accuracy",
    "BleuScore",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "CosineSimilarity",
    "Dice",
    "EvaluationBase",
    "F1",
    "Fbeta",
    "HausdorffDistance",
    "Loss",
    "MAE",
    "MSE",
    "MeanSurfaceDistance",
    "Metric",
    "OcclusionSensitivity",
    "Perplexity",
    "Precision",
    "ROC",
    "Recall",
    "RootMeanSquareDistance",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "auc",
    "get_metric_fn",
    "get_metrics",
    "names",
    "rearrange_inputs",
]
