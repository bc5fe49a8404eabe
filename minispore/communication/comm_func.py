"""Collectives as functions, at ``mindspore.communication.comm_func``.

Each returns a new tensor; ranks are world ranks, also in a group. All except those between two
ranks consist of ops, and are differentiated as such. Since they depend on the number of ranks,
their callers run op by op; the ops themselves may be part of a graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minispore import ops
from minispore.communication.collective_arguments import (
    REDUCTIONS,
    CommHandle,
    check_reduction,
    check_tensor,
    check_tensors,
    make_handle,
    resolve_group,
    to_group_rank,
)
from minispore.communication.management import get_group_size, get_rank
from minispore.communication.point_to_point import (
    P2POp,
    batch_isend_irecv,
    irecv,
    isend,
    recv,
    send,
)
from minispore.communication.variable_size import (
    count_elements,
    exchange_chunks,
    split_by_sizes,
    split_rows_evenly,
)
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.ops.control.collective import WORLD, ReduceOp

# -- collectives -----------------------------------------------------------------------------------


def all_reduce(
    tensor: Tensor, op: str = ReduceOp.SUM, group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, CommHandle | None]:
    """Return the sum (prod, min, max) of all ranks' tensors, on every rank, and a handle.

    The handle is None unless ``async_op`` is True.
    """
    check_tensor("all_reduce", "tensor", tensor)
    check_reduction("all_reduce", op, REDUCTIONS)
    comm_handle = make_handle("all_reduce", async_op)
    return ops.AllReduce(op, resolve_group("all_reduce", group))(tensor), comm_handle


def all_gather_into_tensor(
    tensor: Tensor, group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, CommHandle | None]:
    """Return the tensors of all ranks, concatenated along axis 0, on every rank, and a handle.

    The handle is None unless ``async_op`` is True.
    """
    check_tensor("all_gather_into_tensor", "tensor", tensor)
    comm_handle = make_handle("all_gather_into_tensor", async_op)
    return ops.AllGather(resolve_group("all_gather_into_tensor", group))(tensor), comm_handle


def reduce_scatter_tensor(
    tensor: Tensor, op: str = ReduceOp.SUM, group: str = WORLD, async_op: bool = False
) -> tuple[Tensor, CommHandle | None]:
    """Return this rank's part, along axis 0, of the ranks' sum (prod, min, max), and a handle.

    The handle is None unless ``async_op`` is True.
    """
    check_tensor("reduce_scatter_tensor", "tensor", tensor)
    check_reduction("reduce_scatter_tensor", op, REDUCTIONS)
    comm_handle = make_handle("reduce_scatter_tensor", async_op)
    return ops.ReduceScatter(op, resolve_group("reduce_scatter_tensor", group))(tensor), comm_handle


def reduce(tensor: Tensor, dst: int, op: str = ReduceOp.SUM, group: str = WORLD) -> Tensor:
    """Return the sum (prod, min, max) of all ranks' tensors on rank ``dst``; on other ranks, return
    their own tensor.
    """
    check_tensor("reduce", "tensor", tensor)
    check_reduction("reduce", op, REDUCTIONS)
    group = resolve_group("reduce", group)
    return ops.Reduce(to_group_rank("reduce", "dst", dst, group), op, group)(tensor)


def broadcast(tensor: Tensor, src: int = 0, group: str = WORLD) -> Tensor:
    """Return the tensor of rank ``src`` on every rank; all ranks pass a tensor of its shape and
    dtype.
    """
    check_tensor("broadcast", "tensor", tensor)
    group = resolve_group("broadcast", group)
    return ops.Broadcast(to_group_rank("broadcast", "src", src, group), group)((tensor,))[0]


def gather_into_tensor(tensor: Tensor, dst: int = 0, group: str = WORLD) -> Tensor:
    """Return all tensors, concatenated along axis 0, on rank ``dst``; on other ranks, the input."""
    check_tensor("gather_into_tensor", "tensor", tensor)
    group = resolve_group("gather_into_tensor", group)
    return ops.CollectiveGather(to_group_rank("gather_into_tensor", "dst", dst, group), group)(
        tensor
    )


def scatter_tensor(tensor: Tensor, src: int = 0, group: str = WORLD) -> Tensor:
    """Return this rank's part, along axis 0, of rank ``src``'s tensor; all ranks pass the same
    shape.
    """
    check_tensor("scatter_tensor", "tensor", tensor)
    group = resolve_group("scatter_tensor", group)
    return ops.CollectiveScatter(to_group_rank("scatter_tensor", "src", src, group), group)(tensor)


def barrier(group: str = WORLD) -> None:
    """Wait until every rank of the group has called this function."""
    ops.Barrier(resolve_group("barrier", group))()


# -- variable sizes --------------------------------------------------------------------------------


def _get_shape(api_name: str, name: str, template: Any) -> tuple[int, ...]:
    """Return the shape of a Tensor, or a shape itself; raise a TypeError for anything else."""
    if isinstance(template, Tensor):
        return template.shape
    if isinstance(template, tuple) and all(isinstance(n, int) for n in template):
        return template
    raise TypeError(
        f"{api_name}: {name} must be a Tensor or a shape, got {checks.format_value(template)}."
    )


def all_to_all_with_output_shape(
    output_shape_list: Sequence[Any],
    input_tensor_list: Sequence[Tensor],
    group: str | None = None,
    async_op: bool = False,
) -> tuple[tuple[Tensor, ...], CommHandle | None]:
    """Send tensor i to rank i; return the tensors received from all ranks, and a handle.

    Args:
        output_shape_list: for each rank, the shape of its tensor or a tensor of that shape.
        input_tensor_list: the tensor for each rank.
        group: the name of a group; all ranks by default.
        async_op: whether to return a handle.
    """
    api_name = "all_to_all_with_output_shape"
    group = resolve_group(api_name, group)
    inputs = check_tensors(api_name, "input_tensor_list", input_tensor_list)
    shapes = [
        _get_shape(api_name, f"output_shape_list[{i}]", s) for i, s in enumerate(output_shape_list)
    ]
    comm_handle = make_handle(api_name, async_op)
    received = exchange_chunks(
        api_name, [ops.reshape(t, (-1,)) for t in inputs], [*map(count_elements, shapes)], group
    )
    return tuple(ops.reshape(p, s) for p, s in zip(received, shapes, strict=True)), comm_handle


def all_to_all_single_with_output_shape(
    output_shape: Any,
    tensor: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: str | None = None,
    async_op: bool = False,
) -> tuple[Tensor, CommHandle | None]:
    """Send part i of the rows to rank i; return the rows received, concatenated, and a handle.

    Args:
        output_shape: the shape of the result, or a tensor of that shape.
        tensor: the rows.
        output_split_sizes: the number of rows from each rank; equal by default.
        input_split_sizes: the number of rows to each rank; equal by default.
        group: the name of a group; all ranks by default.
        async_op: whether to return a handle.
    """
    api_name = "all_to_all_single_with_output_shape"
    group = resolve_group(api_name, group)
    check_tensor(api_name, "tensor", tensor)
    shape, size = _get_shape(api_name, "output_shape", output_shape), get_group_size(group)
    send_counts = split_rows_evenly(
        api_name, "input_split_sizes", tensor.shape[0], input_split_sizes, size
    )
    receive_counts = split_rows_evenly(
        api_name, "output_split_sizes", shape[0], output_split_sizes, size
    )
    comm_handle = make_handle(api_name, async_op)
    width = count_elements(shape[1:])
    chunks = [ops.reshape(p, (-1,)) for p in split_by_sizes(tensor, send_counts)]
    received = exchange_chunks(api_name, chunks, [n * width for n in receive_counts], group)
    return ops.reshape(ops.concat(received), shape), comm_handle


def all_to_all_v_c(
    output: Tensor,
    input: Tensor,
    send_count_matrix: list[int],
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Fill ``output`` with the received elements: rank i sends ``matrix[i][j]`` elements to rank j.

    Args:
        output: a tensor with one element per received element.
        input: the elements to send.
        send_count_matrix: the rows of the matrix, concatenated; the same on all ranks.
        group: the name of a group; all ranks by default.
        async_op: whether to return a handle.

    Raises:
        TypeError: ``send_count_matrix`` is not a list with one int per pair of ranks.
        ValueError: the number of elements in ``input`` or ``output`` differs from the matrix.
    """
    api_name = "all_to_all_v_c"
    group = resolve_group(api_name, group)
    check_tensor(api_name, "input", input)
    check_tensor(api_name, "output", output)
    size, rank = get_group_size(group), get_rank(group)
    counts = send_count_matrix
    if not isinstance(counts, list) or not all(isinstance(n, int) for n in counts):
        raise TypeError(f"{api_name}: send_count_matrix must be a list of ints, got {counts!r}.")
    if len(counts) != size * size:
        raise TypeError(
            f"{api_name}: send_count_matrix must have {size * size} ints, got {counts!r}."
        )
    send_counts, receive_counts = counts[rank * size : (rank + 1) * size], counts[rank::size]
    comm_handle = make_handle(api_name, async_op)
    if sum(receive_counts) != output.size:
        raise ValueError(
            f"{api_name}: output must have {sum(receive_counts)} elements, got {output.size}."
        )
    flat = ops.reshape(input, (-1,))
    split_sizes = split_rows_evenly(api_name, "send_count_matrix", input.size, send_counts, size)
    chunks = split_by_sizes(flat, split_sizes)
    received = exchange_chunks(api_name, chunks, receive_counts, group)
    output.copy_(ops.reshape(ops.concat(received), output.shape))
    return comm_handle


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
