"""Alias module: how ops compute on an Ascend, at ``mindspore.device_context.ascend.op_tuning``."""

from minispore.context.device_ops import aclnn_cache as aclnn_cache
from minispore.context.device_ops import aoe_job_type as aoe_job_type
from minispore.context.device_ops import aoe_tune_mode as aoe_tune_mode
from minispore.context.device_ops import op_compile as op_compile

__all__ = ["aclnn_cache", "aoe_job_type", "aoe_tune_mode", "op_compile"]
