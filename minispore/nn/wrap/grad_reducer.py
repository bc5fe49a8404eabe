"""Gradients of all ranks made one."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from minispore import context, ops
from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport


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
    """The sum (or mean) of each gradient over the ranks of a group, computed in float32.

    Args:
        parameters: what the gradients are of; those with ``layerwise_parallel`` stay as they are.
        mean: divide by ``degree``; the ``gradients_mean`` of the auto-parallel context by default.
        degree: the number of ranks, by default.
        fusion_type: kept for MindSpore's sake.
        group: the ranks.

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
    ) -> None:
        super().__init__(auto_prefix=False)
        name = "DistributedGradReducer"
        self._follows = mean is None  # the setting, as it is now
        if mean is None:
            mean = context.get_auto_parallel_context("gradients_mean")
        self.mean = check.a_bool(name, "mean", mean)
        if degree is not None:
            check.positive_int(name, "degree", degree)
        self.degree = transport.current.size(group) if degree is None else degree
        self.group = check.a_str(name, "group", group)
        self.fusion_type = fusion_type
        self._shared = tuple(not p.layerwise_parallel for p in parameters)

    def construct(self, grads: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        if self._follows:
            warn_if_set_later(self, "gradients_mean", self.mean)
        if len(grads) != len(self._shared):
            raise ValueError(
                f"DistributedGradReducer: grads must be {len(self._shared)} tensors, got "
                f"{len(grads)}."
            )
        return tuple(
            self._reduced(g) if shared else g for g, shared in zip(grads, self._shared, strict=True)
        )

    def _reduced(self, grad: Tensor) -> Tensor:
        total = ops.AllReduce("sum", self.group)(ops.cast(grad, mstype.float32))
        if self.mean:
            total = total * (1.0 / self.degree)
        return ops.cast(total, grad.dtype)


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
        if not p.layerwise_parallel:
            p.set_data(ops.Broadcast(0, group)((p,))[0])


__all__ = ["DistributedGradReducer", "PipelineGradReducer"]
