"""Point-to-point communication, and communication of Python objects."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from minispore import ops
from minispore.communication import comm_func
from minispore.communication import management as world
from minispore.communication.collective_arguments import CommHandle, check_tensor, to_group_rank
from minispore.communication.collective_arguments import resolve_group as _group
from minispore.communication.point_to_point import P2POp, begin_receive_into, check_p2p_ops
from minispore.communication.variable_size import exchange_chunks
from minispore.core.tensor import Tensor
from minispore.foundation import checks


def _check_other_rank(api_name: str, dst: Any) -> None:
    """Raise ValueError if ``dst`` is this rank."""
    if dst == world.get_rank():
        raise ValueError(f"{api_name}: dst must be another rank, got {dst}, this one itself.")


def send(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Send a tensor to rank ``dst``, which must receive it with the same tag, and wait until it is
    sent.

    A ``dst`` that is this rank raises a ValueError.
    """
    isend(tensor, dst, group, tag).wait()


def isend(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Begin to send a tensor to rank ``dst``; the handle waits until it is sent.

    Returns:
        CommHandle

    Raises:
        ValueError: ``dst`` is this rank.
    """
    _check_other_rank("isend", dst)
    return comm_func.isend(tensor, dst, _group("isend", group), tag)


def recv(tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0) -> int:
    """Wait for the tensor that rank ``src`` sends with the same tag, and copy it to ``tensor``.

    Returns:
        int: 0.
    """
    irecv(tensor, src, group, tag).wait()
    return 0


def irecv(tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Begin to receive a tensor from rank ``src``; waiting for the handle copies it to ``tensor``.

    Returns:
        CommHandle
    """
    return begin_receive_into("irecv", check_tensor("irecv", "tensor", tensor), src, group, tag)


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[CommHandle]:
    """Begin all sends and receives of a list; raise TypeError unless it is a non-empty list of
    P2POps.

    Returns:
        list of CommHandle: a single handle, which waits for all of them.
    """
    handles: list[CommHandle] = []
    for p2p_op in check_p2p_ops(p2p_op_list):
        tensor = check_tensor("batch_isend_irecv", "tensor", p2p_op.tensor)
        begin = isend if p2p_op.kind == "isend" else irecv
        handles.append(begin(tensor, p2p_op.peer, p2p_op.group, p2p_op.tag))

    def wait_for_all() -> None:
        """Wait for every send and receive of the list."""
        for handle in handles:
            handle.wait()

    return [CommHandle(wait_for_all)]


# -- objects ---------------------------------------------------------------------------------------


def _pickle_to_tensor(obj: Any) -> Tensor:
    """Return the pickled object as an int8 tensor."""
    return Tensor(np.frombuffer(pickle.dumps(obj), np.int8).copy())


def _unpickle_tensor(packed: Tensor) -> Any:
    """Return the object whose pickled form an int8 tensor holds; unpickling may run code of the
    sender.
    """
    return pickle.loads(packed.asnumpy().tobytes())


def _make_size_tensor(packed: Tensor) -> Tensor:
    """Return the number of bytes of a pickled object as an int64 tensor of one element."""
    return Tensor(np.array([packed.size], np.int64))


def all_gather_object(object_list: list[Any], obj: Any, group: str | None = None) -> None:
    """Fill ``object_list``, one item for each rank, with the objects of all ranks, which must be
    picklable.

    A list of a different length raises a TypeError.
    """
    api_name, group = "all_gather_object", _group("all_gather_object", group)
    _check_list(api_name, "object_list", object_list, world.get_group_size(group))
    object_list[:] = _gather_objects(api_name, obj, group)


def _check_list(api_name: str, name: str, value: Any, size: int) -> None:
    """Raise TypeError unless ``value`` is a list of ``size`` items."""
    if not isinstance(value, list) or len(value) != size:
        raise TypeError(
            f"{api_name}: {name} must be a list of {size}, got {checks.format_value(value)}."
        )


def _gather_objects(api_name: str, obj: Any, group: str) -> list[Any]:
    """Return copies of the objects of all ranks, in rank order; a collective that every rank must
    call.
    """
    packed = _pickle_to_tensor(obj)
    sizes = ops.AllGather(group)(_make_size_tensor(packed)).asnumpy().tolist()
    return [
        _unpickle_tensor(pickled)
        for pickled in exchange_chunks(api_name, [packed] * len(sizes), sizes, group)
    ]


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int = 0, group: str | None = None
) -> None:
    """Fill ``object_gather_list`` of rank ``dst``, one item for each rank, with the objects of all
    ranks.

    They are exchanged among all ranks. On ``dst``, a list of a different length raises a TypeError;
    other ranks' lists are ignored.
    """
    api_name, group = "gather_object", _group("gather_object", group)
    is_root = to_group_rank(api_name, "dst", dst, group) == world.get_rank(group)
    if is_root:
        _check_list(api_name, "object_gather_list", object_gather_list, world.get_group_size(group))
    gathered = _gather_objects(api_name, obj, group)
    if is_root and object_gather_list is not None:
        object_gather_list[:] = gathered


def broadcast_object_list(
    object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None
) -> None:
    """Fill ``object_list`` with the objects of rank ``src``; all lists have the same length.

    ``device`` has no effect.

    Raises:
        TypeError: ``object_list`` is not a list, or is empty.
        ValueError: its length differs from that of ``src``.
    """
    api_name, group = "broadcast_object_list", _group("broadcast_object_list", group)
    if not isinstance(object_list, list) or not object_list:
        raise TypeError(f"{api_name}: object_list must be a list with something in it.")
    is_root = to_group_rank(api_name, "src", src, group) == world.get_rank(group)
    packed = _pickle_to_tensor(object_list if is_root else None)
    size = comm_func.broadcast(_make_size_tensor(packed), src, group)
    if not is_root:
        packed = Tensor(np.zeros(int(size.asnumpy()[0]), np.int8))
    received = _unpickle_tensor(comm_func.broadcast(packed, src, group))
    if len(received) != len(object_list):
        raise ValueError(
            f"{api_name}: object_list must have {len(received)} places, as on rank {src}, got "
            f"{len(object_list)}."
        )
    if not is_root:
        object_list[:] = received


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None,
    src: int = 0,
    group: str | None = None,
) -> None:
    """Set the first item of ``scatter_object_output_list`` to an object from rank ``src``.

    The object is this rank's entry in the ``scatter_object_input_list`` of ``src``, which is sent
    to all ranks as a whole.

    Raises:
        TypeError: the output list is not a list or is empty; on ``src``, the input list does not
            have one object for each rank.
    """
    api_name, group = "scatter_object_list", _group("scatter_object_list", group)
    output = scatter_object_output_list
    size = world.get_group_size(group)
    if not isinstance(output, list) or not output:
        raise TypeError(
            f"{api_name}: scatter_object_output_list must be a list with a place in it."
        )
    objects: list[Any] = [None] * size
    if to_group_rank(api_name, "src", src, group) == world.get_rank(group):
        _check_list(api_name, "scatter_object_input_list", scatter_object_input_list, size)
        objects = list(scatter_object_input_list or ())
    broadcast_object_list(objects, src, group)
    output[0] = objects[world.get_rank(group)]


def send_object_list(
    object_list: list[Any], dst: int, group: str | None = None, device: Any = None
) -> None:
    """Send objects to rank ``dst``, which must receive the same number of objects; wait until they
    are sent.

    ``device`` has no effect. Anything but a list raises a TypeError.
    """
    if not isinstance(object_list, list):
        raise TypeError("send_object_list: object_list must be a list.")
    packed = _pickle_to_tensor(object_list)
    send(_make_size_tensor(packed), dst, group)
    send(packed, dst, group)


def recv_object_list(
    object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None
) -> int:
    """Wait for the objects that rank ``src`` sends, and fill ``object_list`` with them.

    ``device`` has no effect.

    Returns:
        int: 0.

    Raises:
        TypeError: ``object_list`` is not a list.
        ValueError: its length is not the number of objects sent.
    """
    if not isinstance(object_list, list):
        raise TypeError("recv_object_list: object_list must be a list.")
    size = Tensor(np.zeros(1, np.int64))
    recv(size, src, group)
    packed = Tensor(np.zeros(int(size.asnumpy()[0]), np.int8))
    recv(packed, src, group)
    received = _unpickle_tensor(packed)
    if len(received) != len(object_list):
        raise ValueError(
            f"recv_object_list: object_list must have {len(received)} places, got "
            f"{len(object_list)}."
        )
    object_list[:] = received
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
