"""What moves data between ranks. The transport in place from the start is that of a single process;
``communication`` installs another when there are several.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from minispore.core.value import Spec


@dataclass
class Traffic:
    """What a transport has counted: all-reduces that ran beside other work, and their times."""

    buckets: int = 0
    nbytes: int = 0
    in_flight_ns: int = 0  # from the start of each to its end
    waited_ns: int = 0  # of that, the time in which the rank did nothing else
    # those under way, by ticket: when each began, and what waits for it
    begun: dict[int, tuple[int, Callable[[], np.ndarray]]] = field(default_factory=dict)

    @property
    def hidden(self) -> float:
        """The share of the all-reduces' time behind other work, from 0 to 1."""
        return 1.0 - self.waited_ns / self.in_flight_ns if self.in_flight_ns else 0.0


class Transport(Protocol):
    """Moves arrays between the ranks of a group. Every rank of the group makes the same calls."""

    traffic: Traffic

    def size(self, group: str) -> int:
        """The number of ranks."""

    def rank(self, group: str) -> int:
        """The own rank."""

    def neighbours(self) -> tuple[int, ...]:
        """The ranks of the world on this machine, this one among them."""

    def all_reduce(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        """The sum (max, min, prod) of all ranks' arrays."""

    def begin_all_reduce(self, x: np.ndarray, op: str, group: str) -> Callable[[], np.ndarray]:
        """Begin an all-reduce of an array that stays as it is; call the result to wait for it."""

    def reduce_scatter(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        """The own one of equal parts, along axis 0, of the sum (max, min, prod)."""

    def reduce(self, x: np.ndarray, op: str, root: int, group: str) -> np.ndarray | None:
        """The sum (max, min, prod) on rank ``root``; None on others."""

    def all_gather(self, x: np.ndarray, group: str) -> list[np.ndarray]:
        """All ranks' arrays, by rank."""

    def gather(self, x: np.ndarray, root: int, group: str) -> list[np.ndarray] | None:
        """All ranks' arrays, by rank, on rank ``root``; None on others."""

    def scatter(self, x: np.ndarray, root: int, group: str) -> np.ndarray:
        """The own one of equal parts, along axis 0, of the array of rank ``root``."""

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

    def abort(self, status: int) -> None:
        """This rank fails: end the whole job, if that takes more than to end this process."""

    def close(self) -> None:
        """Leave the other ranks, in peace."""


class Alone:
    """The transport of a single process: a group of one."""

    def __init__(self) -> None:
        self.traffic = Traffic()

    def size(self, group: str) -> int:
        return 1

    def rank(self, group: str) -> int:
        return 0

    def neighbours(self) -> tuple[int, ...]:
        return (0,)

    def all_reduce(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        return x

    def begin_all_reduce(self, x: np.ndarray, op: str, group: str) -> Callable[[], np.ndarray]:
        return lambda: x

    def reduce_scatter(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        return x

    def reduce(self, x: np.ndarray, op: str, root: int, group: str) -> np.ndarray | None:
        return x

    def all_gather(self, x: np.ndarray, group: str) -> list[np.ndarray]:
        return [x]

    def gather(self, x: np.ndarray, root: int, group: str) -> list[np.ndarray] | None:
        return [x]

    def scatter(self, x: np.ndarray, root: int, group: str) -> np.ndarray:
        return x

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

    def abort(self, status: int) -> None:
        pass

    def close(self) -> None:
        pass


current: Transport = Alone()


def install(new: Transport) -> Transport:
    """Make ``new`` the transport; returns the one that was in place."""
    global current
    old, current = current, new
    return old
