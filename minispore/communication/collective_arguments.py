"""Checks of the arguments of collectives, and the handles that collectives return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minispore.communication.management import GlobalComm, get_group_rank_from_world_rank
from minispore.core.tensor import Tensor
from minispore.foundation import checks


class CommHandle:
    """Handle of a running communication between ranks.

    >>> CommHandle().wait()
    """

    def __init__(self, finish: Callable[[], Any] | None = None) -> None:
        self._finish = finish

    def wait(self) -> None:
        """Wait until the communication has finished; a second call has no effect."""
        finish, self._finish = self._finish, None
        if finish is not None:
            finish()


def resolve_group(api_name: str, group: Any) -> str:
    """Return the name of a group; None means the group of all ranks.

    Raises:
        TypeError: it is not a str.
    """
    if group is None:
        return GlobalComm.WORLD_COMM_GROUP
    if not isinstance(group, str):
        raise TypeError(f"{api_name}: group must be a str, got {checks.format_value(group)}.")
    return group


def check_tensor(api_name: str, name: str, value: Any) -> Tensor:
    """Return ``value``; raise a TypeError unless it is a Tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{api_name}: {name} must be a Tensor, got {checks.format_value(value)}.")
    return value


def check_tensors(api_name: str, name: str, values: Any) -> Sequence[Tensor]:
    """Return ``values``; raise a TypeError unless it is a non-empty list of Tensors."""
    if not isinstance(values, list | tuple) or not values:
        raise TypeError(
            f"{api_name}: {name} must be a list of Tensors, got {checks.format_value(values)}."
        )
    for i, value in enumerate(values):
        check_tensor(api_name, f"{name}[{i}]", value)
    return values


def check_reduction(api_name: str, op: Any, allowed: Sequence[str]) -> str:
    """Return ``op``; raise a TypeError unless it is the name of a reduction in ``allowed``."""
    if not isinstance(op, str) or op not in allowed:
        raise TypeError(
            f"{api_name}: op must be one of {', '.join(allowed)}, got {checks.format_value(op)}."
        )
    return op


def make_handle(api_name: str, async_op: Any) -> CommHandle | None:
    """Return the handle of a finished collective if ``async_op`` is True, else None.

    Collectives run at once, so the handle never waits.
    """
    return CommHandle() if checks.boolean(api_name, "async_op", async_op) else None


def to_group_rank(api_name: str, name: str, rank: Any, group: str) -> int:
    """Convert a world rank to its rank in ``group``; raise an error if it is not a member."""
    return get_group_rank_from_world_rank(checks.integer(api_name, name, rank), group)


REDUCTIONS = ("sum", "prod", "min", "max")

__all__ = [
    "REDUCTIONS",
    "CommHandle",
    "check_reduction",
    "check_tensor",
    "check_tensors",
    "make_handle",
    "resolve_group",
    "to_group_rank",
]
