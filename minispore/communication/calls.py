"""What collectives ask of their arguments, and the handles that they give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minispore import checks
from minispore.communication.management import GlobalComm, get_group_rank_from_world_rank
from minispore.core.tensor import Tensor


class CommHandle:
    """What is under way between ranks.

    >>> CommHandle().wait()
    """

    def __init__(self, finish: Callable[[], Any] | None = None) -> None:
        self._finish = finish

    def wait(self) -> None:
        """Wait for the end of it."""
        finish, self._finish = self._finish, None
        if finish is not None:
            finish()


def world_or(who: str, group: Any) -> str:
    """The name of a group, by default that of all ranks."""
    if group is None:
        return GlobalComm.WORLD_COMM_GROUP
    if not isinstance(group, str):
        raise TypeError(f"{who}: group must be a str, got {checks.shown(group)}.")
    return group


def a_tensor(who: str, name: str, value: Any) -> Tensor:
    """Raise unless it is one."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{who}: {name} must be a Tensor, got {checks.shown(value)}.")
    return value


def tensors(who: str, name: str, values: Any) -> Sequence[Tensor]:
    """Raise unless it is a list of Tensors, and not empty."""
    if not isinstance(values, list | tuple) or not values:
        raise TypeError(f"{who}: {name} must be a list of Tensors, got {checks.shown(values)}.")
    for i, value in enumerate(values):
        a_tensor(who, f"{name}[{i}]", value)
    return values


def one_of(who: str, op: Any, known: Sequence[str]) -> str:
    """Raise unless it is the name of a reduction."""
    if not isinstance(op, str) or op not in known:
        raise TypeError(f"{who}: op must be one of {', '.join(known)}, got {checks.shown(op)}.")
    return op


def handle(who: str, async_op: Any) -> CommHandle | None:
    """What to wait for, of a collective that is done; None unless somebody wants to wait."""
    return CommHandle() if checks.boolean(who, "async_op", async_op) else None


def place(who: str, name: str, rank: Any, group: str) -> int:
    """The rank in a group of a rank of the world."""
    return get_group_rank_from_world_rank(checks.integer(who, name, rank), group)


REDUCTIONS = ("sum", "prod", "min", "max")

__all__ = [
    "REDUCTIONS",
    "CommHandle",
    "a_tensor",
    "handle",
    "one_of",
    "place",
    "tensors",
    "world_or",
]
