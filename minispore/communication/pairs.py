"""From one rank to another: what is sent and received goes on beside the program until somebody
waits for it. No op, so no part of a graph.
"""

from __future__ import annotations

from typing import Any

from minispore import checks, ops
from minispore.communication.calls import CommHandle, a_tensor, place, world_or
from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport


def send(tensor: Tensor, dst: int = 0, group: str = WORLD, tag: int = 0) -> None:
    """Hand a tensor to rank ``dst``, which must receive it with the same tag."""
    isend(tensor, dst, group, tag).wait()


def isend(tensor: Tensor, dst: int = 0, group: str = WORLD, tag: int = 0) -> CommHandle:
    """Begin to hand a tensor to rank ``dst``; the handle waits for the end.

    Returns:
        CommHandle
    """
    data, group = a_tensor("isend", "tensor", tensor).asnumpy().copy(), world_or("isend", group)
    to = place("isend", "dst", dst, group)
    return CommHandle(transport.current.begin_send(data, to, tag, group))


def recv(tensor: Tensor, src: int = 0, group: str = WORLD, tag: int = 0) -> Tensor:
    """The tensor of the shape and dtype of ``tensor`` that rank ``src`` sent with the same tag.

    Returns:
        Tensor
    """
    made, done = irecv(tensor, src, group, tag)
    done.wait()
    return made


def irecv(
    tensor: Tensor, src: int = 0, group: str = WORLD, tag: int = 0
) -> tuple[Tensor, CommHandle]:
    """Begin to receive what rank ``src`` sends: a tensor as ``tensor`` is, which has its content
    once the handle has waited.

    Returns:
        Tensor, CommHandle
    """
    made = ops.zeros_like(a_tensor("irecv", "tensor", tensor))
    return made, received_into("irecv", made, src, group, tag)


def received_into(who: str, tensor: Tensor, src: int, group: str | None, tag: int) -> CommHandle:
    """Begin to receive into ``tensor``."""
    group = world_or(who, group)
    like = Spec(tensor.shape, mstype.to_numpy(tensor.dtype))
    wait = transport.current.begin_receive(like, place(who, "src", src, group), tag, group)
    return CommHandle(lambda: tensor.copy_(Tensor(wait())))


class P2POp:
    """One of the calls that :func:`batch_isend_irecv` makes.

    Args:
        op: ``isend`` or ``irecv``, or the name of it.
        tensor: what is sent, or is as what is received; of ``irecv`` a shape, too.
        peer: the other rank.
        group: the name of a group; all ranks by default.
        tag: 0.
        recv_dtype: the dtype of what is received, if ``tensor`` is a shape.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: another function.
        NotImplementedError: another tag.
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
            raise TypeError(f"P2POp: op must be isend or irecv, got {checks.shown(op)}.")
        self.kind = op if isinstance(op, str) else op.__name__
        if self.kind not in ("isend", "irecv"):
            raise ValueError(f"P2POp: op must be isend or irecv, got {self.kind}.")
        if not isinstance(tensor, Tensor | tuple):
            raise TypeError(f"P2POp: tensor must be a Tensor, got {checks.shown(tensor)}.")
        if tag != 0:
            raise NotImplementedError(f"P2POp: tag must be 0, got {tag!r}.")
        self.op, self.tensor, self.group, self.tag = op, tensor, group, tag
        self.peer, self.recv_dtype = checks.integer("P2POp", "peer", peer), recv_dtype


def calls(p2p_op_list: Any) -> list[P2POp]:
    """Raise unless it is a list of calls, and not empty."""
    if not isinstance(p2p_op_list, list) or not p2p_op_list:
        raise TypeError(
            f"batch_isend_irecv: p2p_op_list must be a list of P2POps, got {p2p_op_list!r}."
        )
    for op in p2p_op_list:
        if not isinstance(op, P2POp):
            raise TypeError(f"batch_isend_irecv: each must be a P2POp, got {checks.shown(op)}.")
    return p2p_op_list


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> tuple[Tensor, ...]:
    """Make all the calls at once, and wait for all.

    Returns:
        tuple of Tensor: what was received, and 0 for what was sent.
    """
    made: list[Tensor] = []
    begun: list[CommHandle] = []
    for p in calls(p2p_op_list):
        group = world_or("batch_isend_irecv", p.group)
        like: Any = p.tensor
        if p.kind == "isend":
            made.append(Tensor(0.0))
            begun.append(isend(like, p.peer, group, p.tag))
            continue
        if isinstance(like, tuple):
            if p.recv_dtype is None:
                raise ValueError("batch_isend_irecv: recv_dtype must be given with a shape.")
            like = ops.zeros(like, p.recv_dtype)
        tensor, done = irecv(like, p.peer, group, p.tag)
        made.append(tensor)
        begun.append(done)
    for done in begun:
        done.wait()
    return tuple(made)


__all__ = [
    "P2POp",
    "batch_isend_irecv",
    "calls",
    "irecv",
    "isend",
    "received_into",
    "recv",
    "send",
]
