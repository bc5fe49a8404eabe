"""Callbacks that print the loss and the time of a run."""

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

    A line is printed when ``per_print_times`` steps have passed since the last one; in graph sink
    mode, only at the end of a sink. A loss that is NaN or infinite ends the training.

    Args:
        per_print_times: steps between two lines; 0 for no lines, with a warning.
        every_step: in sink mode, print the lines that a training without sink would have printed,
            all at once after each sink.

    Raises:
        TypeError: ``per_print_times`` is not an int.
        ValueError: it is negative, or (in training) the loss is NaN or infinite.
    """

    _output_id_ = "LossMonitor"

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
        """Set the last printed step, so that a resumed training prints as before."""
        cb_params = run_context.original_args()
        checks_each_step = self._every_step or not calls_whole_sinks(cb_params)
        self._last_print_time = find_last_print_step(
            self._per_print_times,
            1 if checks_each_step else cb_params.batch_num,
            cb_params.cur_step_num,
        )

    def step_end(self, run_context: RunContext) -> None:
        """Print the loss if it is due; with ``every_step``, that of each step of a sink.

        Raises:
            ValueError: the loss is NaN or infinite, which ends the training.
        """
        cb_params = run_context.original_args()
        step, epoch = cb_params.cur_step_num, cb_params.get("cur_epoch_num", 1)
        losses = cb_params.get("sink_losses") if self._every_step else None
        if losses is not None and cb_params.get("dataset_sink_mode"):
            sink_losses = losses[-cb_params.sink_steps :]
            for sink_step, loss in enumerate(sink_losses, step - len(sink_losses) + 1):
                self._check_and_print_loss(cb_params, epoch, sink_step, float(loss))
        else:
            self._check_and_print_loss(cb_params, epoch, step, handle_loss(cb_params.net_outputs))

    def _check_and_print_loss(self, cb_params: Any, epoch: int, step: int, loss: Any) -> None:
        """Print the loss of a step if it is due, on the rank that writes; also record the step.

        Raises:
            ValueError: the loss is NaN or infinite, which ends the training.
        """
        step_in_epoch = (step - 1) % cb_params.batch_num + 1
        if not _is_finite_loss(loss):
            raise ValueError(
                f"In epoch: {epoch} step: {step_in_epoch}, loss is NAN or INF, training process "
                "cannot continue, terminating training."
            )
        if not self._per_print_times or self._another_rank_writes_:
            return
        # A new training began, or a callback reset the step number.
        while step <= self._last_print_time:
            stride = cb_params.batch_num if cb_params.get("dataset_sink_mode") else 1
            self._last_print_time -= max(self._per_print_times, stride)
        if step - self._last_print_time >= self._per_print_times:
            self._last_print_time = step
            print(f"epoch: {epoch} step: {step_in_epoch}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Print the metrics of an epoch that ``Model.fit`` evaluated."""
        cb_params = run_context.original_args()
        metrics = cb_params.get("metrics")
        if metrics and not self._another_rank_writes_:
            print(f"Eval result: epoch {cb_params.cur_epoch_num}, metrics: {metrics}", flush=True)


def calls_whole_sinks(cb_params: Any) -> bool:
    """Whether one call of the network runs a whole sink: with data sink in GRAPH_MODE."""
    return bool(cb_params.get("dataset_sink_mode")) and context.current().mode == context.GRAPH_MODE


def find_last_print_step(print_interval: int, steps_per_call: int, step: int) -> int:
    """Return the last step up to ``step`` at which a line is printed, if only every
    ``steps_per_call``-th step can print one.

    >>> find_last_print_step(print_interval=5, steps_per_call=3, step=15)
    12
    """
    stride = -(-print_interval // steps_per_call) * steps_per_call
    return step // stride * stride if print_interval else 0


def _is_finite_loss(loss: Any) -> bool:
    """Whether a loss is finite; a nonnumeric value counts as finite."""
    if isinstance(loss, Tensor):
        loss = loss.asnumpy()
    if isinstance(loss, float | np.ndarray | np.generic):
        return bool(np.isfinite(loss).all())
    return True


class TimeMonitor(Callback):
    """Print the time of each epoch, and per step.

    ``Train epoch time: 2120.043 ms, per step time: 1.131 ms``

    Args:
        data_size: steps per epoch, for runs that don't provide it.
        data_time: also print the time that a step waited for its data.

    Raises:
        TypeError: an argument has the wrong type; at the end of an epoch: the number of steps is
            unknown.
        ValueError: ``data_size`` is not positive.
    """

    _output_id_ = "TimeMonitor"

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        api_name = "TimeMonitor"
        self.data_size = (
            None if data_size is None else checks.integer(api_name, "data_size", data_size, 1)
        )
        self.data_time = checks.boolean("TimeMonitor", "data_time", data_time)
        self.epoch_time = time.time()  # MindSpore's name, which subclasses use
        # The wall clock may be set during an epoch, so the printed times come from this clock.
        self._epoch_start_s = time.perf_counter()

    def epoch_begin(self, run_context: RunContext) -> None:
        """Start the clocks for the epoch and for its wait for data.

        Also reads the device's total wait for data so far; with sink, its increase is the wait of
        the epoch.
        """
        self.epoch_time = time.time()
        self._epoch_start_s = self._last_step_end_s = time.perf_counter()
        self._waited_s = 0.0
        self._getnext_s = device.current().counters.getnext_wait_s

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Add the time between two steps to the data wait of the epoch."""
        self._waited_s += time.perf_counter() - self._last_step_end_s

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Record when the step ended."""
        self._last_step_end_s = time.perf_counter()

    def epoch_end(self, run_context: RunContext) -> None:
        """Print the time of the epoch, per step, and with ``data_time`` the wait for data."""
        epoch_ms = 1e3 * (time.perf_counter() - self._epoch_start_s)
        cb_params = run_context.original_args()
        steps = cb_params.get("batch_num")
        if not isinstance(steps, int) or steps <= 0:
            steps = checks.integer("TimeMonitor", "data_size", self.data_size, 1)
        mode = cb_params.get("mode", "").title()
        line = f"{mode} epoch time: {epoch_ms:5.3f} ms, per step time: {epoch_ms / steps:5.3f} ms"
        if self.data_time:
            if cb_params.get("dataset_sink_mode"):  # with sink, GetNext waits on the device
                self._waited_s = device.current().counters.getnext_wait_s - self._getnext_s
            line += f" (data time: {1e3 * self._waited_s / steps:5.3f} ms)"
        if not self._another_rank_writes_:
            print(line, flush=True)
