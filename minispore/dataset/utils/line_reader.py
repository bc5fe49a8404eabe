"""Alias module: any line of a text file."""

from minispore.dataset.lines import LineReader as LineReader

__all__ = ["LineReader"]
