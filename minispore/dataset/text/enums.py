"""Enumerations that are arguments of text transforms."""

from __future__ import annotations

from enum import IntEnum


class JiebaMode(IntEnum):
    """The method that finds Chinese words: a model, a dictionary, or both."""

    MIX = 0
    MP = 1
    HMM = 2


class NormalizeForm(IntEnum):
    """A normal form of Unicode."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


__all__ = ["JiebaMode", "NormalizeForm"]
