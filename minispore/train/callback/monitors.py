"""Callbacks that print: the loss, the time."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from minispore import context, device
from minispore.core.tensor import Tensor
from minispore.errors import warn
from minispore.foundation import checks
from minispore.train.callback.base import Callback, RunContext, handle_loss


class LossMonitor(Callback):
    """Print the loss: ``epoch: 1 step: 5, loss is 2.3025850929940455``.

    A line comes when ``per_print_times`` steps have passed since the last one; in graph sink mode
    that can only be at the end of a sink. A loss that is NaN or infinite ends the training.

    Args:
        per_print_times: steps from line to line; 0 for no lines, with a warning.
        every_step: in sink mode, print what a training without sink would have printed, all at
            once after each sink.

    Raises:
        TypeError: ``per_print_times`` is no int.
        ValueError: it is negative, or (in training) the loss is NaN or infinite.
    """

    _tells_ = "LossMonitor"

    def __init__(self, per_print_times: int = 1, every_step: bool = False) -> None:
        self._per_print_times = checks.integer("LossMonitor", "per_print_times", per_print_times, 0)
        if not self._per_print_times:
            warn(
                "LossMonitor: per_print_times is 0, so it prints no loss, and only ends a training "
                "whose loss is NaN or infinite.",
            )
        self._every_step = checks.boolean("LossMonitor", "every_step", every_step)
        self._last_print_time = 0

    def on_train_begin(self, run_context: RunContext) -> None:
        """A training that goes on from an earlier one prints where that one would have."""
        params = run_context.original_args()
        each_step = self._every_step or not in_whole_sinks(params)
        self._last_print_time = last_line(
            self._per_print_times, 1 if each_step else params.batch_num, params.cur_step_num
        )

    def step_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        step, epoch = params.cur_step_num, params.get("cur_epoch_num", 1)
        losses = params.get("sink_losses") if self._every_step else None
        if losses is not None and params.get("dataset_sink_mode"):
            new = losses[-params.sink_steps :]
            for i, loss in enumerate(new, step - len(new) + 1):
                self._show(params, epoch, i, float(loss))
        else:
            self._show(params, epoch, step, handle_loss(params.net_outputs))

    def _show(self, params: Any, epoch: int, step: int, loss: Any) -> None:
        step_in_epoch = (step - 1) % params.batch_num + 1
        if not _finite(loss):
            raise ValueError(
                f"In epoch: {epoch} step: {step_in_epoch}, loss is NAN or INF, training process "
                "cannot continue, terminating training."
            )
        if not self._per_print_times or self._told_elsewhere_:
            return
        while step <= self._last_print_time:  # a new training has begun, or one was rolled back
            stride = params.batch_num if params.get("dataset_sink_mode") else 1
            self._last_print_time -= max(self._per_print_times, stride)
        if step - self._last_print_time >= self._per_print_times:
            self._last_print_time = step
            print(f"epoch: {epoch} step: {step_in_epoch}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """In ``Model.fit``, print the metrics of an epoch that was evaluated."""
        params = run_context.original_args()
        metrics = params.get("metrics")
        if metrics and not self._told_elsewhere_:
            print(f"Eval result: epoch {params.cur_epoch_num}, metrics: {metrics}", flush=True)


def in_whole_sinks(params: Any) -> bool:
    """Whether a turn of the training is a whole sink."""
    return bool(params.get("dataset_sink_mode")) and context.current().mode == context.GRAPH_MODE


def last_line(every: int, turn: int, step: int) -> int:
    """The last step up to ``step`` at which a line comes, with ``turn`` steps a turn.

    >>> last_line(every=5, turn=3, step=15)
    12
    """
    stride = -(-every // turn) * turn
    return step // stride * stride if every else 0


def _finite(loss: Any) -> bool:
    if isinstance(loss, Tensor):
        loss = loss.asnumpy()
    if isinstance(loss, float | np.ndarray | np.generic):
        return bool(np.isfinite(loss).all())
    return True


class TimeMonitor(Callback):
    """Print the time of each epoch, and per step.

    ``Train epoch time: 2120.043 ms, per step time: 1.131 ms``

    Args:
        data_size: steps of an epoch, for runs that don't say it.
        data_time: also print the time that a step waited for its data.

    Raises:
        TypeError: an argument has the wrong type; at the end of an epoch: nobody knows the steps.
        ValueError: ``data_size`` is not positive.
    """

    _tells_ = "TimeMonitor"

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        who = "TimeMonitor"
        self.data_size = (
            None if data_size is None else checks.integer(who, "data_size", data_size, 1)
        )
        self.data_time = checks.boolean("TimeMonitor", "data_time", data_time)
        self.epoch_time = time.time()  # by this name for subclasses that time epochs, too

    def epoch_begin(self, run_context: RunContext) -> None:
        self.epoch_time = self._step_ended = time.time()
        self._waited_s = 0.0
        self._getnext_s = device.current().counters.getnext_wait_s

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Note how long the step waited for its data."""
        self._waited_s += time.time() - self._step_ended

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Note when the step ended."""
        self._step_ended = time.time()

    def epoch_end(self, run_context: RunContext) -> None:
        epoch_ms = 1e3 * (time.time() - self.epoch_time)
        params = run_context.original_args()
        steps = params.get("batch_num")
        if not isinstance(steps, int) or steps <= 0:
            steps = checks.integer("TimeMonitor", "data_size", self.data_size, 1)
        mode = params.get("mode", "").title()
        line = f"{mode} epoch time: {epoch_ms:5.3f} ms, per step time: {epoch_ms / steps:5.3f} ms"
        if self.data_time:
            if params.get("dataset_sink_mode"):  # GetNext waits, on the device
                self._waited_s = device.current().counters.getnext_wait_s - self._getnext_s
            line += f" (data time: {1e3 * self._waited_s / steps:5.3f} ms)"
        if not self._told_elsewhere_:
            print(line, flush=True)
