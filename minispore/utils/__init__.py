"""Alias module: the order of communication, rehearsals and DLPack, at ``mindspore.utils``."""

from minispore.device.health import get_sdc_detect_result as get_sdc_detect_result
from minispore.device.health import sdc_detect_start as sdc_detect_start
from minispore.device.health import sdc_detect_stop as sdc_detect_stop
from minispore.device.health import stress_detect as stress_detect
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.ops.methods.spelled_methods import from_dlpack as from_dlpack
from minispore.ops.methods.spelled_methods import to_dlpack as to_dlpack
from minispore.utils import dlpack as dlpack
from minispore.utils import dryrun as dryrun
from minispore.utils.runtime_execution_order_check import (
    comm_exec_order_check as comm_exec_order_check,
)
from minispore.utils.runtime_execution_order_check import (
    runtime_execution_order_check as runtime_execution_order_check,
)

__all__ = [
    "comm_exec_order_check",
    "dryrun",
    "from_dlpack",
    "get_sdc_detect_result",
    "runtime_execution_order_check",
    "sdc_detect_start",
    "sdc_detect_stop",
    "stress_detect",
    "to_dlpack",
]

_describe(__name__)
