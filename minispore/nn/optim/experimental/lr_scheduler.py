"""Schedulers, which change the learning rates of an optimizer's groups at each step."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.optim.experimental.optimizer import Optimizer


class LRScheduler:
    """Base of the schedulers. A subclass defines ``get_lr()``, which returns one rate per group.

    Args:
        optimizer: an optimizer of ``experimental.optim``.
        last_epoch: the last step before a restart; -1 for a new start.

    Raises:
        TypeError: ``optimizer`` is not one of these, or ``last_epoch`` is not an int.
        ValueError: ``last_epoch`` is below -1.
        KeyError: ``last_epoch`` is not -1, but groups have no ``initial_lr``.
    """

    steps_in_construct = True  # tracing restores the attributes that `step` changes

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        name = type(self).__name__
        if not isinstance(optimizer, Optimizer):
            raise TypeError(
                f"{name}: optimizer must be one of experimental.optim, got "
                f"{checks.format_value(optimizer)}."
            )
        self.last_epoch = checks.integer(name, "last_epoch", last_epoch, -1)
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", Tensor(float(group["lr"]), mstype.float32))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"{name}: param_groups[{number}] must have an initial_lr to go on from."
                )
        self.optimizer = optimizer
        self.base_lrs = [float(group["initial_lr"]) for group in optimizer.param_groups]
        self._last_lr = list(optimizer.lrs)
        self.groups_num = len(self._last_lr)
        self.step()

    def get_lr(self) -> list[Any]:
        """Return the rates of the groups after ``last_epoch`` steps.

        Raises:
            NotImplementedError: the subclass does not define ``get_lr``.
        """
        raise NotImplementedError(f"{type(self).__name__}: defines no get_lr.")

    def get_last_lr(self) -> list[Tensor]:
        """Return the current learning rates, one float32 scalar Tensor per group."""
        return [Tensor(float(lr), mstype.float32) for lr in self._last_lr]

    def step(self, epoch: int | None = None) -> bool:
        """Set the rates of the next step, or those after ``epoch`` steps; return True.

        With ``epoch``, the subclass's ``_get_closed_form_lr`` computes them if it defines one.
        """
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed_form = getattr(self, "_get_closed_form_lr", None)
        rates = self.get_lr() if epoch is None or closed_form is None else closed_form()
        for rate_param, rate in zip(self._last_lr, rates, strict=True):
            ops.assign(rate_param, Tensor(float(rate), mstype.float32))
        return True

    @property
    def _current_rates(self) -> list[float]:
        """The current rates as floats."""
        return [float(lr) for lr in self._last_lr]


class _FactorScheduler(LRScheduler):
    """Base of schedulers that multiply the rates of all groups by one factor at each step."""

    def get_lr(self) -> list[Any]:
        """Return the current rates times the factor of this step."""
        factor = self._get_step_factor() if self.last_epoch > 0 else self._get_initial_factor()
        return [lr * factor for lr in self._current_rates]

    def _get_initial_factor(self) -> float:
        """Return the factor at step 0; subclasses may override it."""
        return 1.0

    def _get_step_factor(self) -> float:
        """Return the factor from the last step to this one; subclasses override it."""
        raise AttributeError


class StepLR(_FactorScheduler):
    """Multiply the rate by ``gamma`` every ``step_size`` steps.

    >>> from minispore.core.parameter import Parameter
    >>> from minispore.nn.optim.experimental import SGD
    >>> scheduler = StepLR(SGD([Parameter(Tensor([1.0]))], lr=0.5), step_size=2, gamma=0.5)
    >>> for _ in range(3):
    ...     print(float(scheduler.get_last_lr()[0]), scheduler.step())
    0.5 True
    0.5 True
    0.25 True
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = checks.integer("StepLR", "step_size", step_size, 1)
        self.gamma = checks.number("StepLR", "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def _get_step_factor(self) -> float:
        return 1.0 if self.last_epoch % self.step_size else self.gamma

    def _get_closed_form_lr(self) -> list[float]:
        return [lr * self.gamma ** (self.last_epoch // self.step_size) for lr in self.base_lrs]


class MultiStepLR(_FactorScheduler):
    """Multiply the rate by ``gamma`` at each of the steps in ``milestones``."""

    def __init__(
        self, optimizer: Optimizer, milestones: Any, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        for milestone in milestones:
            checks.integer("MultiStepLR", "milestones", milestone)
        self.milestones = Counter(milestones)
        self.gamma = checks.number("MultiStepLR", "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def _get_step_factor(self) -> float:
        return self.gamma ** self.milestones[self.last_epoch]

    def _get_closed_form_lr(self) -> list[float]:
        n_passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [lr * self.gamma**n_passed for lr in self.base_lrs]


class ExponentialLR(_FactorScheduler):
    """Multiply the rate by ``gamma`` at each step."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = checks.number("ExponentialLR", "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def _get_step_factor(self) -> float:
        return self.gamma

    def _get_closed_form_lr(self) -> list[float]:
        return [lr * self.gamma**self.last_epoch for lr in self.base_lrs]


class ConstantLR(_FactorScheduler):
    """Multiply the rate by ``factor`` during the first ``total_iters`` steps."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        self.factor = checks.number("ConstantLR", "factor", factor, 0.0, 1.0)
        self.total_iters = _check_int("ConstantLR", "total_iters", total_iters)
        super().__init__(optimizer, last_epoch)

    def _get_initial_factor(self) -> float:
        return self.factor

    def _get_step_factor(self) -> float:
        """Return 1 / ``factor`` at step ``total_iters``, which restores the rate; else 1."""
        return 1 / self.factor if self.last_epoch == self.total_iters else 1.0

    def _get_closed_form_lr(self) -> list[float]:
        factor = self.factor if self.last_epoch < self.total_iters else 1.0
        return [lr * factor for lr in self.base_lrs]


class LinearLR(_FactorScheduler):
    """Scale the rate by a factor that goes from ``start_factor`` to ``end_factor`` in
    ``total_iters`` steps.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        self.start_factor = checks.number("LinearLR", "start_factor", start_factor, 0.0, 1.0, "(]")
        self.end_factor = checks.number("LinearLR", "end_factor", end_factor, 0.0, 1.0)
        self.total_iters = _check_int("LinearLR", "total_iters", total_iters)
        super().__init__(optimizer, last_epoch)

    def _get_initial_factor(self) -> float:
        return self.start_factor

    def _compute_factor(self, step: int) -> float:
        total = self.total_iters
        fraction = min(step, total) / total if total else 0.0
        return self.start_factor + (self.end_factor - self.start_factor) * fraction

    def _get_step_factor(self) -> float:
        return self._compute_factor(self.last_epoch) / self._compute_factor(self.last_epoch - 1)

    def _get_closed_form_lr(self) -> list[float]:
        return [lr * self._compute_factor(self.last_epoch) for lr in self.base_lrs]


class PolynomialLR(_FactorScheduler):
    """Multiply the initial rate by (1 - step / total_iters) ^ power, down to 0."""

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters, self.power = _check_int("PolynomialLR", "total_iters", total_iters), power
        super().__init__(optimizer, last_epoch)

    def _get_step_factor(self) -> float:
        if self.last_epoch > self.total_iters:
            return 1.0
        remaining = self.total_iters - self.last_epoch
        return (remaining / (remaining + 1)) ** self.power

    def _get_closed_form_lr(self) -> list[float]:
        fraction = min(self.last_epoch, self.total_iters) / self.total_iters
        return [lr * (1 - fraction) ** self.power for lr in self.base_lrs]


def _check_int(api_name: str, name: str, value: Any) -> int:
    """Check that ``value`` is an int (or a bool, which MindSpore accepts) and return it."""
    if not isinstance(value, int):
        raise TypeError(
            checks.format_error(api_name, name, "be an int", checks.format_value(value))
        )
    return value


class _LambdaScheduler(LRScheduler):
    """Base of schedulers that take one function for all groups, or one per group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        n_groups = len(optimizer.param_groups)
        is_list = isinstance(lr_lambda, list | tuple)
        self.lr_lambdas: list[Callable[[int], float]] = (
            list(lr_lambda) if is_list else [lr_lambda] * n_groups
        )
        if len(self.lr_lambdas) != n_groups:
            raise ValueError(
                f"{type(self).__name__}: lr_lambda must be one function or {n_groups} of them, got "
                f"{len(self.lr_lambdas)}."
            )
        super().__init__(optimizer, last_epoch)


class LambdaLR(_LambdaScheduler):
    """Multiply the initial rate by ``lr_lambda(step)``."""

    def get_lr(self) -> list[Any]:
        rates = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [lr * float(factor(self.last_epoch)) for lr, factor in rates]


class MultiplicativeLR(_LambdaScheduler):
    """Multiply the current rate by ``lr_lambda(step)`` at each step."""

    def get_lr(self) -> list[Any]:
        if self.last_epoch == 0:
            return self._current_rates
        rates = zip(self._current_rates, self.lr_lambdas, strict=True)
        return [lr * float(factor(self.last_epoch)) for lr, factor in rates]


class CosineAnnealingLR(LRScheduler):
    """Move the rate down to ``eta_min`` and up again along a cosine with a period of ``2 * T_max``
    steps.

    Each step starts from the current rate, which other schedulers may have set.

    Source: Loshchilov & Hutter 2017.
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max, self.eta_min = _check_int("CosineAnnealingLR", "T_max", T_max), eta_min
        if not T_max:
            raise ValueError("CosineAnnealingLR: T_max must not be 0.")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the rates after ``last_epoch`` steps, each from the current rate of its group."""
        step = self.last_epoch
        if step == 0:
            return self._current_rates
        low, factor = self.eta_min, self._compute_cosine_factor(step)
        if (step - 1 - self.T_max) % (2 * self.T_max) == 0:  # the previous factor is 0
            rates = zip(self._current_rates, self.base_lrs, strict=True)
            return [lr + (base_lr - low) * factor for lr, base_lr in rates]
        previous_factor = self._compute_cosine_factor(step - 1)
        return [low + (lr - low) * factor / previous_factor for lr in self._current_rates]

    def _get_closed_form_lr(self) -> list[float]:
        factor = self._compute_cosine_factor(self.last_epoch)
        return [self.eta_min + (lr - self.eta_min) * factor for lr in self.base_lrs]

    def _compute_cosine_factor(self, step: int) -> float:
        return (1 + math.cos(math.pi * step / self.T_max)) / 2


__all__ = [
    "ConstantLR",
    "CosineAnnealingLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "PolynomialLR",
    "StepLR",
]
