"""Collectives into the tensors that are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minispore import ops
from minispore.communication import comm_func as made
from minispore.communication import management as world
from minispore.communication.calls import (
    REDUCTIONS,
    CommHandle,
    a_tensor,
    handle,
    one_of,
    place,
    tensors,
)
from minispore.communication.calls import world_or as _group
from minispore.communication.parts import cut, exchanged, rows
from minispore.core.tensor import Tensor

_REDUCTIONS = (*REDUCTIONS, "avg")


def _fitting(who: str, name: str, output: Tensor, shape: tuple[int, ...], like: Tensor) -> None:
    if output.shape != shape:
        raise ValueError(f"{who}: {name} must have the shape {shape}, got {output.shape}.")
    if output.dtype != like.dtype:
        raise ValueError(f"{who}: {name} must be {like.dtype} as the input, got {output.dtype}.")


def _reduced(tensor: Tensor, op: str, group: str) -> Tensor:
    total = ops.AllReduce("sum" if op == "avg" else op, group)(tensor)
    return total if op != "avg" else ops.cast(total / world.get_group_size(group), tensor.dtype)


def barrier(
    group: str | None = None, async_op: bool = False, device_ids: Any = None
) -> CommHandle | None:
    """Wait until every rank of the group is here; ``device_ids`` is not looked at."""
    done = handle("barrier", async_op)
    made.barrier(_group("barrier", group))
    return done


def all_reduce(
    tensor: Tensor, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Make ``tensor`` the sum (prod, min, max, avg) of all ranks' tensors."""
    a_tensor("all_reduce", "tensor", tensor)
    one_of("all_reduce", op, _REDUCTIONS)
    done, group = handle("all_reduce", async_op), _group("all_reduce", group)
    tensor.copy_(_reduced(tensor, op, group))
    return done


def reduce(
    tensor: Tensor, dst: int, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Make ``tensor`` of rank ``dst`` the sum (prod, min, max, avg) of all ranks' tensors."""
    a_tensor("reduce", "tensor", tensor)
    one_of("reduce", op, _REDUCTIONS)
    done, group = handle("reduce", async_op), _group("reduce", group)
    root = place("reduce", "dst", dst, group)
    total = ops.Reduce(root, "sum" if op == "avg" else op, group)(tensor)
    if root == world.get_rank(group):
        tensor.copy_(total / world.get_group_size(group) if op == "avg" else total)
    return done


def broadcast(
    tensor: Tensor, src: int, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Make ``tensor`` that of rank ``src``."""
    a_tensor("broadcast", "tensor", tensor)
    done = handle("broadcast", async_op)
    tensor.copy_(made.broadcast(tensor, src, _group("broadcast", group)))
    return done


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Make ``tensor_list`` the tensors of all ranks, of one shape."""
    who = "all_gather"
    a_tensor(who, "tensor", tensor)
    done, group = handle(who, async_op), _group(who, group)
    into = _for_each(who, "tensor_list", tensor_list, group, tensor)
    together = ops.AllGather(group)(ops.expand_dims(tensor, 0))
    for i, one in enumerate(into):
        one.copy_(together[i])
    return done


def _for_each(who: str, name: str, given: Any, group: str, like: Tensor) -> Sequence[Tensor]:
    found, size = tensors(who, name, given), world.get_group_size(group)
    if len(found) != size:
        raise TypeError(f"{who}: {name} must have one tensor for each of {size} ranks, got "
                        f"{len(found)}.")  # fmt: skip
    for i, one in enumerate(found):
        _fitting(who, f"{name}[{i}]", one, like.shape, like)
    return found


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Make ``output_tensor`` the tensors of all ranks, end to end along axis 0."""
    who = "all_gather_into_tensor"
    x, out = (
        a_tensor(who, "input_tensor", input_tensor),
        a_tensor(who, "output_tensor", output_tensor),
    )
    done, group = handle(who, async_op), _group(who, group)
    _fitting(who, "output_tensor", out, _times(x, world.get_group_size(group)), x)
    out.copy_(ops.AllGather(group)(x))
    return done


def _times(x: Tensor, n: int) -> tuple[int, ...]:
    return (x.shape[0] * n, *x.shape[1:])


def all_gather_into_tensor_uneven(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Make ``output`` the tensors of all ranks, end to end, with so many rows of each rank."""
    who = "all_gather_into_tensor_uneven"
    a_tensor(who, "input", input)
    a_tensor(who, "output", output)
    done, group = handle(who, async_op), _group(who, group)
    size = world.get_group_size(group)
    sizes = rows(who, "output_split_sizes", output.shape[0], output_split_sizes, size)
    flat, width = ops.reshape(input, (-1,)), output.size // max(output.shape[0], 1)
    parts = exchanged(who, [flat] * size, [n * width for n in sizes], group)
    output.copy_(ops.reshape(ops.concat(parts), output.shape))
    return done


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: str = "sum",
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Make ``output`` the sum (prod, min, max, avg) of what all ranks have for this rank in their
    lists.
    """
    who = "reduce_scatter"
    one_of(who, op, _REDUCTIONS)
    done, group = handle(who, async_op), _group(who, group)
    given = _for_each(who, "input_list", input_list, group, a_tensor(who, "output", output))
    output.copy_(_reduced(ops.stack(given), op, group)[world.get_rank(group)])
    return done


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Make ``output`` the own part, along axis 0, of the sum (prod, ..., avg) of all inputs."""
    who = "reduce_scatter_tensor"
    out, x = a_tensor(who, "output", output), a_tensor(who, "input", input)
    one_of(who, op, _REDUCTIONS)
    done, group = handle(who, async_op), _group(who, group)
    size = world.get_group_size(group)
    _fitting(who, "input", x, _times(out, size), out)
    part = ops.ReduceScatter("sum" if op == "avg" else op, group)(x)
    out.copy_(part / size if op == "avg" else part)
    return done


def reduce_scatter_tensor_uneven(
    output: Tensor,
    input: Tensor,
    input_split_sizes: list[int] | None = None,
    op: str = "sum",
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Make ``output`` the own rows of the sum (min, max, avg) of all inputs."""
    who = "reduce_scatter_tensor_uneven"
    out, x = a_tensor(who, "output", output), a_tensor(who, "input", input)
    one_of(who, op, ("sum", "min", "max", "avg"))
    done, group = handle(who, async_op), _group(who, group)
    size, own = world.get_group_size(group), world.get_rank(group)
    sizes = rows(who, "input_split_sizes", x.shape[0], input_split_sizes, size)
    _fitting(who, "output", out, (sizes[own], *x.shape[1:]), x)
    out.copy_(cut(_reduced(x, op, group), sizes)[own])
    return done


def gather(
    tensor: Tensor,
    gather_list: list[Tensor],
    dst: int = 0,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Make ``gather_list`` of rank ``dst`` the tensors of all ranks."""
    a_tensor("gather", "tensor", tensor)
    done, group = handle("gather", async_op), _group("gather", group)
    root = place("gather", "dst", dst, group)
    here = root == world.get_rank(group)
    into = _for_each("gather", "gather_list", gather_list, group, tensor) if here else ()
    together = ops.CollectiveGather(root, group)(ops.expand_dims(tensor, 0))
    for i, one in enumerate(into):
        one.copy_(together[i])
    return done


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor],
    src: int = 0,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Make ``tensor`` the one that ``scatter_list`` of rank ``src`` has for this rank."""
    a_tensor("scatter", "tensor", tensor)
    done, group = handle("scatter", async_op), _group("scatter", group)
    root = place("scatter", "src", src, group)
    if root == world.get_rank(group):
        given = ops.stack(_for_each("scatter", "scatter_list", scatter_list, group, tensor))
    else:  # only its shape matters
        given = ops.zeros((world.get_group_size(group), *tensor.shape), tensor.dtype)
    tensor.copy_(ops.CollectiveScatter(root, group)(given)[0])
    return done


def all_to_all(
    output_tensor_list: list[Tensor],
    input_tensor_list: list[Tensor],
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Send input i to rank i, and make output i what comes from rank i; of any shapes."""
    into = tensors("all_to_all", "output_tensor_list", output_tensor_list)
    came, done = made.all_to_all_with_output_shape(into, input_tensor_list, group, async_op)
    for one, part in zip(into, came, strict=True):
        one.copy_(part)
    return done


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Send part i of the rows to rank i, and make ``output`` what comes from all, end to end.

    Args:
        output: the rows that come.
        input: the rows that go.
        output_split_sizes: how many come from each rank; equally many by default.
        input_split_sizes: how many go to each rank; equally many by default.
        group: the name of a group; all ranks by default.
        async_op: whether a handle is wanted.
    """
    came, done = made.all_to_all_single_with_output_shape(
        a_tensor("all_to_all_single", "output", output),
        input, output_split_sizes, input_split_sizes, group, async_op,
    )  # fmt: skip
    output.copy_(came)
    return done


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
