"""Gradients of all ranks made one."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from minispore import context, ops
from minispore.core.dtype import to_numpy
from minispore.core.parameter import Parameter
from minispore.core.row_gradient import RowGradient
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.nn.optim.shares import ALL
from minispore.ops.control.bucket import AllReduceBegin, AllReduceEnd
from minispore.ops.control.collective import WORLD, AllGather
from minispore.ops.support import transport
from minispore.ops.support.arguments import check_tensor_list

_BUCKET_BYTES = 8 << 20  # a bucket is closed once it holds so much


def warn_if_set_later(cell: Cell, setting: str, then: Any) -> None:
    """Warn if a setting of the auto-parallel context is no more what it was when ``cell`` was made
    by it.
    """
    now = context.get_auto_parallel_context(setting)
    if now != then:
        warnings.warn(
            f"{type(cell).__name__}: {setting} was {then!r} when it was made and is {now!r} now, "
            "which has no effect on it. Call set_auto_parallel_context before the network is made.",
            stacklevel=2,
        )


class DistributedGradReducer(Cell):
    """The sum (or mean) of each gradient over the ranks of a group, computed in float32. Of a table
    of which rows were looked up, all ranks get the rows of all.

    Gradients travel in buckets, one all-reduce for each: cut where ``all_reduce_fusion_config``
    says, or ``comm_fusion["allreduce"]``; by default whenever one holds 8 MB. The gradients of the
    last parameters, which are ready first, go first.

    Args:
        parameters: what the gradients are of; those with ``layerwise_parallel`` stay as they are.
        mean: divide by ``degree``; the ``gradients_mean`` of the auto-parallel context by default.
        degree: the number of ranks, by default.
        fusion_type: the bucket of parameters without a ``comm_fusion`` of their own; 0: each has
            one for itself.
        group: the ranks.
        owners: the rank that alone gets the sum of each gradient, or ``shares.ALL``; others keep
            their own gradient.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: ``degree`` is below 1.
    """

    def __init__(
        self,
        parameters: Iterable[Parameter],
        mean: bool | None = None,
        degree: int | None = None,
        fusion_type: int = 1,
        group: str = WORLD,
        owners: tuple[int, ...] = (),
    ) -> None:
        super().__init__(auto_prefix=False)
        name = "DistributedGradReducer"
        self._follows = mean is None  # the context says
        if mean is None:
            mean = context.get_auto_parallel_context("gradients_mean")
        self.mean = checks.boolean(name, "mean", mean)
        if degree is not None:
            checks.integer(name, "degree", degree, 1)
        self.degree = transport.current.size(group) if degree is None else degree
        self.group = checks.string(name, "group", group)
        self.fusion_type = checks.integer(name, "fusion_type", fusion_type, 0)
        of = tuple(parameters)
        self._count, self._owners = len(of), owners or (ALL,) * len(of)
        self._shared = [i for i, p in enumerate(of) if not p.layerwise_parallel]
        shared = [(i, _wire(of[i]), of[i]) for i in self._shared]
        everywhere = [each for each in shared if self._owners[each[0]] == ALL]
        scattered = [each for each in shared if self._owners[each[0]] != ALL]
        self._buckets = tuple(
            bucket
            for half in (scattered, everywhere)
            for bucket in _buckets(half, self.fusion_type)
        )

    def construct(self, grads: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        if self._follows:
            warn_if_set_later(self, "gradients_mean", self.mean)
        grads = check_tensor_list("DistributedGradReducer", grads, "grads")
        if len(grads) != self._count:
            raise ValueError(
                f"DistributedGradReducer: grads must be {self._count} tensors, got {len(grads)}."
            )
        scale = 1.0 / self.degree if self.mean else 1.0
        made = list(grads)
        rows = [i for i in self._shared if isinstance(grads[i], RowGradient)]
        buckets = [
            (wire, dense)
            for wire, members in self._buckets
            if (dense := [i for i in members if i not in rows])
        ]
        tickets = [
            AllReduceBegin(
                wire, self.group, tuple(self._owners[i] for i in members if self._owners[i] != ALL)
            )(tuple(grads[i] for i in members))
            for wire, members in buckets
        ]
        for i in rows:
            made[i] = _of_all_ranks(made[i], self.group) * scale
        here = (ALL, transport.current.rank(self.group))
        for ticket, (_, members) in zip(tickets, buckets, strict=True):
            mine = [i for i in members if self._owners[i] in here]
            like = tuple((to_numpy(grads[i].dtype).name, grads[i].shape) for i in mine)
            for i, total in zip(mine, AllReduceEnd(like, scale)(ticket), strict=True):
                made[i] = total
        return tuple(made)


def _of_all_ranks(gradient: Any, group: str) -> RowGradient:
    """The sum over the ranks: the rows of all, as many of each."""
    gather = AllGather(group)
    return RowGradient(gather(gradient.indices), gather(gradient.values), gradient.table_shape)


def _wire(p: Parameter) -> str:
    """The dtype in which a gradient travels: half precision as float32."""
    wide = context.get_auto_parallel_context("gradient_fp32_sync")
    dtype = to_numpy(p.dtype)
    return "float32" if wide and dtype.kind not in "iubc" and dtype.itemsize < 4 else dtype.name


def _buckets(
    parameters: list[tuple[int, str, Parameter]], fusion: int
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The dtype and the indices of the parameters of each bucket, the last parameters first."""
    limit, ends = _cuts()
    made: list[tuple[str, list[int]]] = []
    filling: dict[tuple[str, int, int], tuple[list[int], list[int]]] = {}
    for i, wire, p in reversed(parameters):
        number = fusion if p.comm_fusion == 1 else p.comm_fusion
        kind = wire, number, bisect_left(ends, i)
        if kind not in filling:
            filling[kind] = [], []
            made.append((wire, filling[kind][0]))
        members, sizes = filling[kind]
        members.append(i)
        sizes.append(p.size * to_numpy(p.dtype).itemsize)
        if number == 0 or sum(sizes) >= limit:
            del filling[kind]
    return tuple((wire, tuple(members)) for wire, members in made)


def _cuts() -> tuple[float, list[int]]:
    """The bytes at which a bucket is closed, and the last parameters of buckets."""
    said = context.parallel.current()
    how = said.comm_fusion["allreduce"]
    if not said.comm_fusion["openstate"]:
        return 0, []  # each gradient alone
    if said.all_reduce_fusion_config or how["mode"] == "index":
        return math.inf, said.all_reduce_fusion_config or how["config"]
    if how["mode"] == "size":
        return how["config"] * 2**20, []
    return _BUCKET_BYTES, []


class PipelineGradReducer(Cell):
    """Gradients summed over micro-batches, divided by the loss scale; there is one stage.

    Args:
        parameters: what the gradients are of.
        scale_sense: the loss scale.
        opt_shard: kept for MindSpore's sake.
    """

    def __init__(
        self, parameters: Iterable[Parameter], scale_sense: float = 1.0, opt_shard: Any = None
    ) -> None:
        super().__init__(auto_prefix=False)
        self.parameters = tuple(parameters)
        self.scale_sense = scale_sense
        self.opt_shard = opt_shard

    def construct(self, grads: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        if not isinstance(self.scale_sense, Tensor) and self.scale_sense == 1.0:
            return grads
        return tuple(g * (1.0 / self.scale_sense) for g in grads)


def broadcast_parameters(parameters: Iterable[Parameter], group: str = WORLD) -> None:
    """Give every rank of a group the values of its rank 0; ``layerwise_parallel`` ones stay."""
    for p in parameters:
        if not p.layerwise_parallel and p.owner_rank_ is None:
            p.set_data(ops.Broadcast(0, group)((p,))[0])


__all__ = ["DistributedGradReducer", "PipelineGradReducer"]
