"""Alias module: the Cells of parallel training, by the names that they have here."""

from __future__ import annotations

from minispore.nn.wrap.cell_wrapper import GradAccumulationCell as GradAccumulation
from minispore.nn.wrap.cell_wrapper import MicroBatchInterleaved, PipelineCell
from minispore.nn.wrap.cell_wrapper import PipelineCell as Pipeline
from minispore.nn.wrap.grad_reducer import PipelineGradReducer

__all__ = [
    "GradAccumulation",
    "MicroBatchInterleaved",
    "Pipeline",
    "PipelineCell",
    "PipelineGradReducer",
]
