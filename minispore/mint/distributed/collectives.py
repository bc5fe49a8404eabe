"""Collectives that write their results to tensors of the caller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minispore import ops
from minispore.communication import comm_func
from minispore.communication import management as world
from minispore.communication.collective_arguments import (
    REDUCTIONS,
    CommHandle,
    check_reduction,
    check_tensor,
    check_tensors,
    make_handle,
    to_group_rank,
)
from minispore.communication.collective_arguments import resolve_group as _group
from minispore.communication.variable_size import exchange_chunks, split_by_sizes, split_rows_evenly
from minispore.core.tensor import Tensor

_REDUCTIONS = (*REDUCTIONS, "avg")


def _check_output(
    api_name: str, name: str, output: Tensor, shape: tuple[int, ...], expected_like: Tensor
) -> None:
    """Raise ValueError unless ``output``, the argument ``name``, has this shape, and the dtype of
    ``expected_like``.
    """
    if output.shape != shape:
        raise ValueError(f"{api_name}: {name} must have the shape {shape}, got {output.shape}.")
    if output.dtype != expected_like.dtype:
        raise ValueError(
            f"{api_name}: {name} must be {expected_like.dtype} as the input, got {output.dtype}."
        )


def _reduce_all(tensor: Tensor, op: str, group: str) -> Tensor:
    """Return the reduction of all ranks' tensors; "avg" is the sum divided by the number of
    ranks, cast to the dtype of ``tensor``.
    """
    total = ops.AllReduce("sum" if op == "avg" else op, group)(tensor)
    return total if op != "avg" else ops.cast(total / world.get_group_size(group), tensor.dtype)


def barrier(
    group: str | None = None, async_op: bool = False, device_ids: Any = None
) -> CommHandle | None:
    """Wait until every rank of the group has called this.

    With ``async_op`` return a finished handle, else None. ``device_ids`` is ignored.
    """
    handle = make_handle("barrier", async_op)
    comm_func.barrier(_group("barrier", group))
    return handle


def all_reduce(
    tensor: Tensor, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Set ``tensor`` of each rank to the reduction by ``op`` (sum, prod, min, max or avg) of all
    ranks' tensors.

    With ``async_op`` return a finished handle, else None. Raises a TypeError for another ``op`` or
    an argument of a wrong type.
    """
    check_tensor("all_reduce", "tensor", tensor)
    check_reduction("all_reduce", op, _REDUCTIONS)
    handle, group = make_handle("all_reduce", async_op), _group("all_reduce", group)
    tensor.copy_(_reduce_all(tensor, op, group))
    return handle


def reduce(
    tensor: Tensor, dst: int, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Set ``tensor`` of rank ``dst`` to the sum (prod, min, max, avg) of all ranks' tensors; with
    ``async_op`` return a finished handle.

    The tensors of the other ranks do not change.
    """
    check_tensor("reduce", "tensor", tensor)
    check_reduction("reduce", op, _REDUCTIONS)
    handle, group = make_handle("reduce", async_op), _group("reduce", group)
    root = to_group_rank("reduce", "dst", dst, group)
    total = ops.Reduce(root, "sum" if op == "avg" else op, group)(tensor)
    if root == world.get_rank(group):
        tensor.copy_(total / world.get_group_size(group) if op == "avg" else total)
    return handle


def broadcast(
    tensor: Tensor, src: int, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Set ``tensor`` of each rank to the tensor of the world rank ``src``, which must have its
    shape.

    With ``async_op`` return a finished handle, else None.
    """
    check_tensor("broadcast", "tensor", tensor)
    handle = make_handle("broadcast", async_op)
    tensor.copy_(comm_func.broadcast(tensor, src, _group("broadcast", group)))
    return handle


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Copy the tensors of all ranks, whose shapes are equal, into the tensors of ``tensor_list``.

    With ``async_op`` return a finished handle, else None. Raises a TypeError unless there is one
    tensor for each rank, ValueError unless each is like ``tensor``.
    """
    api_name = "all_gather"
    check_tensor(api_name, "tensor", tensor)
    handle, group = make_handle(api_name, async_op), _group(api_name, group)
    outputs = _check_tensor_list(api_name, "tensor_list", tensor_list, group, tensor)
    gathered = ops.AllGather(group)(ops.expand_dims(tensor, 0))
    for i, output in enumerate(outputs):
        output.copy_(gathered[i])
    return handle


def _check_tensor_list(
    api_name: str, name: str, value: Any, group: str, expected_like: Tensor
) -> Sequence[Tensor]:
    """Return ``value`` if it has one tensor like ``expected_like`` for each rank.

    Raises:
        TypeError: ``value`` is not a list or tuple of Tensors, one for each rank.
        ValueError: a tensor has a different shape or dtype.
    """
    checked = check_tensors(api_name, name, value)
    size = world.get_group_size(group)
    if len(checked) != size:
        raise TypeError(f"{api_name}: {name} must have one tensor for each of {size} ranks, got "
                        f"{len(checked)}.")  # fmt: skip
    for i, tensor in enumerate(checked):
        _check_output(api_name, f"{name}[{i}]", tensor, expected_like.shape, expected_like)
    return checked


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Fill ``output_tensor`` with the tensors of all ranks, concatenated along axis 0.

    With ``async_op`` return a finished handle, else None. Raises a ValueError for an output of a
    wrong shape or dtype.
    """
    api_name = "all_gather_into_tensor"
    x = check_tensor(api_name, "input_tensor", input_tensor)
    out = check_tensor(api_name, "output_tensor", output_tensor)
    handle, group = make_handle(api_name, async_op), _group(api_name, group)
    _check_output(api_name, "output_tensor", out, _scale_rows(x, world.get_group_size(group)), x)
    out.copy_(ops.AllGather(group)(x))
    return handle


def _scale_rows(x: Tensor, n: int) -> tuple[int, ...]:
    """Return the shape of ``x`` with ``n`` times as many rows (axis 0)."""
    return (x.shape[0] * n, *x.shape[1:])


def all_gather_into_tensor_uneven(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Concatenate all ranks' tensors, which have ``output_split_sizes`` rows, into ``output``; with
    ``async_op`` return a finished handle.

    The sizes are equal by default; those that do not add up to the rows of ``output`` raise a
    ValueError.
    """
    api_name = "all_gather_into_tensor_uneven"
    check_tensor(api_name, "input", input)
    check_tensor(api_name, "output", output)
    handle, group = make_handle(api_name, async_op), _group(api_name, group)
    size = world.get_group_size(group)
    sizes = split_rows_evenly(
        api_name, "output_split_sizes", output.shape[0], output_split_sizes, size
    )
    flat = ops.reshape(input, (-1,))
    width = output.size // max(output.shape[0], 1)
    parts = exchange_chunks(api_name, [flat] * size, [n * width for n in sizes], group)
    output.copy_(ops.reshape(ops.concat(parts), output.shape))
    return handle


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: str = "sum",
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Set ``output`` to the reduction by ``op`` (sum, prod, min, max or avg) of this rank's entries
    in all ranks' lists.

    With ``async_op`` return a finished handle, else None. Raises a TypeError unless there is one
    tensor for each rank, ValueError unless each is like ``output``.
    """
    api_name = "reduce_scatter"
    check_reduction(api_name, op, _REDUCTIONS)
    handle, group = make_handle(api_name, async_op), _group(api_name, group)
    inputs = _check_tensor_list(
        api_name, "input_list", input_list, group, check_tensor(api_name, "output", output)
    )
    output.copy_(_reduce_all(ops.stack(inputs), op, group)[world.get_rank(group)])
    return handle


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Set ``output`` to this rank's part along axis 0 of the reduction by ``op`` (sum, prod, min,
    max or avg) of all inputs.

    With ``async_op`` return a finished handle, else None. Raises a ValueError unless ``input`` has
    the rows of one output for each rank.
    """
    api_name = "reduce_scatter_tensor"
    out, x = check_tensor(api_name, "output", output), check_tensor(api_name, "input", input)
    check_reduction(api_name, op, _REDUCTIONS)
    handle, group = make_handle(api_name, async_op), _group(api_name, group)
    size = world.get_group_size(group)
    _check_output(api_name, "input", x, _scale_rows(out, size), out)
    part = ops.ReduceScatter("sum" if op == "avg" else op, group)(x)
    out.copy_(part / size if op == "avg" else part)
    return handle


def reduce_scatter_tensor_uneven(
    output: Tensor,
    input: Tensor,
    input_split_sizes: list[int] | None = None,
    op: str = "sum",
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Set ``output`` to this rank's rows of the sum (min, max, avg) of all inputs.

    ``input_split_sizes`` has the number of rows of each rank; equal by default. With ``async_op``
    return a finished handle. Sizes that do not fit raise a ValueError.
    """
    api_name = "reduce_scatter_tensor_uneven"
    out, x = check_tensor(api_name, "output", output), check_tensor(api_name, "input", input)
    check_reduction(api_name, op, ("sum", "min", "max", "avg"))
    handle, group = make_handle(api_name, async_op), _group(api_name, group)
    size, rank = world.get_group_size(group), world.get_rank(group)
    sizes = split_rows_evenly(api_name, "input_split_sizes", x.shape[0], input_split_sizes, size)
    _check_output(api_name, "output", out, (sizes[rank], *x.shape[1:]), x)
    out.copy_(split_by_sizes(_reduce_all(x, op, group), sizes)[rank])
    return handle


def gather(
    tensor: Tensor,
    gather_list: list[Tensor],
    dst: int = 0,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Fill ``gather_list`` of rank ``dst`` with the tensors of all ranks; with ``async_op`` return
    a finished handle.

    All tensors have one shape and dtype; other ranks' ``gather_list`` is ignored.
    """
    check_tensor("gather", "tensor", tensor)
    handle, group = make_handle("gather", async_op), _group("gather", group)
    root = to_group_rank("gather", "dst", dst, group)
    is_root = root == world.get_rank(group)
    outputs: Sequence[Tensor] = ()
    if is_root:
        outputs = _check_tensor_list("gather", "gather_list", gather_list, group, tensor)
    gathered = ops.CollectiveGather(root, group)(ops.expand_dims(tensor, 0))
    for i, output in enumerate(outputs):
        output.copy_(gathered[i])
    return handle


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor],
    src: int = 0,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Set ``tensor`` to this rank's entry in the ``scatter_list`` of rank ``src``; with
    ``async_op`` return a finished handle.

    All tensors have one shape and dtype; other ranks' ``scatter_list`` is ignored.
    """
    check_tensor("scatter", "tensor", tensor)
    handle, group = make_handle("scatter", async_op), _group("scatter", group)
    root = to_group_rank("scatter", "src", src, group)
    if root == world.get_rank(group):
        inputs = ops.stack(
            _check_tensor_list("scatter", "scatter_list", scatter_list, group, tensor)
        )
    else:  # only the shape is used
        inputs = ops.zeros((world.get_group_size(group), *tensor.shape), tensor.dtype)
    tensor.copy_(ops.CollectiveScatter(root, group)(inputs)[0])
    return handle


def all_to_all(
    output_tensor_list: list[Tensor],
    input_tensor_list: list[Tensor],
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Send input i to rank i, and fill output i with the tensor received from rank i; shapes may
    differ.

    With ``async_op`` return a finished handle, else None.
    """
    outputs = check_tensors("all_to_all", "output_tensor_list", output_tensor_list)
    received, handle = comm_func.all_to_all_with_output_shape(
        outputs, input_tensor_list, group, async_op
    )
    for output, part in zip(outputs, received, strict=True):
        output.copy_(part)
    return handle


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Send part i of the rows to rank i, and fill ``output`` with all received parts in rank order;
    return a handle or None.

    Args:
        output: tensor for the received rows.
        input: the rows to send.
        output_split_sizes: the number of rows from each rank; equal by default.
        input_split_sizes: the number of rows to each rank; equal by default.
        group: the name of a group; all ranks by default.
        async_op: whether to return a finished handle instead of None.
    """
    received, handle = comm_func.all_to_all_single_with_output_shape(
        check_tensor("all_to_all_single", "output", output),
        input, output_split_sizes, input_split_sizes, group, async_op,
    )  # fmt: skip
    output.copy_(received)
    return handle


__all__ = [
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_into_tensor_uneven",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_uneven",
    "scatter",
]
