"""Summaries: values of a run, written to the event files that MindInsight reads."""

from minispore.train.summary.summary_record import SummaryRecord as SummaryRecord

__all__ = ["SummaryRecord"]
