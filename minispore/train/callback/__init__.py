"""Callbacks: objects that are called at the events of a training and may influence it."""

from minispore.foundation.lazy_import import make_lazy_attributes as _later
from minispore.foundation.placeholders import SummaryLandscape as SummaryLandscape
from minispore.train.callback.backup import BackupAndRestore as BackupAndRestore
from minispore.train.callback.backup import TrainFaultTolerance as TrainFaultTolerance
from minispore.train.callback.base import Callback as Callback
from minispore.train.callback.base import CallbackManager as _CallbackManager
from minispore.train.callback.base import InternalCallbackParam as _InternalCallbackParam
from minispore.train.callback.base import RunContext as RunContext
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

__all__ = [
    "BackupAndRestore",
    "Callback",
    "CheckpointConfig",
    "EarlyStopping",
    "FlopsUtilizationCollector",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "OnRequestExit",
    "ProgressBar",
    "ReduceLROnPlateau",
    "RunContext",
    "SummaryCollector",
    "TimeMonitor",
    "TrainFaultTolerance",
    "_CallbackManager",
    "_CheckpointManager",
    "_InternalCallbackParam",
    "_handle_loss",
]

__getattr__, __dir__ = _later(__name__, {})  # submodules are attributes
