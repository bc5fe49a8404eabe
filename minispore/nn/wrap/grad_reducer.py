"""Reduction of gradients over the ranks."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from minispore import context, ops
from minispore.core.parameter import Parameter
from minispore.core.row_gradient import RowGradient
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.dtype import to_numpy
from minispore.nn.cell import Cell
from minispore.nn.optim.sharding import ALL_RANKS
from minispore.ops.control.bucket import AllReduceBegin, AllReduceEnd
from minispore.ops.control.collective import WORLD, AllGather
from minispore.ops.support import transport
from minispore.ops.support.arguments import check_tensor_list

_BUCKET_BYTES = 8 << 20  # bytes at which a bucket is closed


def warn_if_setting_changed(cell: Cell, setting: str, initial: Any) -> None:
    """Warn if a setting of the auto-parallel context has changed since ``cell`` was created."""
    current = context.get_auto_parallel_context(setting)
    if current != initial:
        warnings.warn(
            f"{type(cell).__name__}: {setting} was {initial!r} when it was made and is {current!r} "
            "now, which has no effect on it. Call set_auto_parallel_context before the network is "
            "made.",
            stacklevel=2,
        )


class DistributedGradReducer(Cell):
    """A Cell that sums (or averages) each gradient over the ranks of a group.

    Half-precision gradients are sent in float32 unless ``gradient_fp32_sync`` is off. A row
    gradient becomes one with the rows of all ranks.

    Gradients are sent in buckets with one all-reduce each. ``all_reduce_fusion_config`` or
    ``comm_fusion["allreduce"]`` sets their bounds; by default a bucket is closed at 8 MB. The
    gradients of the last parameters, which are ready first, are sent first.

    Args:
        parameters: the parameters of the gradients; gradients of those with ``layerwise_parallel``
            are not reduced.
        mean: whether to divide by ``degree``; by default, ``gradients_mean`` of the auto-parallel
            context.
        degree: the divisor; by default, the number of ranks.
        fusion_type: the bucket of parameters without their own ``comm_fusion``; 0: each has its own
            bucket.
        group: the ranks.
        owners: for each gradient, the only rank that gets the sum, or ``ALL_RANKS``; other ranks
            keep their own gradient.

    Raises:
        TypeError: an argument has the wrong type.
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
        self._uses_context_mean = mean is None  # None: gradients_mean of the context applies
        if mean is None:
            mean = context.get_auto_parallel_context("gradients_mean")
        self.mean = checks.boolean(name, "mean", mean)
        if degree is not None:
            checks.integer(name, "degree", degree, 1)
        self.degree = transport.current.size(group) if degree is None else degree
        self.group = checks.string(name, "group", group)
        self.fusion_type = checks.integer(name, "fusion_type", fusion_type, 0)
        params = tuple(parameters)
        self._count, self._owners = len(params), owners or (ALL_RANKS,) * len(params)
        self._reduced_indices = [i for i, p in enumerate(params) if not p.layerwise_parallel]
        replicated = [i for i in self._reduced_indices if self._owners[i] == ALL_RANKS]
        scattered = [i for i in self._reduced_indices if self._owners[i] != ALL_RANKS]
        self._buckets = (
            *_assign_buckets(params, scattered, self.fusion_type),
            *_assign_buckets(params, replicated, self.fusion_type),
        )

    def construct(self, grads: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Reduce dense gradients bucket by bucket, and gather row gradients; return all gradients.

        Those of ``layerwise_parallel`` parameters, and dense ones that another rank owns, are
        unchanged.
        """
        if self._uses_context_mean:
            warn_if_setting_changed(self, "gradients_mean", self.mean)
        grads = check_tensor_list("DistributedGradReducer", grads, "grads")
        if len(grads) != self._count:
            raise ValueError(
                f"DistributedGradReducer: grads must be {self._count} tensors, got {len(grads)}."
            )
        scale = 1.0 / self.degree if self.mean else 1.0
        reduced = list(grads)
        rows = [i for i in self._reduced_indices if isinstance(grads[i], RowGradient)]
        buckets = [
            (wire, dense)
            for wire, members in self._buckets
            if (dense := [i for i in members if i not in rows])
        ]
        # All sums begin before the first is awaited, so that they run while rows are gathered.
        tickets = [
            AllReduceBegin(
                wire,
                self.group,
                tuple(self._owners[i] for i in members if self._owners[i] != ALL_RANKS),
            )(tuple(grads[i] for i in members))
            for wire, members in buckets
        ]
        for i in rows:
            reduced[i] = _gather_rows(reduced[i], self.group) * scale
        local_owners = (ALL_RANKS, transport.current.rank(self.group))
        for ticket, (_, members) in zip(tickets, buckets, strict=True):
            local_members = [i for i in members if self._owners[i] in local_owners]
            specs = tuple((to_numpy(grads[i].dtype).name, grads[i].shape) for i in local_members)
            for i, total in zip(local_members, AllReduceEnd(specs, scale)(ticket), strict=True):
                reduced[i] = total
        return tuple(reduced)


def _gather_rows(gradient: Any, group: str) -> RowGradient:
    """Return the sum of a row gradient over the ranks: the concatenated rows of all ranks."""
    gather = AllGather(group)
    return RowGradient(gather(gradient.indices), gather(gradient.values), gradient.table_shape)


def _get_wire_dtype(p: Parameter) -> str:
    """Return the name of the dtype in which the gradient of ``p`` is sent to other ranks.

    It is the dtype of ``p``, or float32 for half precision with ``gradient_fp32_sync``.
    """
    dtype = to_numpy(p.dtype)
    is_half = dtype.kind not in "iubc" and dtype.itemsize < 4
    uses_float32 = is_half and context.get_auto_parallel_context("gradient_fp32_sync")
    return "float32" if uses_float32 else dtype.name


def _assign_buckets(
    params: tuple[Parameter, ...], indices: list[int], fusion: int
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Assign the parameters with these indices to buckets of one dtype each, last parameters first.

    ``fusion`` is the bucket number of parameters without their own ``comm_fusion``.

    Returns:
        The dtype and the parameter indices of each bucket.
    """
    max_bytes, ends = _get_fusion_limits()
    buckets: list[tuple[str, list[int]]] = []
    open_buckets: dict[tuple[str, int, int], tuple[list[int], list[int]]] = {}
    for i in reversed(indices):
        p, wire_dtype = params[i], _get_wire_dtype(params[i])
        number = fusion if p.comm_fusion == 1 else p.comm_fusion
        key = wire_dtype, number, bisect_left(ends, i)
        if key not in open_buckets:
            open_buckets[key] = [], []
            buckets.append((wire_dtype, open_buckets[key][0]))
        members, sizes = open_buckets[key]
        members.append(i)
        sizes.append(p.size * to_numpy(p.dtype).itemsize)
        if number == 0 or sum(sizes) >= max_bytes:  # 0: the gradient is not fused with others
            del open_buckets[key]
    return tuple((wire_dtype, tuple(members)) for wire_dtype, members in buckets)


def _get_fusion_limits() -> tuple[float, list[int]]:
    """Return the size in bytes at which a bucket is closed, and the last parameter index of each
    bucket.

    Both come from the auto-parallel context: from ``all_reduce_fusion_config`` if it is set, else
    from ``comm_fusion``, which can also turn fusion off.
    """
    config = context.parallel.current()
    rule = config.comm_fusion["allreduce"]
    if not config.comm_fusion["openstate"]:
        return 0, []  # no fusion: each gradient has its own bucket
    if config.all_reduce_fusion_config or rule["mode"] == "index":
        return math.inf, config.all_reduce_fusion_config or rule["config"]
    if rule["mode"] == "size":
        return rule["config"] * 2**20, []
    return _BUCKET_BYTES, []


class PipelineGradReducer(Cell):
    """A Cell that divides gradients, summed over micro-batches, by the loss scale; there is one
    stage.

    Args:
        parameters: the parameters of the gradients.
        scale_sense: the loss scale.
        opt_shard: accepted for compatibility, has no effect.
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
    """Set the parameters of every rank to those of rank 0.

    ``layerwise_parallel`` parameters, and state that a single rank owns, are left alone.
    """
    for p in parameters:
        if not p.layerwise_parallel and p.owner_rank_ is None:
            p.set_data(ops.Broadcast(0, group)((p,))[0])


__all__ = ["DistributedGradReducer", "PipelineGradReducer"]
