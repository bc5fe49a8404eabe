"""Evaluation: a network, its metrics, and one pass over a dataset."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from minispore import context
from minispore.core.callback import watchers
from minispore.core.tensor import Tensor
from minispore.core.tree import map_leaves
from minispore.dataset.dataset import Dataset
from minispore.dataset.properties import reads_a_shard
from minispore.errors import warn
from minispore.nn.cell import Cell
from minispore.nn.metrics import get_metrics
from minispore.nn.metrics.error import Loss
from minispore.nn.metrics.metric import Metric
from minispore.nn.wrap.cell_wrapper import WithEvalCell
from minispore.train.arguments import check_dataset
from minispore.train.callback.base import (
    Callback,
    CallbackManager,
    InternalCallbackParam,
    is_built_in,
)
from minispore.train.callback.monitors import TimeMonitor
from minispore.train.cross_rank import count_training_ranks, gather_outputs
from minispore.train.feed import (
    HostFeed,
    IteratorFeed,
    SinkFeed,
    can_sink,
    check_has_queue,
)
from minispore.train.loop import Feed, TrainModeSwitch, eval_loop


class Evaluator:
    """The metrics of a network and the pass over a dataset that computes them.

    Args:
        network: the network without loss.
        loss_fn: the loss of the default evaluation network.
        metrics: a set of names, a dict from name to Metric, or None.
        eval_network: returns the inputs of the metrics; None for the default.
        eval_indexes: the indices of loss, prediction and label in its outputs.
        casts_to_float32: whether the loss is computed in float32.
        mode_switch: switches the Model's networks between training and evaluation mode; shared with
            its Trainer.

    Raises:
        TypeError: ``metrics`` has the wrong type.
        ValueError: there is no network to evaluate, or ``eval_indexes`` is not a list of three
            ints.
        KeyError: a metric name is unknown.
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Any,
        metrics: Any,
        eval_network: Cell | None,
        eval_indexes: Any,
        casts_to_float32: bool,
        mode_switch: TrainModeSwitch,
    ) -> None:
        self.mode_switch = mode_switch
        self.metrics: dict[str, Metric] = get_metrics(metrics) or {}
        self.network = eval_network
        self.indexes: list[int] | None = eval_indexes
        if not self.metrics:
            return
        if eval_network is not None:
            has_three_indexes = isinstance(eval_indexes, list) and len(eval_indexes) == 3
            if eval_indexes is not None and not has_three_indexes:
                raise ValueError(
                    f"Model: eval_indexes must be None or a list of three, got {eval_indexes!r}."
                )
            return
        if loss_fn is None:
            raise ValueError(
                "Model: metrics need an eval_network, or a loss_fn to make one with, got neither. "
                "Leave metrics out if nothing is to be evaluated."
            )
        self.network = WithEvalCell(network, loss_fn, casts_to_float32)
        self.indexes = [0, 1, 2]

    def run(
        self,
        cb_params: InternalCallbackParam,
        dataset: Any,
        callbacks: list[Callback],
        sink_mode: bool,
        losses: list[float] | None = None,
    ) -> None:
        """Evaluate the network on one pass over ``dataset`` and store the metrics in
        ``cb_params.metrics``.

        Also sets the other entries of an evaluation, such as ``mode`` and ``eval_network``. On a
        device without queue it runs without sink, with a warning.

        ``losses`` is given for an evaluation within a training, which has already entered
        ``callbacks``: the loss of each batch is appended, and ``cb_params.eval_results`` is set.
        """
        network = self.network
        assert network is not None
        batch_num = check_dataset("Model.eval", "valid_dataset", dataset).get_dataset_size()
        cb_params.update(
            eval_network=network,
            valid_dataset=dataset,
            batch_num=batch_num,
            mode="eval",
            cur_step_num=0,
        )
        for metric in self.metrics.values():
            metric.clear()
        if sink_mode and not can_sink():
            target = context.get_context("device_target")
            warn(
                f"Model.eval: data can't be sunk to {target}, which has no device queue. The "
                "evaluation runs without sink.",
            )
            sink_mode = False
        feed: Feed
        is_user_class = not isinstance(dataset, Dataset)
        cb_params.dataset_sink_mode = sink_mode and bool(batch_num)
        if cb_params.dataset_sink_mode:
            check_has_queue("Model.eval", dataset)
            queue = dataset.use.get_evaluation_transfer(dataset, network)
            feed = SinkFeed(
                dataset, batch_num, batch_num, batch_num, transfer=queue, one_call_per_step=True
            )
        elif is_user_class:
            feed = IteratorFeed(dataset, 1)
        else:
            feed = HostFeed(dataset, batch_num, batch_num)

        must_gather = (
            count_training_ranks() > 1 and not is_user_class and reads_a_shard(dataset.node)
        )

        def update_metrics(outputs: Any) -> None:
            """Update the metrics with the outputs of a step, gathered from all ranks if each reads
            a shard.

            Also appends the mean loss of each rank's outputs to ``losses``, if that is a list.
            """
            for rank_outputs in gather_outputs(outputs) if must_gather else [outputs]:
                self._update_metrics(rank_outputs)
                if losses is not None and self.indexes is not None:
                    losses.append(float(np.mean(rank_outputs[self.indexes[0]].asnumpy())))

        def compute_results() -> None:
            """Store the metrics in ``cb_params``, and within a training also as
            ``eval_results``.
            """
            cb_params.metrics = {
                name: to_python_numbers(m.eval()) for name, m in self.metrics.items()
            }
            if losses is not None:
                mean_loss = {"eval_loss": float(np.mean(losses))} if losses else {}
                cb_params.eval_results = {**cb_params.metrics, **mean_loss}

        manager = CallbackManager([*callbacks, *watchers])
        is_within_training = losses is not None  # which has already entered the callbacks
        try:
            with contextlib.nullcontext() if is_within_training else manager:
                eval_loop(
                    network,
                    feed,
                    manager,
                    cb_params,
                    self.mode_switch,
                    update_metrics,
                    compute_results,
                )
        finally:
            feed.close()

    def run_between_epochs(
        self,
        cb_params: InternalCallbackParam,
        callbacks: list[Callback],
        dataset: Any,
        sink_mode: bool,
    ) -> None:
        """Evaluate between two epochs of a training and restore its ``cb_params`` afterwards.

        Only TimeMonitor and callbacks defined by users are called.
        """
        restored_keys = ("mode", "batch_num", "cur_step_num", "dataset_sink_mode", "net_outputs")
        previous = {key: cb_params[key] for key in restored_keys if key in cb_params}
        active_callbacks = [
            c for c in callbacks if isinstance(c, TimeMonitor) or not is_built_in(c)
        ]
        try:
            self.run(cb_params, dataset, active_callbacks, sink_mode, losses=[])
        finally:
            cb_params.update(previous)

    def _update_metrics(self, outputs: Any) -> None:
        """Update each metric with the outputs of one batch.

        Raises:
            ValueError: the evaluation network returned neither a Tensor nor a tuple, or too few
                outputs.
        """
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


def to_python_numbers(value: Any) -> Any:
    """Convert NumPy scalars to Python scalars, also within tuples, lists and dicts.

    >>> to_python_numbers({"a": np.float64(0.5), "b": (np.int32(1), "c")})
    {'a': 0.5, 'b': (1, 'c')}
    """
    return map_leaves(lambda leaf: leaf.item() if isinstance(leaf, np.generic) else leaf, value)
