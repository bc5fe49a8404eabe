"""Profiler: record a run, and see how long it would take on an Ascend.

``profile(schedule=..., on_trace_ready=...)`` records chosen steps, ``Profiler(output_path=...)`` or
``set_context(enable_profiling=True, profiling_options='{...}')`` a whole run. They write
MindSpore's files and an HTML page.
"""

from typing import TYPE_CHECKING

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.lazy_import import make_lazy_attributes as _later
from minispore.profiler.profiler import Profiler as Profiler
from minispore.profiler.schedule import schedule as schedule

if TYPE_CHECKING:
    from minispore.profiler.network import NetworkSummary as NetworkSummary
    from minispore.profiler.network import summary as summary
    from minispore.profiler.sessions import AicoreMetrics as AicoreMetrics
    from minispore.profiler.sessions import ExportType as ExportType
    from minispore.profiler.sessions import HostSystem as HostSystem
    from minispore.profiler.sessions import ProfilerActivity as ProfilerActivity
    from minispore.profiler.sessions import ProfilerLevel as ProfilerLevel
    from minispore.profiler.sessions import _ExperimentalConfig as _ExperimentalConfig
    from minispore.profiler.sessions import mstx as mstx
    from minispore.profiler.sessions import profile as profile
    from minispore.profiler.sessions import tensorboard_trace_handler as tensorboard_trace_handler

__all__ = [
    "AicoreMetrics",
    "ExportType",
    "HostSystem",
    "NetworkSummary",
    "Profiler",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "mstx",
    "profile",
    "schedule",
    "summary",
    "tensorboard_trace_handler",
]

_SESSION_NAMES = (
    "AicoreMetrics", "ExportType", "HostSystem", "ProfilerActivity", "ProfilerLevel",
    "_ExperimentalConfig", "mstx", "profile", "tensorboard_trace_handler",
)  # fmt: skip
_LAZY_MODULES = dict.fromkeys(_SESSION_NAMES, "minispore.profiler.sessions")
_LAZY_MODULES |= dict.fromkeys(("NetworkSummary", "summary"), "minispore.profiler.network")
__getattr__, __dir__ = _later(__name__, _LAZY_MODULES)

_describe(__name__)
