"""Learning-rate schedules: Cells that map the number of completed steps to the next learning
rate.
"""

from __future__ import annotations

import math
from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.cell import Cell
from minispore.nn.check import check_rate


class LearningRateSchedule(Cell):
    """Base of all schedules; a subclass defines ``construct(global_step) -> learning rate``."""


class _Decay(LearningRateSchedule):
    """Base of the three exponential-like schedules, which share their arguments."""

    def __init__(
        self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.decay_steps = checks.integer(name, "decay_steps", decay_steps, 1)
        self.learning_rate = check_rate(name, "learning_rate", learning_rate)
        self.decay_rate = check_rate(name, "decay_rate", decay_rate)
        self.is_stair = checks.boolean(name, "is_stair", is_stair)

    def _compute_progress(self, global_step: Tensor) -> Tensor:
        """Return global_step / decay_steps in float32, rounded down with ``is_stair``."""
        progress = ops.cast(global_step, mstype.float32) / self.decay_steps
        return ops.floor(progress) if self.is_stair else progress


class ExponentialDecayLR(_Decay):
    """learning_rate * decay_rate ** (step / decay_steps).

    With ``is_stair`` the exponent is rounded down.

    Raises:
        TypeError: a rate is not a float.
        ValueError: a rate or ``decay_steps`` is not above 0.

    >>> from minispore import Tensor
    >>> print(ExponentialDecayLR(0.1, 0.5, 2)(Tensor(4)))
    0.025
    """

    def construct(self, global_step: Tensor) -> Tensor:
        return self.learning_rate * ops.pow(self.decay_rate, self._compute_progress(global_step))


class NaturalExpDecayLR(_Decay):
    """learning_rate * exp(-decay_rate * step); with ``is_stair``, it changes only every
    ``decay_steps`` steps.
    """

    def construct(self, global_step: Tensor) -> Tensor:
        step = ops.cast(global_step, mstype.float32)
        if self.is_stair:
            step = ops.floor(step / self.decay_steps) * self.decay_steps
        return self.learning_rate * ops.exp(-self.decay_rate * step)


class InverseDecayLR(_Decay):
    """learning_rate / (1 + decay_rate * step / decay_steps).

    With ``is_stair`` the fraction is rounded down.
    """

    def construct(self, global_step: Tensor) -> Tensor:
        return self.learning_rate / (1.0 + self.decay_rate * self._compute_progress(global_step))


class CosineDecayLR(LearningRateSchedule):
    """min_lr + (max_lr - min_lr) / 2 * (1 + cos(pi * step / decay_steps)), then min_lr.

    Raises:
        TypeError: a rate is not a float, or ``decay_steps`` is not an int.
        ValueError: a rate is negative, ``min_lr`` is not below ``max_lr``, or ``decay_steps`` is
            below 1.
    """

    def __init__(self, min_lr: float, max_lr: float, decay_steps: int) -> None:
        super().__init__()
        self.min_lr = check_rate("CosineDecayLR", "min_lr", min_lr, is_positive=False)
        self.max_lr = check_rate("CosineDecayLR", "max_lr", max_lr)
        self.decay_steps = checks.integer("CosineDecayLR", "decay_steps", decay_steps, 1)
        if min_lr >= max_lr:
            raise ValueError(
                f"CosineDecayLR: min_lr must be below max_lr, got {min_lr} and {max_lr}."
            )
        self.delta = 0.5 * (max_lr - min_lr)

    def construct(self, global_step: Tensor) -> Tensor:
        step = ops.cast(ops.minimum(global_step, self.decay_steps), mstype.float32)
        # The cosine as MindSpore computes it: sin(pi * (x + 1/2)) = cos(pi * x).
        return self.min_lr + self.delta * (1.0 + ops.sin(math.pi * (step / self.decay_steps + 0.5)))


class PolynomialDecayLR(LearningRateSchedule):
    """(learning_rate - end_learning_rate) * (1 - step / decay_steps) ** power + end_learning_rate.

    From ``decay_steps`` on it stays at ``end_learning_rate``. With ``update_decay_steps`` the decay
    is extended to the next multiple of ``decay_steps`` each time its end is reached.

    Raises:
        TypeError: a rate or ``power`` is not a float, or ``decay_steps`` is not an int.
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        learning_rate: float,
        end_learning_rate: float,
        decay_steps: int,
        power: float,
        update_decay_steps: bool = False,
    ) -> None:
        super().__init__()
        name = "PolynomialDecayLR"
        self.start_learning_rate = check_rate(name, "learning_rate", learning_rate)
        self.end_learning_rate = check_rate(
            name, "end_learning_rate", end_learning_rate, is_positive=False
        )
        self.decay_steps = checks.integer(name, "decay_steps", decay_steps, 1)
        self.update_decay_steps = checks.boolean(name, "update_decay_steps", update_decay_steps)
        self.power = check_rate(name, "power", power)
        self.diff_learning_rate = learning_rate - end_learning_rate

    def construct(self, global_step: Tensor) -> Tensor:
        """Return the rate; ``update_decay_steps`` moves the end to a later multiple."""
        step = ops.cast(global_step, mstype.float32)
        end: Any = self.decay_steps
        if self.update_decay_steps:
            end = end * ops.maximum(ops.ceil(step / end), 1.0)
        else:
            step = ops.minimum(step, float(end))
        return (
            self.diff_learning_rate * ops.pow(1.0 - step / end, self.power) + self.end_learning_rate
        )


class WarmUpLR(LearningRateSchedule):
    """learning_rate * step / warmup_steps, then learning_rate.

    Raises:
        TypeError: ``learning_rate`` is not a float, or ``warmup_steps`` is not an int.
        ValueError: ``learning_rate`` is negative, or ``warmup_steps`` is below 1.
    """

    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        super().__init__()
        self.learning_rate = check_rate(
            "WarmUpLR", "learning_rate", learning_rate, is_positive=False
        )
        self.warmup_steps = checks.integer("WarmUpLR", "warmup_steps", warmup_steps, 1)

    def construct(self, global_step: Tensor) -> Tensor:
        completed_steps = ops.cast(ops.minimum(global_step, self.warmup_steps), mstype.float32)
        return self.learning_rate * (completed_steps / self.warmup_steps)


__all__ = [
    "CosineDecayLR",
    "ExponentialDecayLR",
    "InverseDecayLR",
    "LearningRateSchedule",
    "NaturalExpDecayLR",
    "PolynomialDecayLR",
    "WarmUpLR",
]
