"""Record the steps that a schedule chooses: the sessions of ``mindspore.profiler``.

``settings`` checks a session's arguments. ``session`` goes from step to step, and each cycle of
recorded steps is a ``Profiler`` of its own. ``marks`` records points that the program marks.
"""

from minispore.described import attach_docstrings as _describe
from minispore.profiler.sessions.marks import mstx
from minispore.profiler.sessions.session import profile, tensorboard_trace_handler
from minispore.profiler.sessions.settings import _ExperimentalConfig
from minispore.profiler.sessions.words import (
    AicoreMetrics,
    ExportType,
    HostSystem,
    ProfilerActivity,
    ProfilerLevel,
)

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
