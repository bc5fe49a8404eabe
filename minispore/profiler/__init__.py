"""Profiler: watch a run, and see what it would take on an Ascend.

``Profiler(output_path=...)`` or ``set_context(enable_profiling=True, profiling_options='{...}')``
begins; ``analyse()`` writes MindSpore's files and a page to look at.
"""

from minispore.described import describe as _describe
from minispore.profiler.network import NetworkSummary as NetworkSummary
from minispore.profiler.network import summary as summary
from minispore.profiler.profiler import Profiler as Profiler

__all__ = ["NetworkSummary", "Profiler", "summary"]

_describe(__name__)
