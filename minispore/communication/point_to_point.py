"""Communication between two ranks. A transfer runs concurrently with the program until its handle
is waited for. These functions are not ops, so they can't be part of a graph.
"""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.communication.collective_arguments import (
    CommHandle,
    check_tensor,
    resolve_group,
    to_group_rank,
)
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport


def send(tensor: Tensor, dst: int = 0, group: str = WORLD, tag: int = 0) -> None:
    """Send a tensor to rank ``dst``, which must receive it with the same tag; wait until it is
    sent.
    """
    isend(tensor, dst, group, tag).wait()


def isend(tensor: Tensor, dst: int = 0, group: str = WORLD, tag: int = 0) -> CommHandle:
    """Begin to send a copy of a tensor to rank ``dst``; the handle waits until it is sent.

    Returns:
        CommHandle
    """
    data = check_tensor("isend", "tensor", tensor).asnumpy().copy()
    group = resolve_group("isend", group)
    receiver = to_group_rank("isend", "dst", dst, group)
    return CommHandle(transport.current.begin_send(data, receiver, tag, group))


def recv(tensor: Tensor, src: int = 0, group: str = WORLD, tag: int = 0) -> Tensor:
    """Receive a tensor of the shape and dtype of ``tensor`` that rank ``src`` sends with this tag.

    Returns:
        Tensor
    """
    received, handle = irecv(tensor, src, group, tag)
    handle.wait()
    return received


def irecv(
    tensor: Tensor, src: int = 0, group: str = WORLD, tag: int = 0
) -> tuple[Tensor, CommHandle]:
    """Begin to receive from rank ``src``; return a new tensor of the shape and dtype of ``tensor``,
    filled once the handle has waited.

    Returns:
        Tensor, CommHandle
    """
    received = ops.zeros_like(check_tensor("irecv", "tensor", tensor))
    return received, begin_receive_into("irecv", received, src, group, tag)


def begin_receive_into(
    api_name: str, tensor: Tensor, src: int, group: str | None, tag: int
) -> CommHandle:
    """Begin to receive into ``tensor`` from rank ``src``; waiting for the handle fills it."""
    group = resolve_group(api_name, group)
    spec = Spec(tensor.shape, mstype.to_numpy(tensor.dtype))
    wait = transport.current.begin_receive(
        spec, to_group_rank(api_name, "src", src, group), tag, group
    )
    return CommHandle(lambda: tensor.copy_(Tensor(wait())))


class P2POp:
    """One send or receive for :func:`batch_isend_irecv`.

    Args:
        op: ``isend`` or ``irecv``, or its name.
        tensor: the tensor to send, or one of the received tensor's shape and dtype; for ``irecv``
            also a shape.
        peer: the other rank.
        group: the name of a group; all ranks by default.
        tag: must be 0.
        recv_dtype: the dtype of the received tensor, if ``tensor`` is a shape.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``op`` is another function.
        NotImplementedError: the tag is not 0.
    """

    def __init__(
        self,
        op: Any,
        tensor: Any,
        peer: int,
        group: str | None = None,
        tag: int = 0,
        recv_dtype: Any = None,
    ) -> None:
        if not isinstance(op, str) and not callable(op):
            raise TypeError(f"P2POp: op must be isend or irecv, got {checks.format_value(op)}.")
        self.kind = op if isinstance(op, str) else op.__name__
        if self.kind not in ("isend", "irecv"):
            raise ValueError(f"P2POp: op must be isend or irecv, got {self.kind}.")
        if not isinstance(tensor, Tensor | tuple):
            raise TypeError(f"P2POp: tensor must be a Tensor, got {checks.format_value(tensor)}.")
        if tag != 0:
            raise NotImplementedError(f"P2POp: tag must be 0, got {tag!r}.")
        self.op, self.tensor, self.group, self.tag = op, tensor, group, tag
        self.peer, self.recv_dtype = checks.integer("P2POp", "peer", peer), recv_dtype


def check_p2p_ops(p2p_op_list: Any) -> list[P2POp]:
    """Return the list; raise a TypeError unless it is a non-empty list of P2POps."""
    if not isinstance(p2p_op_list, list) or not p2p_op_list:
        raise TypeError(
            f"batch_isend_irecv: p2p_op_list must be a list of P2POps, got {p2p_op_list!r}."
        )
    for op in p2p_op_list:
        if not isinstance(op, P2POp):
            raise TypeError(
                f"batch_isend_irecv: each must be a P2POp, got {checks.format_value(op)}."
            )
    return p2p_op_list


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> tuple[Tensor, ...]:
    """Start all sends and receives, and wait for all.

    Returns:
        tuple of Tensor: the received tensors, and 0 for each send.

    Raises:
        TypeError: the argument is not a list of P2POps.
        ValueError: an op receives a shape without a ``recv_dtype``.
    """
    results: list[Tensor] = []
    handles: list[CommHandle] = []
    for p2p_op in check_p2p_ops(p2p_op_list):
        group = resolve_group("batch_isend_irecv", p2p_op.group)
        template: Any = p2p_op.tensor
        if p2p_op.kind == "isend":
            results.append(Tensor(0.0))
            handles.append(isend(template, p2p_op.peer, group, p2p_op.tag))
            continue
        if isinstance(template, tuple):
            if p2p_op.recv_dtype is None:
                raise ValueError("batch_isend_irecv: recv_dtype must be given with a shape.")
            template = ops.zeros(template, p2p_op.recv_dtype)
        tensor, handle = irecv(template, p2p_op.peer, group, p2p_op.tag)
        results.append(tensor)
        handles.append(handle)
    for handle in handles:
        handle.wait()
    return tuple(results)


__all__ = [
    "P2POp",
    "batch_isend_irecv",
    "begin_receive_into",
    "check_p2p_ops",
    "irecv",
    "isend",
    "recv",
    "send",
]
