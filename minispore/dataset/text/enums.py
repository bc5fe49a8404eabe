"""The choices of transforms of text."""

from __future__ import annotations

from enum import IntEnum


class JiebaMode(IntEnum):
    """How Chinese words are found: by a model and a dictionary, or by one of them."""

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
