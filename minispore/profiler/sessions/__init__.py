"""Record the steps that a schedule chooses: the sessions of ``mindspore.profiler``.

``settings`` checks a session's arguments. ``session`` follows the steps, with a separate
``Profiler`` for each cycle of recorded steps. ``marks`` records points that the program marks.
"""

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.profiler.sessions.enums import (
    AicoreMetrics,
    ExportType,
    HostSystem,
    ProfilerActivity,
    ProfilerLevel,
)
from minispore.profiler.sessions.marks import mstx
from minispore.profiler.sessions.session import profile, tensorboard_trace_handler
from minispore.profiler.sessions.settings import _ExperimentalConfig

__all__ = [
    "AicoreMetrics",
    "ExportType",
    "HostSystem",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "mstx",
    "profile",
    "tensorboard_trace_handler",
]

_describe(__name__)
