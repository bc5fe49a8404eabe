"""Summaries: values of a run, written to the event files that MindInsight reads."""

from minispore.foundation.lazy_import import make_lazy_attributes as _later
from minispore.train.summary.summary_record import SummaryRecord as SummaryRecord

__all__ = ["SummaryRecord"]

__getattr__, __dir__ = _later(__name__, {})  # submodules are attributes
