"""The curves of a training: what each step lost and how fast it learned, what evaluations said."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from minispore.core.callback import Callback, RunContext
from minispore.core.runtime import HostRuntime, install_runtime
from minispore.core.tensor import Tensor
from minispore.nn import Optimizer

Points = list[tuple[int, float]]
RATES = 200  # points of a schedule, of all its steps


class Curves(Callback):
    """Notes the runs that it is told of; steps count on from one training to the next.

    Attributes:
        steps: so many were trained.
        losses: each step with its loss.
        evaluated: the step after which each evaluation came, with its numbers.
    """

    def __init__(self) -> None:
        self.losses: Points = []
        self.evaluated: dict[int, dict[str, float]] = {}
        self.steps = self._offset = 0
        self._constant: Points = []
        self._scheduled: dict[int, tuple[Any, int]] = {}  # step -> schedule, step of its optimizer

    def on_train_begin(self, run_context: RunContext) -> None:
        """Another training begins."""
        self._offset = self.steps - run_context.original_args().cur_step_num

    def on_train_step_end(self, run_context: RunContext) -> None:
        """One or several steps are done."""
        params = run_context.original_args()
        before, self.steps = self.steps, self._offset + params.cur_step_num
        new = range(before + 1, self.steps + 1)
        losses = _losses(params)[-len(new) :]
        self.losses += zip(range(self.steps - len(losses) + 1, self.steps + 1), losses)
        if isinstance(params.get("optimizer"), Optimizer):
            self._note_rate(params.optimizer, new)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """In ``Model.fit``: what the evaluation of the epoch said."""
        self._note(run_context.original_args().get("eval_results"))

    def on_eval_end(self, run_context: RunContext) -> None:
        """What ``Model.eval`` said."""
        self._note(run_context.original_args().get("metrics"))

    def rates(self) -> Points:
        """The learning rate over the steps; of several groups the first one's."""
        chosen = list(self._scheduled)[:: max(1, len(self._scheduled) // RATES)]
        with _on_the_host():
            made = [(step, _rate_of(*self._scheduled[step])) for step in chosen]
        return sorted(self._constant + [(step, rate) for step, rate in made if rate is not None])

    def all(self) -> dict[str, Points]:
        """Each curve by its name, the loss first."""
        found = {"loss": self.losses, "learning rate": self.rates()}
        for step, numbers in sorted(self.evaluated.items()):
            for name, value in numbers.items():
                found.setdefault(name, []).append((step, value))
        return {name: points for name, points in found.items() if points}

    def _note_rate(self, optimizer: Optimizer, steps: range) -> None:
        rate: Any = optimizer.learning_rate
        rate = rate[0] if optimizer.is_group_lr else rate
        if not optimizer.dynamic_lr:
            self._constant.append((steps[-1], float(rate.value_.data)))
            return
        next_step = int(optimizer.global_step.value_.data.item())
        for step in steps:
            self._scheduled[step] = rate, next_step - 1 - (steps[-1] - step)

    def _note(self, said: dict[str, Any] | None) -> None:
        numbers = {
            f"evaluated {name.removeprefix('eval_')}": float(value)
            for name, value in (said or {}).items()
            if isinstance(value, int | float)
        }
        if numbers:
            self.evaluated[self.steps] = numbers


def _losses(params: Any) -> Sequence[float]:
    """The losses of the steps that are over, as far as they are known."""
    if params.get("dataset_sink_mode"):
        return [float(x) for x in params.get("sink_losses", ())]
    outputs = params.get("net_outputs")
    if isinstance(outputs, tuple | list) and outputs:
        outputs = outputs[0]
    if not isinstance(outputs, Tensor) or outputs.dtype.kind != "f":
        return []
    return [float(np.mean(outputs.value_.data))]


@contextmanager
def _on_the_host() -> Iterator[None]:
    """What runs inside is no work of the device that was looked at."""
    old = install_runtime(HostRuntime())
    try:
        yield
    finally:
        install_runtime(old)


def _rate_of(schedule: Any, step: int) -> float | None:
    rate = schedule.construct(Tensor(np.array([step], np.int32)))
    found = float(rate.value_.data.item())
    return found if math.isfinite(found) else None
