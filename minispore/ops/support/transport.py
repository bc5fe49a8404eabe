"""What moves data between ranks. The transport in place from the start is that of a single process;
``communication`` installs another when there are several.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from minispore.core.value import Spec


class Transport(Protocol):
    """Moves arrays between the ranks of a group. Every rank of the group makes the same calls."""

    def size(self, group: str) -> int:
        """The number of ranks."""

    def rank(self, group: str) -> int:
        """The own rank."""

    def all_reduce(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        """The sum (max, min, prod) of all ranks' arrays."""

    def all_gather(self, x: np.ndarray, group: str) -> list[np.ndarray]:
        """All ranks' arrays, by rank."""

    def all_to_all(self, parts: Sequence[np.ndarray], group: str) -> list[np.ndarray]:
        """Part i goes to rank i; what came from each rank, by rank."""

    def broadcast(self, x: np.ndarray, root: int, group: str) -> np.ndarray:
        """The array of rank ``root``."""

    def send(self, x: np.ndarray, to: int, tag: int, group: str) -> None:
        """Hand an array to one rank."""

    def receive(self, like: Spec, source: int, tag: int, group: str) -> np.ndarray:
        """The array that one rank sent."""

    def barrier(self, group: str) -> None:
        """Wait until every rank is here."""


class Alone:
    """The transport of a single process: a group of one."""

    def size(self, group: str) -> int:
        return 1

    def rank(self, group: str) -> int:
        return 0

    def all_reduce(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        return x

    def all_gather(self, x: np.ndarray, group: str) -> list[np.ndarray]:
        return [x]

    def all_to_all(self, parts: Sequence[np.ndarray], group: str) -> list[np.ndarray]:
        return list(parts)

    def broadcast(self, x: np.ndarray, root: int, group: str) -> np.ndarray:
        return x

    def send(self, x: np.ndarray, to: int, tag: int, group: str) -> None:
        raise RuntimeError(f"Send: there is no rank {to}; this process is alone in {group!r}.")

    def receive(self, like: Spec, source: int, tag: int, group: str) -> np.ndarray:
        raise RuntimeError(
            f"Receive: there is no rank {source}; this process is alone in {group!r}."
        )

    def barrier(self, group: str) -> None:
        pass


current: Transport = Alone()


def install(new: Transport) -> Transport:
    """Make ``new`` the transport; returns the one that was in place."""
    global current
    old, current = current, new
    return old
