"""Alias module: how ops compute on an Ascend, at ``mindspore.device_context.ascend``."""

from minispore.device.presence import ascend_available as is_available
from minispore.device.presence import ascend_count as device_count
from minispore.device_context.ascend import op_debug as op_debug
from minispore.device_context.ascend import op_precision as op_precision
from minispore.device_context.ascend import op_tuning as op_tuning
from minispore.device_context.ascend.op_debug import aclinit_config as aclinit_config
from minispore.device_context.ascend.op_debug import debug_option as debug_option
from minispore.device_context.ascend.op_debug import execute_timeout as execute_timeout
from minispore.device_context.ascend.op_precision import conv_allow_hf32 as conv_allow_hf32
from minispore.device_context.ascend.op_precision import matmul_allow_hf32 as matmul_allow_hf32
from minispore.device_context.ascend.op_precision import op_precision_mode as op_precision_mode
from minispore.device_context.ascend.op_precision import precision_mode as precision_mode
from minispore.device_context.ascend.op_tuning import aclnn_cache as aclnn_cache
from minispore.device_context.ascend.op_tuning import aoe_job_type as aoe_job_type
from minispore.device_context.ascend.op_tuning import aoe_tune_mode as aoe_tune_mode
from minispore.device_context.ascend.op_tuning import op_compile as op_compile

__all__ = [
    "aclinit_config",
    "aclnn_cache",
    "aoe_job_type",
    "aoe_tune_mode",
    "conv_allow_hf32",
    "debug_option",
    "device_count",
    "execute_timeout",
    "is_available",
    "matmul_allow_hf32",
    "op_compile",
    "op_debug",
    "op_precision",
    "op_precision_mode",
    "op_tuning",
    "precision_mode",
]
