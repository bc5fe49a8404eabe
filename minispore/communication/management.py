"""The world of ranks, and groups of them."""

from __future__ import annotations

import atexit
import importlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from minispore import context
from minispore.communication import rank_env, rendezvous
from minispore.device import dryrun
from minispore.foundation import process
from minispore.ops.support import transport

__all__ = [
    "HCCL_WORLD_COMM_GROUP",
    "MCCL_WORLD_COMM_GROUP",
    "NCCL_WORLD_COMM_GROUP",
    "GlobalComm",
    "create_group",
    "destroy_group",
    "get_group_rank_from_world_rank",
    "get_group_size",
    "get_local_rank",
    "get_local_rank_size",
    "get_process_group_ranks",
    "get_rank",
    "get_world_rank_from_group_rank",
    "init",
    "release",
]

_BACKENDS = {"Ascend": "hccl", "GPU": "nccl", "CPU": "mccl"}
HCCL_WORLD_COMM_GROUP = "hccl_world_group"
NCCL_WORLD_COMM_GROUP = "nccl_world_group"
MCCL_WORLD_COMM_GROUP = "mccl_world_group"
_WORLDS = (HCCL_WORLD_COMM_GROUP, NCCL_WORLD_COMM_GROUP, MCCL_WORLD_COMM_GROUP)
_simulated_size: int | None = None  # the number of ranks inside simulate_world


class GlobalComm:
    """State of the world: the backend, the name of the group of all ranks, and the groups."""

    BACKEND: str = ""
    WORLD_COMM_GROUP: str = "hccl_world_group"
    INITED: bool = False
    _groups: dict[str, tuple[int, ...]] = {}
    _rank: int = 0


def init(backend_name: str | None = None) -> None:
    """Join the world: the ranks that a launcher started, or a single rank.

    Launchers are `python -m minispore --ranks 4 script.py`, mpirun and srun, and on one machine
    also msrun and scripts that set RANK_ID and RANK_SIZE. Ranks wait HCCL_CONNECT_TIMEOUT seconds
    (120) for all to start, and HCCL_EXEC_TIMEOUT seconds (600) for each other later on. A second
    call has no effect.

    Args:
        backend_name: ``hccl``, ``nccl`` or ``mccl``; by default that of the device target.

    Raises:
        TypeError: ``backend_name`` is not a str.
        RuntimeError: ``backend_name`` is unknown, or not all ranks have started.

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
    rank, size, network = _join_world()
    if size > 1 and _simulated_size is None:  # minispore's ranks train data parallel
        context.parallel.set_rank_count(size)
        transport.install(network)
        atexit.register(release)
    GlobalComm.BACKEND = backend_name
    GlobalComm.WORLD_COMM_GROUP = f"{backend_name}_world_group"
    GlobalComm._rank = rank
    GlobalComm._groups = {GlobalComm.WORLD_COMM_GROUP: tuple(range(size))}
    GlobalComm.INITED = True


def _join_world() -> tuple[int, int, transport.Transport]:
    """Return this rank, the number of ranks, and the transport between them, which is connected
    unless the ranks are simulated or there is only one.

    Ends the process of msrun's scheduler, which is not needed. A rank that MPI started ends with
    its parent process.

    Raises:
        RuntimeError: MPI started the ranks, but mpi4py is missing, or the ranks can't connect.
    """
    if _simulated_size is not None:
        return 0, _simulated_size, transport.Transport()
    if dryrun.read_level() is not None:  # a dry run simulates one rank, without the others
        return *rank_env.read_rank(), transport.Transport()
    timeout = float(rank_env.read_integer("HCCL_EXEC_TIMEOUT", 600))
    if rank_env.is_started_by_mpi():
        try:
            mpi = importlib.import_module("minispore.communication.mpi")  # needs the extra mpi
        except (ImportError, RuntimeError) as exc:  # mpi4py or MPI is missing
            raise RuntimeError(
                f"init: ranks that MPI has started need mpi4py, got {exc}. {rank_env.MPI_HINT}."
            ) from exc
        rank, size = mpi.world()
        process.end_with(os.getppid())
        return rank, size, mpi.Mpi(_get_members, timeout) if size > 1 else transport.Transport()
    rank_env.exit_if_scheduler()
    rank, size = rank_env.read_rank()
    if size == 1:
        return 0, 1, transport.Transport()
    mesh = importlib.import_module("minispore.communication.mesh")  # not on every system
    connect_timeout = float(rank_env.read_integer("HCCL_CONNECT_TIMEOUT", 120))
    return (
        rank,
        size,
        mesh.Mesh(
            rank, rendezvous.connect_ranks(rank, size, connect_timeout), _get_members, timeout
        ),
    )


@contextmanager
def simulate_world(size: int) -> Iterator[None]:
    """Let ``init()`` join ``size`` ranks inside the ``with`` block; only this one, rank 0, runs.

    Collectives behave as with a single rank. A world joined inside the block is left at its end.
    """
    global _simulated_size
    was_initialised, previous_size = GlobalComm.INITED, _simulated_size
    _simulated_size = size
    try:
        yield
    finally:
        _simulated_size = previous_size
        if GlobalComm.INITED and not was_initialised:
            release()


def release() -> None:
    """Leave the world: close the transport, forget all groups, and continue as a single rank."""
    atexit.unregister(release)
    transport.install(transport.Transport()).close()
    context.parallel.set_rank_count(1)
    GlobalComm.INITED = False
    GlobalComm.BACKEND = ""
    GlobalComm._groups = {}
    GlobalComm._rank = 0


def _get_members(group: str) -> tuple[int, ...]:
    """Return the world ranks of a group.

    Raises:
        RuntimeError: ``init()`` was not called.
        TypeError: ``group`` is not a str.
        ValueError: there is no such group.
    """
    if not GlobalComm.INITED:
        raise RuntimeError("communication: init() must be called first, got no initialised world.")
    if not isinstance(group, str):
        raise TypeError(f"communication: group must be a str, got {group!r}.")
    # Ops use Ascend's name of the world for every backend.
    members = GlobalComm._groups.get(GlobalComm.WORLD_COMM_GROUP if group in _WORLDS else group)
    if members is None:
        names = ", ".join(GlobalComm._groups)
        raise ValueError(f"communication: group must be one of {names}, got {group!r}.")
    return members


def get_rank(group: str | None = None) -> int:
    """Return this process's rank in a group, by default in the world.

    Raises:
        RuntimeError: ``init()`` was not called.
        ValueError: there is no such group, or this process is not a member.
    """
    return _get_ranks(group).index(GlobalComm._rank)


def get_group_size(group: str | None = None) -> int:
    """Return the number of ranks of a group, by default of the world.

    Raises:
        RuntimeError: ``init()`` was not called.
        ValueError: there is no such group.
    """
    return len(_get_ranks(group))


def get_local_rank(group: str | None = None) -> int:
    """Return this process's rank among the members of a group on its machine; ValueError if it is
    not a member.
    """
    return _get_local_members(group).index(GlobalComm._rank)


def get_local_rank_size(group: str | None = None) -> int:
    """Return the number of ranks of a group on this process's machine."""
    return len(_get_local_members(group))


def _get_local_members(group: str | None) -> list[int]:
    """Return the ranks of a group that are on this machine."""
    neighbours = transport.current.neighbours()
    return [r for r in _get_ranks(group) if r in neighbours]


def _get_ranks(group: str | None) -> tuple[int, ...]:
    """Return the ranks of a group; None means the world."""
    return _get_members(GlobalComm.WORLD_COMM_GROUP if group is None else group)


def get_process_group_ranks(group: str | None = None) -> list[int]:
    """Return the ranks of a group, by default of the world.

    >>> init()
    >>> get_process_group_ranks()
    [0]
    >>> release()
    """
    return list(_get_ranks(group))


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """Convert a rank of ``group`` to its world rank.

    Raises:
        ValueError: the group has no such rank.
    """
    members = _get_members(group)
    if not 0 <= group_rank_id < len(members):
        raise ValueError(
            f"get_world_rank_from_group_rank: group_rank_id must be in [0, {len(members) - 1}], "
            f"got {group_rank_id}."
        )
    return members[group_rank_id]


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """Convert a world rank to its rank in ``group``.

    Raises:
        ValueError: the rank is not a member of the group.
    """
    members = _get_members(group)
    if world_rank_id not in members:
        raise ValueError(
            f"get_group_rank_from_world_rank: world_rank_id must be one of {members}, "
            f"got {world_rank_id}."
        )
    return members.index(world_rank_id)


def create_group(group: str, rank_ids: Iterable[int], options: Any = None) -> None:
    """Create a group of ranks, or replace the group of this name.

    Args:
        group: the name.
        rank_ids: the ranks.
        options: options of MindSpore's transport; ignored.

    Raises:
        ValueError: ``rank_ids`` is empty, repeats a rank or names one that does not exist.
    """
    world = _get_members(GlobalComm.WORLD_COMM_GROUP)
    ranks = tuple(rank_ids)
    if not ranks or len(set(ranks)) != len(ranks) or not set(ranks) <= set(world):
        raise ValueError(
            f"create_group: rank_ids must be different ranks out of {len(world)}, got "
            f"{list(ranks)}."
        )
    GlobalComm._groups[group] = ranks


def destroy_group(group: str) -> None:
    """Remove a group made by :func:`create_group`.

    Raises:
        ValueError: the group is the world, or there is no such group.
    """
    _get_members(group)
    if group == GlobalComm.WORLD_COMM_GROUP:
        raise ValueError("destroy_group: group must not be the world. Use release() to leave it.")
    del GlobalComm._groups[group]
