"""Collectives as functions, at ``mindspore.communication.comm_func``.

Each gives a new tensor; ranks are those of the world, also in a group. All but those between two
ranks are made of ops, and so they are differentiated as those. They depend on who is there, so what
calls them runs op by op; the ops themselves may be part of a graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minispore import checks, ops
from minispore.communication.calls import (
    REDUCTIONS,
    CommHandle,
    a_tensor,
    handle,
    one_of,
    place,
    tensors,
    world_or,
)
from minispore.communication.management import get_group_size, get_rank
from minispore.communication.pairs import P2POp, batch_isend_irecv, irecv, isend, recv, send
from minispore.communication.parts import count, cut, exchanged, rows
from minispore.core.tensor import Tensor
from minispore.described import describe as _describe
from minispore.ops.control.collective import WORLD, ReduceOp

# -- collectives -----------------------------------------------------------------------------------


def all_reduce(
    tensor: Tensor, op: str = ReduceOp.SUM, group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, CommHandle | None]:
    """The sum (prod, min, max) of all ranks' tensors, on every rank, and a handle."""
    a_tensor("all_reduce", "tensor", tensor)
    one_of("all_reduce", op, REDUCTIONS)
    done = handle("all_reduce", async_op)
    return ops.AllReduce(op, world_or("all_reduce", group))(tensor), done


def all_gather_into_tensor(
    tensor: Tensor, group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, CommHandle | None]:
    """The tensors of all ranks end to end along axis 0, on every rank, and a handle."""
    a_tensor("all_gather_into_tensor", "tensor", tensor)
    done = handle("all_gather_into_tensor", async_op)
    return ops.AllGather(world_or("all_gather_into_tensor", group))(tensor), done


def reduce_scatter_tensor(
    tensor: Tensor, op: str = ReduceOp.SUM, group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, CommHandle | None]:
    """The own part, along axis 0, of the sum (prod, min, max) of all tensors, and a handle."""
    a_tensor("reduce_scatter_tensor", "tensor", tensor)
    one_of("reduce_scatter_tensor", op, REDUCTIONS)
    done = handle("reduce_scatter_tensor", async_op)
    return ops.ReduceScatter(op, world_or("reduce_scatter_tensor", group))(tensor), done


def reduce(tensor: Tensor, dst: int, op: str = ReduceOp.SUM, group: str = WORLD) -> Tensor:
    """The sum (prod, min, max) of all ranks' tensors on rank ``dst``; on others the own tensor."""
    a_tensor("reduce", "tensor", tensor)
    one_of("reduce", op, REDUCTIONS)
    group = world_or("reduce", group)
    return ops.Reduce(place("reduce", "dst", dst, group), op, group)(tensor)


def broadcast(tensor: Tensor, src: int = 0, group: str = WORLD) -> Tensor:
    """The tensor of rank ``src``, on every rank; all have one of its shape and dtype."""
    a_tensor("broadcast", "tensor", tensor)
    group = world_or("broadcast", group)
    return ops.Broadcast(place("broadcast", "src", src, group), group)((tensor,))[0]


def gather_into_tensor(tensor: Tensor, dst: int = 0, group: str = WORLD) -> Tensor:
    """The tensors of all ranks end to end along axis 0 on rank ``dst``; on others the own."""
    a_tensor("gather_into_tensor", "tensor", tensor)
    group = world_or("gather_into_tensor", group)
    return ops.CollectiveGather(place("gather_into_tensor", "dst", dst, group), group)(tensor)


def scatter_tensor(tensor: Tensor, src: int = 0, group: str = WORLD) -> Tensor:
    """The own part, along axis 0, of the tensor of rank ``src``; all have one of its shape."""
    a_tensor("scatter_tensor", "tensor", tensor)
    group = world_or("scatter_tensor", group)
    return ops.CollectiveScatter(place("scatter_tensor", "src", src, group), group)(tensor)


def barrier(group: str = WORLD) -> None:
    """Wait until every rank of the group is here."""
    ops.Barrier(world_or("barrier", group))()


# -- parts of any lengths --------------------------------------------------------------------------


def _shape(who: str, name: str, like: Any) -> tuple[int, ...]:
    if isinstance(like, Tensor):
        return like.shape
    if isinstance(like, tuple) and all(isinstance(n, int) for n in like):
        return like
    raise TypeError(f"{who}: {name} must be a Tensor or a shape, got {checks.shown(like)}.")


def all_to_all_with_output_shape(
    output_shape_list: Sequence[Any],
    input_tensor_list: Sequence[Tensor],
    group: str | None = None,
    async_op: bool = False,
) -> tuple[tuple[Tensor, ...], CommHandle | None]:
    """Tensor i goes to rank i; what comes from rank i has shape i. And a handle.

    Args:
        output_shape_list: for each rank a shape, or a tensor that has it.
        input_tensor_list: for each rank a tensor.
        group: the name of a group; all ranks by default.
        async_op: whether a handle is wanted.
    """
    who = "all_to_all_with_output_shape"
    group = world_or(who, group)
    given = tensors(who, "input_tensor_list", input_tensor_list)
    shapes = [_shape(who, f"output_shape_list[{i}]", s) for i, s in enumerate(output_shape_list)]
    done = handle(who, async_op)
    parts = exchanged(who, [ops.reshape(t, (-1,)) for t in given], [*map(count, shapes)], group)
    return tuple(ops.reshape(p, s) for p, s in zip(parts, shapes, strict=True)), done


def all_to_all_single_with_output_shape(
    output_shape: Any,
    tensor: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: str | None = None,
    async_op: bool = False,
) -> tuple[Tensor, CommHandle | None]:
    """Part i of the rows goes to rank i; what comes from all ranks, end to end. And a handle.

    Args:
        output_shape: the shape of what comes, or a tensor that has it.
        tensor: the rows.
        output_split_sizes: how many rows come from each rank; equally many by default.
        input_split_sizes: how many rows go to each rank; equally many by default.
        group: the name of a group; all ranks by default.
        async_op: whether a handle is wanted.
    """
    who = "all_to_all_single_with_output_shape"
    group = world_or(who, group)
    a_tensor(who, "tensor", tensor)
    shape, size = _shape(who, "output_shape", output_shape), get_group_size(group)
    went = rows(who, "input_split_sizes", tensor.shape[0], input_split_sizes, size)
    come = rows(who, "output_split_sizes", shape[0], output_split_sizes, size)
    done = handle(who, async_op)
    width = count(shape[1:])
    parts = [ops.reshape(p, (-1,)) for p in cut(tensor, went)]
    made = exchanged(who, parts, [n * width for n in come], group)
    return ops.reshape(ops.concat(made), shape), done


def all_to_all_v_c(
    output: Tensor,
    input: Tensor,
    send_count_matrix: list[int],
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Fill ``output`` with what all ranks send: rank i sends ``matrix[i][j]`` elements to rank j.

    Args:
        output: as many elements as come.
        input: as many elements as go.
        send_count_matrix: the rows of the matrix, end to end; the same on all ranks.
        group: the name of a group; all ranks by default.
        async_op: whether a handle is wanted.
    """
    who = "all_to_all_v_c"
    group = world_or(who, group)
    a_tensor(who, "input", input)
    a_tensor(who, "output", output)
    size, own = get_group_size(group), get_rank(group)
    counts = send_count_matrix
    if not isinstance(counts, list) or not all(isinstance(n, int) for n in counts):
        raise TypeError(f"{who}: send_count_matrix must be a list of ints, got {counts!r}.")
    if len(counts) != size * size:
        raise TypeError(f"{who}: send_count_matrix must have {size * size} ints, got {counts!r}.")
    went, come = counts[own * size : (own + 1) * size], counts[own::size]
    done = handle(who, async_op)
    if sum(come) != output.size:
        raise ValueError(f"{who}: output must have {sum(come)} elements, got {output.size}.")
    flat = ops.reshape(input, (-1,))
    made = exchanged(who, cut(flat, rows(who, "send_count_matrix", input.size, went, size)),
                     come, group)  # fmt: skip
    output.copy_(ops.reshape(ops.concat(made), output.shape))
    return done


__all__ = [
    "P2POp",
    "all_gather_into_tensor",
    "all_reduce",
    "all_to_all_single_with_output_shape",
    "all_to_all_v_c",
    "all_to_all_with_output_shape",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "gather_into_tensor",
    "irecv",
    "isend",
    "recv",
    "reduce",
    "reduce_scatter_tensor",
    "scatter_tensor",
    "send",
]

_describe(__name__)
