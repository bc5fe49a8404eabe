"""Alias module: how ops compute on an Ascend, at ``mindspore.device_context.ascend.op_debug``."""

from minispore.context.device_ops import aclinit_config as aclinit_config
from minispore.context.device_ops import debug_option as debug_option
from minispore.context.device_ops import execute_timeout as execute_timeout

__all__ = ["aclinit_config", "debug_option", "execute_timeout"]
