"""Callbacks that change the learning rate."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.train.callback.base import Callback, RunContext
from minispore.train.callback.monitored import Monitored


class LearningRateScheduler(Callback):
    """After each step, set the learning rate to ``learning_rate_function(lr, cur_step_num)``.

    In graph sink mode that is once a sink.

    Args:
        learning_rate_function: from the rate in use and the step number to the next rate.
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
        params = run_context.original_args()
        rate = params.optimizer.learning_rate
        old = float(str(np.asarray(rate.asnumpy())))  # 0.1, not 0.10000000149: float32 digits
        new = self.learning_rate_function(old, params.cur_step_num)
        if not math.isclose(old, new, rel_tol=1e-10):
            rate.set_data(Tensor(np.float32(new)))


class ReduceLROnPlateau(Monitored):
    """Multiply the learning rate by ``factor`` when a value has stopped to improve.

    Args:
        monitor: "loss", "eval_loss" or the name of a metric.
        factor: between 0 and 1.
        patience: epochs without improvement to wait for.
        verbose: print each reduction.
        mode: "min" or "max" is better; "auto" goes by the name.
        min_delta: a smaller change is no improvement.
        cooldown: epochs after a reduction in which nothing is counted.
        min_lr: the rate never falls below it.

    Raises:
        TypeError: an argument has the wrong type (``factor`` must be a float).
        ValueError: one is out of range; in training: the rate is no Parameter but a schedule.
    """

    resumes = (*Monitored.resumes, "cooldown_counter")

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
        who = "ReduceLROnPlateau"
        super().__init__(who, monitor, mode, min_delta)
        if not isinstance(factor, float):
            raise TypeError(f"{who}: factor must be a float, got {factor!r}.")
        if not 0.0 < factor < 1.0:
            raise ValueError(f"{who}: factor must be between 0 and 1, got {factor}.")
        self.factor = factor
        self.patience = checks.integer(who, "patience", patience, 0)
        self.verbose = checks.boolean(who, "verbose", verbose)
        self.cooldown = checks.integer(who, "cooldown", cooldown, 0)
        self.min_lr = checks.number(who, "min_lr", min_lr)
        self.cooldown_counter = 0

    def on_train_begin(self, run_context: RunContext) -> None:
        super().on_train_begin(run_context)
        self.cooldown_counter = 0

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        rate = params.optimizer.learning_rate
        if not isinstance(rate, Parameter):
            raise ValueError(
                "ReduceLROnPlateau: the optimizer must have one fixed learning rate, got a "
                "schedule or group rates."
            )
        value = self.value(params)
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
                self._reduce(rate, params.cur_epoch_num)
                self.cooldown_counter, self.wait = self.cooldown, 0

    def _reduce(self, rate: Parameter, epoch: int) -> None:
        old, least = np.float32(rate.asnumpy()), np.float32(self.min_lr)
        if old <= least:
            return
        new = max(np.float32(old * self.factor), least)
        rate.set_data(Tensor(new))
        if self.verbose:
            print(
                f"Epoch {epoch:05d}: ReduceLROnPlateau reducing learning rate to {new!s}.",
                flush=True,
            )
