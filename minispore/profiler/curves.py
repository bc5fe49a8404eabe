"""Record the curves of a training: loss, learning rate and the results of evaluations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from minispore.core.callback import Callback, RunContext
from minispore.core.tensor import Tensor
from minispore.ir.runtime import HostRuntime, install_runtime
from minispore.nn import Optimizer

Points = list[tuple[int, float]]
SCHEDULE_POINTS = 200  # maximum number of points at which a schedule is computed


class Curves(Callback):
    """Records losses, learning rates and evaluations; step numbers continue from training to
    training.

    Attributes:
        steps: the number of trained steps.
        losses: pairs of a step and its loss.
        evaluations: the results of each evaluation, by the preceding step.
    """

    def __init__(self) -> None:
        self.losses: Points = []
        self.evaluations: dict[int, dict[str, float]] = {}
        self.steps = self._step_offset = 0
        self._constant_rates: Points = []
        self._scheduled_rates: dict[int, tuple[Any, int]] = {}  # step -> schedule, optimizer's step

    def on_train_begin(self, run_context: RunContext) -> None:
        """Continue the step count of the last training."""
        self._step_offset = self.steps - run_context.original_args().cur_step_num

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Record the losses and the learning rate of the steps since the last call."""
        cb_params = run_context.original_args()
        previous_steps, self.steps = self.steps, self._step_offset + cb_params.cur_step_num
        new_steps = range(previous_steps + 1, self.steps + 1)
        losses = _find_losses(cb_params)[-len(new_steps) :]
        self.losses += zip(range(self.steps - len(losses) + 1, self.steps + 1), losses)
        if isinstance(cb_params.get("optimizer"), Optimizer):
            self._note_rate(cb_params.optimizer, new_steps)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Record the evaluation of the epoch in ``Model.fit``."""
        self._note_evaluation(run_context.original_args().get("eval_results"))

    def on_eval_end(self, run_context: RunContext) -> None:
        """Record the results of ``Model.eval``."""
        self._note_evaluation(run_context.original_args().get("metrics"))

    def compute_rates(self) -> Points:
        """Return points (step, learning rate); with several parameter groups, those of the first.

        Constant rates are those recorded at the end of each call. Schedules are computed at about
        ``SCHEDULE_POINTS`` steps, on the host, without rates that are not finite.
        """
        steps = list(self._scheduled_rates)[
            :: max(1, len(self._scheduled_rates) // SCHEDULE_POINTS)
        ]
        with _use_host_runtime():
            rates = [(step, _compute_rate(*self._scheduled_rates[step])) for step in steps]
        return sorted(
            self._constant_rates + [(step, rate) for step, rate in rates if rate is not None]
        )

    def get_curves(self) -> dict[str, Points]:
        """Return the points (step, value) of each nonempty curve by name: the loss, the learning
        rate, then each number of the evaluations.
        """
        curves = {"loss": self.losses, "learning rate": self.compute_rates()}
        for step, results in sorted(self.evaluations.items()):
            for name, value in results.items():
                curves.setdefault(name, []).append((step, value))
        return {name: points for name, points in curves.items() if points}

    def _note_rate(self, optimizer: Optimizer, steps: range) -> None:
        """Record a constant learning rate at the last of the steps, or a schedule to compute it at
        each step.
        """
        rate: Any = optimizer.learning_rate
        rate = rate[0] if optimizer.is_group_lr else rate
        if not optimizer.dynamic_lr:
            self._constant_rates.append((steps[-1], float(rate.value_.data)))
            return
        next_step = int(optimizer.global_step.value_.data.item())
        for step in steps:
            self._scheduled_rates[step] = rate, next_step - 1 - (steps[-1] - step)

    def _note_evaluation(self, results: dict[str, Any] | None) -> None:
        """Record the numbers in the results of an evaluation, if there are any."""
        numbers = {
            f"evaluated {name.removeprefix('eval_')}": float(value)
            for name, value in (results or {}).items()
            if isinstance(value, int | float)
        }
        if numbers:
            self.evaluations[self.steps] = numbers


def _find_losses(cb_params: Any) -> Sequence[float]:
    """Return the losses of the last sink or step, as far as the callback's parameters contain
    them.
    """
    if cb_params.get("dataset_sink_mode"):
        return [float(x) for x in cb_params.get("sink_losses", ())]
    outputs = cb_params.get("net_outputs")
    if isinstance(outputs, tuple | list) and outputs:
        outputs = outputs[0]
    if not isinstance(outputs, Tensor) or outputs.dtype.kind != "f":
        return []
    return [float(np.mean(outputs.value_.data))]


@contextmanager
def _use_host_runtime() -> Iterator[None]:
    """Run ops on the host inside the ``with`` block, so that the device does not record them."""
    previous_runtime = install_runtime(HostRuntime())
    try:
        yield
    finally:
        install_runtime(previous_runtime)


def _compute_rate(schedule: Any, step: int) -> float | None:
    """Return the learning rate of a schedule at a step, or None if it is not finite."""
    rate = schedule.construct(Tensor(np.array([step], np.int32)))
    value = float(rate.value_.data.item())
    return value if math.isfinite(value) else None
