"""Summaries: what a run shows of itself, in the event files that MindInsight reads."""

from minispore.train.summary.summary_record import SummaryRecord as SummaryRecord

__all__ = ["SummaryRecord"]
