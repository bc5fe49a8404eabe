"""The ranks of the world, and groups of ranks."""

from __future__ import annotations

import hashlib
from typing import Any

from minispore import log
from minispore.communication import management as world
from minispore.communication.collective_arguments import resolve_group as _group
from minispore.communication.collective_arguments import to_group_rank
from minispore.foundation import checks


def init_process_group(
    backend: str = "hccl",
    init_method: str | None = None,
    timeout: Any = None,
    world_size: int = -1,
    rank: int = -1,
    store: Any = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Join the world: the ranks that a launcher has started, or a single rank.

    Args:
        backend: ``"hccl"``.
        init_method: an address, only for a single rank: launchers tell several ranks where to meet.
        timeout: ignored; ``HCCL_EXEC_TIMEOUT`` sets how long ranks wait.
        world_size: the expected number of ranks; -1: not checked.
        rank: the rank of this process; 0 with ``init_method``.
        store: None.
        group_name: the group to which ``world_size`` refers.
        pg_options: ignored.
        device_id: ignored.

    Raises:
        ValueError: another backend or number of ranks; a store; ``init_method`` with several ranks.
    """
    if backend != "hccl":
        raise ValueError(f"init_process_group: backend must be 'hccl', got {backend!r}.")
    if store is not None or (init_method is not None and (world_size, rank) != (1, 0)):
        raise ValueError(
            "init_process_group: init_method and store must be left out where there are several "
            f"ranks, got world_size={world_size} and rank={rank}. Start them by msrun, mpirun or "
            "`python -m minispore --ranks N`."
        )
    world.init(backend)
    size = world.get_group_size(group_name or None)
    if world_size not in (-1, size):
        raise ValueError(f"init_process_group: world_size must be {size}, got {world_size}.")


def destroy_process_group(group: str | None = None) -> None:
    """Destroy the group of this name; None, or the name of the world, leaves the world."""
    if group is None or group == world.GlobalComm.WORLD_COMM_GROUP:
        world.release()
    else:
        world.destroy_group(_group("destroy_process_group", group))


def is_available() -> bool:
    """Whether ranks can exchange tensors: True."""
    return True


def is_initialized() -> bool:
    """Whether this rank has joined the world."""
    return world.GlobalComm.INITED


def get_rank(group: str | None = None) -> int:
    """Return the rank of this process in a group (the world by default); -1 before joining the
    world, with a logged warning.
    """
    name = _group("get_rank", group)
    return _query_group(world.get_rank, name)


def get_world_size(group: str | None = None) -> int:
    """Return the number of ranks in a group (the world by default); -1 before joining the world,
    with a logged warning.
    """
    name = _group("get_world_size", group)
    return _query_group(world.get_group_size, name)


def _query_group(query: Any, group: str) -> int:
    """Return ``query(group)``; if this raises RuntimeError, log a warning and return -1."""
    try:
        return query(group)
    except RuntimeError as exc:
        log.warning(str(exc))
        return -1


def get_backend(group: str | None = None) -> str:
    """Return the name of the communication backend of a group, "hccl" or "mccl", which a group's
    name contains; for any other name, that of the world.
    """
    name = "hccl" if group is None else _group("get_backend", group)
    return next((b for b in ("hccl", "mccl") if b in name), world.GlobalComm.BACKEND)


def get_global_rank(group: str | None, group_rank: int) -> int:
    """Return the world rank of a group rank; None as ``group`` means the world. Raise TypeError
    unless the rank is an int.
    """
    checks.integer("get_global_rank", "group_rank", group_rank)
    return world.get_world_rank_from_group_rank(_group("get_global_rank", group), group_rank)


def get_group_rank(group: str | None, global_rank: int) -> int:
    """Return the group rank of a world rank; None as ``group`` means the world. Raise an error if
    it is not a member.
    """
    return to_group_rank(
        "get_group_rank", "global_rank", global_rank, _group("get_group_rank", group)
    )


def get_process_group_ranks(group: str | None = None) -> list[int]:
    """Return the world ranks of a group's members, in the order of their group ranks; the group is
    the world by default.
    """
    return world.get_process_group_ranks(_group("get_process_group_ranks", group))


def new_group(
    ranks: list[int] | None = None,
    timeout: Any = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
) -> str:
    """Create a group of ranks, and return its name; without ``ranks``, return that of the world.

    The name is derived from the backend and the sorted ranks.

    Args:
        ranks: the ranks; all ranks of the world by default.
        timeout: ignored.
        backend: ``"hccl"`` or ``"mccl"``.
        pg_options: ignored.
        use_local_synchronization: ignored.
        group_desc: ignored.

    Raises:
        TypeError: ``ranks`` is not a list, or ``backend`` is neither of these.
        ValueError: a rank does not exist or occurs twice.
    """
    if ranks is None:
        return world.GlobalComm.WORLD_COMM_GROUP
    if not isinstance(ranks, list):
        raise TypeError(f"new_group: ranks must be a list, got {checks.format_value(ranks)}.")
    backend = "hccl" if backend is None else backend
    if backend not in ("hccl", "mccl"):
        raise TypeError(f"new_group: backend must be hccl or mccl, got {backend!r}.")
    ranks_hash = hashlib.sha1("_".join(map(str, sorted(ranks))).encode()).hexdigest()
    name = f"{backend}_{len(ranks)}_{ranks_hash}"
    world.create_group(name, sorted(ranks))
    return name


__all__ = [
    "destroy_process_group",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "is_available",
    "is_initialized",
    "new_group",
]
