"""Lifetimes: from which op to which a buffer holds what somebody will read."""

from __future__ import annotations

from collections.abc import Hashable


class Lifetimes:
    """When each buffer is made and when it is read last; arrays that share one count together.

    >>> lives = Lifetimes()
    >>> lives.make("x", 0)
    >>> lives.share("a view of x", "x")
    >>> lives.read("a view of x", 3)
    >>> lives.first["x"], lives.last["x"]
    (0, 3)
    """

    def __init__(self) -> None:
        self.first: dict[Hashable, int] = {}
        self.last: dict[Hashable, int] = {}
        self._owners: dict[Hashable, Hashable] = {}

    def owner(self, key: Hashable) -> Hashable:
        """The array that ``key`` shares the buffer of: itself, if nothing else was said."""
        return self._owners.get(key, key)

    def make(self, key: Hashable, index: int) -> None:
        """Op ``index`` makes ``key``."""
        self.first[key] = self.last[key] = index

    def share(self, key: Hashable, of: Hashable) -> None:
        """``key`` lies in the buffer of ``of``."""
        self._owners[key] = self.owner(of)

    def read(self, key: Hashable, index: int) -> None:
        """Op ``index`` reads ``key``; nothing is noted of what nobody made."""
        owner = self.owner(key)
        if owner in self.last:
            self.last[owner] = index
