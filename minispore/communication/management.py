"""The world of ranks, and groups of them."""

from __future__ import annotations

import atexit
from collections.abc import Iterable

from minispore import context
from minispore.communication import rendezvous
from minispore.communication.mesh import Mesh
from minispore.ops.support import transport

__all__ = [
    "GlobalComm",
    "create_group",
    "destroy_group",
    "get_group_rank_from_world_rank",
    "get_group_size",
    "get_local_rank",
    "get_local_rank_size",
    "get_rank",
    "get_world_rank_from_group_rank",
    "init",
    "release",
]

_BACKENDS = {"Ascend": "hccl", "GPU": "nccl", "CPU": "mccl"}
_WORLDS = {f"{backend}_world_group" for backend in _BACKENDS.values()}


class GlobalComm:
    """What was initialised: the backend, and the name of the group of all ranks."""

    BACKEND: str = ""
    WORLD_COMM_GROUP: str = "hccl_world_group"
    INITED: bool = False
    _groups: dict[str, tuple[int, ...]] = {}
    _rank: int = 0


def init(backend_name: str | None = None) -> None:
    """Join the world: the ranks that a launcher has started, or one rank alone.

    `python -m minispore --ranks 4 script.py` starts four; msrun, mpirun, srun and scripts that set
    RANK_ID and RANK_SIZE are understood, too. Ranks find each other at MS_SCHED_HOST and
    MS_SCHED_PORT (127.0.0.1 and 8118 by default) and wait HCCL_CONNECT_TIMEOUT seconds (120) for
    all to come. A second call changes nothing.

    Args:
        backend_name: ``hccl``, ``nccl`` or ``mccl``; by default that of the device target.

    Raises:
        TypeError: ``backend_name`` is not a str.
        RuntimeError: ``backend_name`` is unknown, or not all ranks have come.

    >>> init()
    >>> get_rank(), get_group_size()
    (0, 1)
    >>> release()
    """
    if backend_name is None:
        backend_name = _BACKENDS[context.current().device_target]
    if not isinstance(backend_name, str):
        raise TypeError(f"init: backend_name must be a str, got {backend_name!r}.")
    if backend_name not in _BACKENDS.values():
        raise RuntimeError(
            f"init: backend_name must be one of {', '.join(_BACKENDS.values())}, got "
            f"{backend_name!r}."
        )
    if GlobalComm.INITED:
        return
    rank, size = rendezvous.launched()
    if size > 1:
        patience = rendezvous.seconds("HCCL_CONNECT_TIMEOUT", 120)
        found = rendezvous.meet(rank, size, rendezvous.address(), patience)
        mesh = Mesh(rank, found, _members, rendezvous.seconds("HCCL_EXEC_TIMEOUT", 600))
        transport.install(mesh)
        atexit.register(release)
    GlobalComm.BACKEND = backend_name
    GlobalComm.WORLD_COMM_GROUP = f"{backend_name}_world_group"
    GlobalComm._rank = rank
    GlobalComm._groups = {GlobalComm.WORLD_COMM_GROUP: tuple(range(size))}
    GlobalComm.INITED = True


def release() -> None:
    """Leave the world."""
    atexit.unregister(release)
    mesh = transport.install(transport.Alone())
    if isinstance(mesh, Mesh):
        mesh.close()
    GlobalComm.INITED = False
    GlobalComm.BACKEND = ""
    GlobalComm._groups = {}
    GlobalComm._rank = 0


def _members(group: str) -> tuple[int, ...]:
    if not GlobalComm.INITED:
        raise RuntimeError("communication: init() must be called first, got no initialised world.")
    if not isinstance(group, str):
        raise TypeError(f"communication: group must be a str, got {group!r}.")
    # ops name the world as Ascend does, whichever the backend
    found = GlobalComm._groups.get(GlobalComm.WORLD_COMM_GROUP if group in _WORLDS else group)
    if found is None:
        known = ", ".join(GlobalComm._groups)
        raise ValueError(f"communication: group must be one of {known}, got {group!r}.")
    return found


def get_rank(group: str | None = None) -> int:
    """This process's rank in a group, by default in the world."""
    members = _members(GlobalComm.WORLD_COMM_GROUP if group is None else group)
    return members.index(GlobalComm._rank)


def get_group_size(group: str | None = None) -> int:
    """The number of ranks of a group, by default of the world."""
    return len(_members(GlobalComm.WORLD_COMM_GROUP if group is None else group))


def get_local_rank(group: str | None = None) -> int:
    """This process's rank on its own machine of 8 devices."""
    return get_rank(group) % 8


def get_local_rank_size(group: str | None = None) -> int:
    """The number of ranks on a machine of 8 devices."""
    return min(get_group_size(group), 8)


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """The rank in the world of a rank of ``group``."""
    members = _members(group)
    if not 0 <= group_rank_id < len(members):
        raise ValueError(
            f"get_world_rank_from_group_rank: group_rank_id must be in [0, {len(members) - 1}], "
            f"got {group_rank_id}."
        )
    return members[group_rank_id]


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """The rank in ``group`` of a rank of the world."""
    members = _members(group)
    if world_rank_id not in members:
        raise ValueError(
            f"get_group_rank_from_world_rank: world_rank_id must be one of {members}, "
            f"got {world_rank_id}."
        )
    return members.index(world_rank_id)


def create_group(group: str, rank_ids: Iterable[int]) -> None:
    """Name a group of ranks.

    Raises:
        ValueError: ``rank_ids`` is empty, repeats a rank or names one that does not exist.
    """
    world = _members(GlobalComm.WORLD_COMM_GROUP)
    ranks = tuple(rank_ids)
    if not ranks or len(set(ranks)) != len(ranks) or not set(ranks) <= set(world):
        raise ValueError(
            f"create_group: rank_ids must be different ranks out of {len(world)}, got "
            f"{list(ranks)}."
        )
    GlobalComm._groups[group] = ranks


def destroy_group(group: str) -> None:
    """Forget a group made by :func:`create_group`."""
    _members(group)
    if group == GlobalComm.WORLD_COMM_GROUP:
        raise ValueError("destroy_group: group must not be the world. Use release() to leave it.")
    del GlobalComm._groups[group]
