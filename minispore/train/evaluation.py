"""Evaluation: a network, its metrics, and one pass over a dataset."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from minispore import context
from minispore.core.callback import watchers
from minispore.core.tensor import Tensor
from minispore.core.tree import map_leaves
from minispore.dataset.questions import from_a_shard
from minispore.errors import warn
from minispore.nn.cell import Cell
from minispore.nn.metrics import get_metrics
from minispore.nn.metrics.error import Loss
from minispore.nn.metrics.metric import Metric
from minispore.nn.wrap.cell_wrapper import WithEvalCell
from minispore.train.arguments import a_dataset
from minispore.train.callback.base import (
    Callback,
    CallbackManager,
    InternalCallbackParam,
    is_built_in,
)
from minispore.train.callback.monitors import TimeMonitor
from minispore.train.feed import HostFeed, SinkFeed, can_sink
from minispore.train.loop import Backbone, eval_loop
from minispore.train.together import of_all_ranks, ranks_together


class Evaluator:
    """Metrics of a network.

    Args:
        network: the network alone.
        loss_fn: makes an evaluation network of it, if none is given.
        metrics: a set of names, a dict from name to Metric, or None.
        eval_network: returns what metrics are made of.
        eval_indexes: where loss, prediction and label stand in its outputs.
        in_float32: compute the loss in float32.
        backbone: what the Model's networks are at.

    Raises:
        TypeError: ``metrics`` has the wrong type.
        ValueError: there is no network to evaluate, or ``eval_indexes`` is no list of three.
        KeyError: a metric of an unknown name.
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Any,
        metrics: Any,
        eval_network: Cell | None,
        eval_indexes: Any,
        in_float32: bool,
        backbone: Backbone,
    ) -> None:
        self.backbone = backbone
        self.metrics: dict[str, Metric] = get_metrics(metrics) or {}
        self.network = eval_network
        self.indexes: list[int] | None = eval_indexes
        if not self.metrics:
            return
        if eval_network is not None:
            right = isinstance(eval_indexes, list) and len(eval_indexes) == 3
            if eval_indexes is not None and not right:
                raise ValueError(
                    f"Model: eval_indexes must be None or a list of three, got {eval_indexes!r}."
                )
            return
        if loss_fn is None:
            raise ValueError(
                "Model: metrics need an eval_network, or a loss_fn to make one with, got neither. "
                "Leave metrics out if nothing is to be evaluated."
            )
        self.network = WithEvalCell(network, loss_fn, in_float32)
        self.indexes = [0, 1, 2]

    def run(
        self,
        params: InternalCallbackParam,
        dataset: Any,
        callbacks: list[Callback],
        sink: bool,
        losses: list[float] | None = None,
    ) -> None:
        """Evaluate; ``params.metrics`` holds the result. ``losses``, of an evaluation within a
        training that has entered ``callbacks``, gets the loss of each batch.
        """
        network = self.network
        assert network is not None
        size = a_dataset("Model.eval", "valid_dataset", dataset).get_dataset_size()
        params.update(
            eval_network=network, valid_dataset=dataset, batch_num=size, mode="eval", cur_step_num=0
        )
        for metric in self.metrics.values():
            metric.clear()
        if sink and not can_sink():
            target = context.get_context("device_target")
            warn(
                f"Model.eval: data can't be sunk to {target}, which has no device queue. The "
                "evaluation runs without sink.",
            )
            sink = False
        feed: HostFeed | SinkFeed
        params.dataset_sink_mode = sink and bool(size)
        if params.dataset_sink_mode:
            queue = dataset.use.for_evaluation(dataset, network)
            feed = SinkFeed(dataset, size, size, size, transfer=queue, each_step=True)
        else:
            feed = HostFeed(dataset, size, size)

        share = ranks_together() > 1 and from_a_shard(dataset.node)

        def update(outputs: Any) -> None:
            for each in of_all_ranks(outputs) if share else [outputs]:
                self._update(each)
                if losses is not None and self.indexes is not None:
                    losses.append(float(np.mean(each[self.indexes[0]].asnumpy())))

        def finish() -> None:
            params.metrics = {name: plain(m.eval()) for name, m in self.metrics.items()}
            if losses is not None:
                mean = {"eval_loss": float(np.mean(losses))} if losses else {}
                params.eval_results = {**params.metrics, **mean}

        told = CallbackManager([*callbacks, *watchers])
        try:
            with told if losses is None else contextlib.nullcontext(told) as manager:
                eval_loop(network, feed, manager, params, self.backbone, update, finish)
        finally:
            feed.close()

    def run_within(
        self, params: InternalCallbackParam, callbacks: list[Callback], dataset: Any, sink: bool
    ) -> None:
        """Evaluate between two epochs of a training, whose numbers are put back after it, and of
        whose callbacks all but most of ours are told.
        """
        kept = ("mode", "batch_num", "cur_step_num", "dataset_sink_mode", "net_outputs")
        before = {key: params[key] for key in kept if key in params}
        told = [c for c in callbacks if isinstance(c, TimeMonitor) or not is_built_in(c)]
        try:
            self.run(params, dataset, told, sink, losses=[])
        finally:
            params.update(before)

    def _update(self, outputs: Any) -> None:
        if isinstance(outputs, Tensor):
            outputs = (outputs,)
        if not isinstance(outputs, tuple):
            raise ValueError(
                f"Model.eval: eval_network must return a Tensor or a tuple, got {outputs!r}."
            )
        if self.indexes is not None and len(outputs) < 3:
            raise ValueError(
                f"Model.eval: eval_network must return three outputs or more, got {len(outputs)}."
            )
        for metric in self.metrics.values():
            if self.indexes is None:
                metric.update(*outputs)
            elif isinstance(metric, Loss):
                metric.update(outputs[self.indexes[0]])
            else:
                metric.update(outputs[self.indexes[1]], outputs[self.indexes[2]])


def plain(value: Any) -> Any:
    """A NumPy number as Python's own, also in a tuple, list or dict; all else as it is.

    >>> plain({"a": np.float64(0.5), "b": (np.int32(1), "c")})
    {'a': 0.5, 'b': (1, 'c')}
    """
    return map_leaves(lambda leaf: leaf.item() if isinstance(leaf, np.generic) else leaf, value)
