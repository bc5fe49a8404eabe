"""Alias module: what MindSpore 2.7 and later call tools."""

from minispore.device.health import get_sdc_detect_result as get_sdc_detect_result
from minispore.device.health import sdc_detect_start as sdc_detect_start
from minispore.device.health import sdc_detect_stop as sdc_detect_stop
from minispore.device.health import stress_detect as stress_detect
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.nn.dump import set_dump as set_dump

__all__ = [
    "get_sdc_detect_result",
    "sdc_detect_start",
    "sdc_detect_stop",
    "set_dump",
    "stress_detect",
]

_describe(__name__)
