"""Lifetimes: the first and the last op that use each buffer."""

from __future__ import annotations

from collections.abc import Hashable


class Lifetimes:
    """The live range of each buffer; arrays that share one buffer count together.

    >>> lifetimes = Lifetimes()
    >>> lifetimes.define("x", 0)
    >>> lifetimes.alias("a view of x", "x")
    >>> lifetimes.record_read("a view of x", 3)
    >>> lifetimes.first["x"], lifetimes.last["x"]
    (0, 3)
    """

    def __init__(self) -> None:
        self.first: dict[Hashable, int] = {}
        self.last: dict[Hashable, int] = {}
        self._roots: dict[Hashable, Hashable] = {}

    def root(self, key: Hashable) -> Hashable:
        """Return the array whose buffer ``key`` shares; ``key`` itself if it has its own."""
        return self._roots.get(key, key)

    def define(self, key: Hashable, index: int) -> None:
        """Record that op ``index`` makes ``key``; its live range begins there, and ends there until
        it is read.
        """
        self.first[key] = self.last[key] = index

    def alias(self, key: Hashable, target: Hashable) -> None:
        """Record that ``key`` has no buffer of its own but shares the buffer of ``target``."""
        self._roots[key] = self.root(target)

    def record_read(self, key: Hashable, index: int) -> None:
        """Record that op ``index`` reads ``key``, which extends the live range of its buffer;
        ignored if nothing has defined ``key``.
        """
        root = self.root(key)
        if root in self.last:
            self.last[root] = index
