# Written by python -m tests.typing.stubs
from minispore.nn.wrap import cell_wrapper as cell_wrapper
from minispore.nn.wrap import grad_reducer as grad_reducer
from minispore.nn.wrap import loss_scale as loss_scale
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
    "DistributedGradReducer",
    "DynamicLossScaleUpdateCell",
    "FixedLossScaleUpdateCell",
    "ForwardValueAndGrad",
    "GetNextSingleOp",
    "GradAccumulationCell",
    "MicroBatchInterleaved",
    "ParameterUpdate",
    "PipelineCell",
    "PipelineGradReducer",
    "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell",
    "VirtualDatasetCellTriple",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]
