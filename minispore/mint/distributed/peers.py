"""From one rank to another, and objects of Python from rank to rank."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from minispore import checks, ops
from minispore.communication import comm_func as made
from minispore.communication import management as world
from minispore.communication.calls import CommHandle, a_tensor, place
from minispore.communication.calls import world_or as _group
from minispore.communication.pairs import P2POp, calls, received_into
from minispore.communication.parts import exchanged
from minispore.core.tensor import Tensor


def _not_here(who: str, dst: Any) -> None:
    if dst == world.get_rank():
        raise ValueError(f"{who}: dst must be another rank, got {dst}, this one itself.")


def send(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Hand a tensor to rank ``dst``, which must receive it with the same tag."""
    isend(tensor, dst, group, tag).wait()


def isend(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Begin to hand a tensor to rank ``dst``; the handle waits for the end.

    Returns:
        CommHandle
    """
    _not_here("isend", dst)
    return made.isend(tensor, dst, _group("isend", group), tag)


def recv(tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0) -> int:
    """Make ``tensor`` what rank ``src`` sent with the same tag.

    Returns:
        int: 0.
    """
    irecv(tensor, src, group, tag).wait()
    return 0


def irecv(tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Begin to receive what rank ``src`` sends; ``tensor`` has it once the handle has waited.

    Returns:
        CommHandle
    """
    return received_into("irecv", a_tensor("irecv", "tensor", tensor), src, group, tag)


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[CommHandle]:
    """Begin all the calls.

    Returns:
        list of CommHandle: one, which waits for all of them.
    """
    begun: list[CommHandle] = []
    for p in calls(p2p_op_list):
        tensor = a_tensor("batch_isend_irecv", "tensor", p.tensor)
        begin = isend if p.kind == "isend" else irecv
        begun.append(begin(tensor, p.peer, p.group, p.tag))

    def finish() -> None:
        for one in begun:
            one.wait()

    return [CommHandle(finish)]


# -- objects ---------------------------------------------------------------------------------------


def _packed(thing: Any) -> Tensor:
    return Tensor(np.frombuffer(pickle.dumps(thing), np.int8).copy())


def _unpacked(packed: Tensor) -> Any:
    return pickle.loads(packed.asnumpy().tobytes())


def _sized(packed: Tensor) -> Tensor:
    return Tensor(np.array([packed.size], np.int64))


def all_gather_object(object_list: list[Any], obj: Any, group: str | None = None) -> None:
    """Make ``object_list`` the objects of all ranks; they must be such that pickle takes."""
    who, group = "all_gather_object", _group("all_gather_object", group)
    _a_list(who, "object_list", object_list, world.get_group_size(group))
    object_list[:] = _all_objects(who, obj, group)


def _a_list(who: str, name: str, given: Any, size: int) -> None:
    if not isinstance(given, list) or len(given) != size:
        raise TypeError(f"{who}: {name} must be a list of {size}, got {checks.shown(given)}.")


def _all_objects(who: str, thing: Any, group: str) -> list[Any]:
    packed = _packed(thing)
    sizes = ops.AllGather(group)(_sized(packed)).asnumpy().tolist()
    return [_unpacked(p) for p in exchanged(who, [packed] * len(sizes), sizes, group)]


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int = 0, group: str | None = None
) -> None:
    """Make ``object_gather_list`` of rank ``dst`` the objects of all ranks."""
    who, group = "gather_object", _group("gather_object", group)
    here = place(who, "dst", dst, group) == world.get_rank(group)
    if here:
        _a_list(who, "object_gather_list", object_gather_list, world.get_group_size(group))
    found = _all_objects(who, obj, group)
    if here and object_gather_list is not None:
        object_gather_list[:] = found


def broadcast_object_list(
    object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None
) -> None:
    """Make ``object_list`` that of rank ``src``; all have one of its length."""
    who, group = "broadcast_object_list", _group("broadcast_object_list", group)
    if not isinstance(object_list, list) or not object_list:
        raise TypeError(f"{who}: object_list must be a list with something in it.")
    here = place(who, "src", src, group) == world.get_rank(group)
    packed = _packed(object_list if here else None)
    size = made.broadcast(_sized(packed), src, group)
    if not here:
        packed = Tensor(np.zeros(int(size.asnumpy()[0]), np.int8))
    found = _unpacked(made.broadcast(packed, src, group))
    if len(found) != len(object_list):
        raise ValueError(
            f"{who}: object_list must have {len(found)} places, as on rank {src}, got "
            f"{len(object_list)}."
        )
    if not here:
        object_list[:] = found


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None,
    src: int = 0,
    group: str | None = None,
) -> None:
    """Make the first of ``scatter_object_output_list`` the object that rank ``src`` has for this
    rank in its ``scatter_object_input_list``.
    """
    who, group = "scatter_object_list", _group("scatter_object_list", group)
    output, size = scatter_object_output_list, world.get_group_size(group)
    if not isinstance(output, list) or not output:
        raise TypeError(f"{who}: scatter_object_output_list must be a list with a place in it.")
    given: list[Any] = [None] * size
    if place(who, "src", src, group) == world.get_rank(group):
        _a_list(who, "scatter_object_input_list", scatter_object_input_list, size)
        given = list(scatter_object_input_list or ())
    broadcast_object_list(given, src, group)
    output[0] = given[world.get_rank(group)]


def send_object_list(
    object_list: list[Any], dst: int, group: str | None = None, device: Any = None
) -> None:
    """Hand objects to rank ``dst``, which must receive as many."""
    if not isinstance(object_list, list):
        raise TypeError("send_object_list: object_list must be a list.")
    packed = _packed(object_list)
    send(_sized(packed), dst, group)
    send(packed, dst, group)


def recv_object_list(
    object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None
) -> int:
    """Make ``object_list`` what rank ``src`` sent.

    Returns:
        int: 0.
    """
    if not isinstance(object_list, list):
        raise TypeError("recv_object_list: object_list must be a list.")
    size = Tensor(np.zeros(1, np.int64))
    recv(size, src, group)
    packed = Tensor(np.zeros(int(size.asnumpy()[0]), np.int8))
    recv(packed, src, group)
    found = _unpacked(packed)
    if len(found) != len(object_list):
        raise ValueError(
            f"recv_object_list: object_list must have {len(found)} places, got {len(object_list)}."
        )
    object_list[:] = found
    return 0


__all__ = [
    "P2POp",
    "all_gather_object",
    "batch_isend_irecv",
    "broadcast_object_list",
    "gather_object",
    "irecv",
    "isend",
    "recv",
    "recv_object_list",
    "scatter_object_list",
    "send",
    "send_object_list",
]
