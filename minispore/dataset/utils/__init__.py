"""Alias module: what helps to look at files."""

from minispore.dataset.lines import LineReader as LineReader

__all__ = ["LineReader"]
