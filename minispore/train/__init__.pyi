# Written by python -m tests.typing.stubs
from minispore.core.callback import Callback as Callback
from minispore.core.callback import RunContext as RunContext
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
from minispore.train import callback as callback
from minispore.train import metrics as metrics  # type: ignore
from minispore.train import serialization as serialization
from minispore.train.amp import build_train_network as build_train_network
from minispore.train.callback.backup import BackupAndRestore as BackupAndRestore
from minispore.train.callback.backup import TrainFaultTolerance as TrainFaultTolerance
from minispore.train.callback.base import CallbackManager as _CallbackManager
from minispore.train.callback.base import InternalCallbackParam as _InternalCallbackParam
from minispore.train.callback.base import handle_loss as _handle_loss
from minispore.train.callback.checkpoint import CheckpointConfig as CheckpointConfig
from minispore.train.callback.checkpoint import CheckpointManager as _CheckpointManager
from minispore.train.callback.checkpoint import ModelCheckpoint as ModelCheckpoint
from minispore.train.callback.flops import FlopsUtilizationCollector as FlopsUtilizationCollector
from minispore.train.callback.history import History as History
from minispore.train.callback.lambda_callback import LambdaCallback as LambdaCallback
from minispore.train.callback.learning_rate import LearningRateScheduler as LearningRateScheduler
from minispore.train.callback.learning_rate import ReduceLROnPlateau as ReduceLROnPlateau
from minispore.train.callback.monitored import EarlyStopping as EarlyStopping
from minispore.train.callback.monitors import LossMonitor as LossMonitor
from minispore.train.callback.monitors import TimeMonitor as TimeMonitor
from minispore.train.callback.on_request_exit import OnRequestExit as OnRequestExit
from minispore.train.callback.progress import ProgressBar as ProgressBar
from minispore.train.callback.summary_collector import SummaryCollector as SummaryCollector
from minispore.train.data_sink import data_sink as data_sink
from minispore.train.dataset_helper import DatasetHelper as DatasetHelper
from minispore.train.dataset_helper import connect_network_with_dataset as connect_network_with_dataset
from minispore.train.files.async_saving import async_ckpt_thread_status as async_ckpt_thread_status
from minispore.train.interchange.exporting import export as export
from minispore.train.interchange.exporting import load as load
from minispore.train.loss_scale import DynamicLossScaleManager as DynamicLossScaleManager
from minispore.train.loss_scale import FixedLossScaleManager as FixedLossScaleManager
from minispore.train.loss_scale import LossScaleManager as LossScaleManager
from minispore.train.model import Model as Model
from minispore.train.print_file import parse_print as parse_print
from minispore.train.schedule import explain_schedule as explain_schedule
from minispore.train.serialization import load_checkpoint as load_checkpoint
from minispore.train.serialization import load_param_into_net as load_param_into_net
from minispore.train.serialization import save_checkpoint as save_checkpoint
from minispore.train.summary.summary_record import SummaryRecord as SummaryRecord

__all__ = [
    "Accuracy",
    "BackupAndRestore",
    "BleuScore",
    "Callback",
    "CheckpointConfig",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "CosineSimilarity",
    "DatasetHelper",
    "Dice",
    "DynamicLossScaleManager",
    "EarlyStopping",
    "EvaluationBase",
    "F1",
    "Fbeta",
    "FixedLossScaleManager",
    "FlopsUtilizationCollector",
    "HausdorffDistance",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "Loss",
    "LossMonitor",
    "LossScaleManager",
    "MAE",
    "MSE",
    "MeanSurfaceDistance",
    "Metric",
    "Model",
    "ModelCheckpoint",
    "OcclusionSensitivity",
    "OnRequestExit",
    "Perplexity",
    "Precision",
    "ProgressBar",
    "ROC",
    "Recall",
    "ReduceLROnPlateau",
    "RootMeanSquareDistance",
    "RunContext",
    "SummaryCollector",
    "SummaryRecord",
    "TimeMonitor",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "TrainFaultTolerance",
    "_CallbackManager",
    "_CheckpointManager",
    "_InternalCallbackParam",
    "_handle_loss",
    "async_ckpt_thread_status",
    "auc",
    "build_train_network",
    "connect_network_with_dataset",
    "data_sink",
    "explain_schedule",
    "export",
    "get_metric_fn",
    "get_metrics",
    "load",
    "load_checkpoint",
    "load_param_into_net",
    "names",
    "parse_print",
    "rearrange_inputs",
    "save_checkpoint",
]
