"""Callbacks that change the learning rate."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.train.callback.base import Callback, RunContext
from minispore.train.callback.monitored import MonitorCallback


class LearningRateScheduler(Callback):
    """After each step, set the learning rate to ``learning_rate_function(lr, cur_step_num)``.

    In graph sink mode it is set once per sink.

    Args:
        learning_rate_function: maps the current rate and the step number to the next rate.
    """

    _reports_ = False

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        if not callable(learning_rate_function):
            raise TypeError(
                "LearningRateScheduler: learning_rate_function must be a function from rate and "
                f"step to the next rate, got {learning_rate_function!r}."
            )
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context: RunContext) -> None:
        """Set the optimizer's rate to the function's result for the current rate and step."""
        cb_params = run_context.original_args()
        rate = cb_params.optimizer.learning_rate
        previous = float(str(np.asarray(rate.asnumpy())))  # 0.1, not 0.10000000149: float32 digits
        updated = self.learning_rate_function(previous, cb_params.cur_step_num)
        if not math.isclose(previous, updated, rel_tol=1e-10):
            rate.set_data(Tensor(np.float32(updated)))


class ReduceLROnPlateau(MonitorCallback):
    """Multiply the learning rate by ``factor`` when a value has stopped improving.

    Args:
        monitor: "loss", "eval_loss" or the name of a metric.
        factor: between 0 and 1.
        patience: epochs without improvement to wait for.
        verbose: print each reduction.
        mode: whether "min" or "max" is better; "auto" decides by the name.
        min_delta: a smaller change does not count as an improvement.
        cooldown: epochs after a reduction that are not counted.
        min_lr: the rate never falls below it.

    Raises:
        TypeError: an argument has the wrong type (``factor`` must be a float).
        ValueError: an argument is out of range; in training: the rate is a schedule rather than a
            Parameter.
    """

    resumes = (*MonitorCallback.resumes, "cooldown_counter")

    def __init__(
        self,
        monitor: str = "eval_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        api_name = "ReduceLROnPlateau"
        super().__init__(api_name, monitor, mode, min_delta)
        if not isinstance(factor, float):
            raise TypeError(f"{api_name}: factor must be a float, got {factor!r}.")
        if not 0.0 < factor < 1.0:
            raise ValueError(f"{api_name}: factor must be between 0 and 1, got {factor}.")
        self.factor = factor
        self.patience = checks.integer(api_name, "patience", patience, 0)
        self.verbose = checks.boolean(api_name, "verbose", verbose)
        self.cooldown = checks.integer(api_name, "cooldown", cooldown, 0)
        self.min_lr = checks.number(api_name, "min_lr", min_lr)
        self.cooldown_counter = 0

    def on_train_begin(self, run_context: RunContext) -> None:
        """Reset the best value, the waiting epochs and the cooldown."""
        super().on_train_begin(run_context)
        self.cooldown_counter = 0

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Reduce the learning rate if the value has not improved for ``patience`` epochs.

        After a reduction the next ``cooldown`` epochs do not count. An epoch without a value
        changes nothing.

        Raises:
            ValueError: the optimizer's rate is not a Parameter.
        """
        cb_params = run_context.original_args()
        rate = cb_params.optimizer.learning_rate
        if not isinstance(rate, Parameter):
            raise ValueError(
                "ReduceLROnPlateau: the optimizer must have one fixed learning rate, got a "
                "schedule or group rates."
            )
        value = self.get_monitor_value(cb_params)
        if value is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.improves(value, self.best):
            self.best, self.wait = value, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce_rate(rate, cb_params.cur_epoch_num)
                self.cooldown_counter, self.wait = self.cooldown, 0

    def _reduce_rate(self, rate: Parameter, epoch: int) -> None:
        """Multiply the Parameter ``rate`` by ``factor``, not below ``min_lr``; print if verbose."""
        previous, min_rate = np.float32(rate.asnumpy()), np.float32(self.min_lr)
        if previous <= min_rate:
            return
        reduced = max(np.float32(previous * self.factor), min_rate)
        rate.set_data(Tensor(reduced))
        if self.verbose:
            print(
                f"Epoch {epoch:05d}: ReduceLROnPlateau reducing learning rate to {reduced!s}.",
                flush=True,
            )
