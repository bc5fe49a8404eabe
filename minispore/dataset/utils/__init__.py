"""Alias module: what helps to look at files."""

from minispore.dataset.lines import LineReader as LineReader
from minispore.dataset.utils import line_reader as line_reader

__all__ = ["LineReader"]
