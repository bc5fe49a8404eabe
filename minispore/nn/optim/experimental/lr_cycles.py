"""Schedulers that cycle, react to a metric, or run in sequence."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.optim.experimental.lr_scheduler import LRScheduler
from minispore.nn.optim.experimental.optimizer import Optimizer


class ReduceLROnPlateau:
    """Multiply the rate by ``factor`` when a metric has not improved for more than ``patience``
    steps.

    Args:
        optimizer: an optimizer of ``experimental.optim``.
        mode: ``"min"`` if lower is better, ``"max"`` if higher is.
        factor: below 1.
        patience: steps without improvement to wait for.
        threshold: the smallest change that counts as an improvement.
        threshold_mode: ``"rel"``: relative to the best metric; ``"abs"``: as a difference.
        cooldown: steps after a reduction that do not count.
        min_lr: the minimum rate, or a list of one per group.
        eps: changes of the rate up to this size are skipped.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, a mode is unknown, or the length of ``min_lr`` differs
            from the number of groups.

    >>> from minispore.core.parameter import Parameter
    >>> from minispore.nn.optim.experimental import SGD
    >>> sgd = SGD([Parameter(Tensor([1.0]))], lr=0.5)
    >>> scheduler = ReduceLROnPlateau(sgd, factor=0.5, patience=0)
    >>> for loss in (3.0, 2.0, 2.0):
    ...     print(scheduler.step(loss), float(scheduler.get_last_lr()[0]))
    True 0.5
    True 0.5
    True 0.25
    """

    steps_in_construct = True  # tracing restores the attributes that `step` changes

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: float = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: float = 0,
        min_lr: float | Sequence[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        name = type(self).__name__
        if not isinstance(optimizer, Optimizer):
            raise TypeError(
                f"{name}: optimizer must be one of experimental.optim, got "
                f"{checks.format_value(optimizer)}."
            )
        if checks.number(name, "factor", factor) >= 1:
            raise ValueError(f"{name}: factor must be below 1, got {factor}.")
        checks.one_of(name, "mode", mode, ("min", "max"))
        checks.one_of(name, "threshold_mode", threshold_mode, ("rel", "abs"))
        self.optimizer, self.mode, self.factor = optimizer, mode, factor
        self.patience = checks.number(name, "patience", patience)
        self.cooldown = checks.number(name, "cooldown", cooldown)
        self.threshold = checks.number(name, "threshold", threshold)
        self.threshold_mode, self.eps = threshold_mode, checks.number(name, "eps", eps)
        self.min_lrs = _expand_per_group(name, "min_lr", min_lr, len(optimizer.param_groups))
        self.best = math.inf if mode == "min" else -math.inf
        self.wait = self.last_epoch = 0
        self.cooldown_counter: float = 0
        self._last_lr = list(optimizer.lrs)

    def in_cooldown(self) -> bool:
        """Whether the scheduler is cooling down and ignores metrics."""
        return self.cooldown_counter > 0

    def get_last_lr(self) -> list[Tensor]:
        """Return the current learning rates, one float32 scalar Tensor per group."""
        return [Tensor(float(lr), mstype.float32) for lr in self._last_lr]

    def step(self, metrics: Any) -> bool:
        """Count a step with this metric, and reduce the rates if the metric has stalled for too
        long; return True.
        """
        metric = float(metrics) if isinstance(metrics, Tensor) else metrics
        metric = float(np.float32(checks.number_or_nan(type(self).__name__, "metrics", metric)))
        self.last_epoch += 1
        if self._is_improvement(metric):
            self.best, self.wait = metric, 0
        else:
            self.wait += 1
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self.wait > self.patience:
            self._reduce_lr()
            self.cooldown_counter, self.wait = self.cooldown, 0
        return True

    def _is_improvement(self, metric: float) -> bool:
        """Whether ``metric`` is better than the best so far by the threshold.

        The comparison is in float32, the dtype of losses, so that 0.9 is not better than float32's
        0.9.
        """
        one = np.float32(1.0)  # with NumPy 1.26 a float32 and a Python number give a float64
        sign = -one if self.mode == "min" else one
        best, threshold = np.float32(self.best), np.float32(self.threshold)
        relative = self.threshold_mode == "rel"
        bound = best * (one + sign * threshold) if relative else best + sign * threshold
        return bool(np.float32(metric) * sign > bound * sign)

    def _reduce_lr(self) -> None:
        """Multiply each rate by ``factor``, down to its minimum; skip changes up to ``eps``."""
        for rate_param, min_lr in zip(self._last_lr, self.min_lrs, strict=True):
            old_rate = float(rate_param)
            new_rate = max(old_rate * self.factor, min_lr)
            if old_rate - new_rate > self.eps:
                ops.assign(rate_param, Tensor(new_rate, mstype.float32))


class CyclicLR(LRScheduler):
    """Cycle the rate between ``base_lr`` and ``max_lr``: up in ``step_size_up`` steps, then down
    again.

    Args:
        optimizer: an optimizer of ``experimental.optim``.
        base_lr, max_lr: the lowest and highest rate, or lists of one per group.
        step_size_up, step_size_down: the steps up, and down (the same number by default).
        mode: ``"triangular"``; ``"triangular2"``: the height halves with each cycle;
            ``"exp_range"``: the height is multiplied by ``gamma ** step``.
        gamma: the base of ``"exp_range"``.
        scale_fn: in place of ``mode``, a function from the cycle number or the step to the relative
            height.
        scale_mode: whether ``scale_fn`` is called with the ``"cycle"`` or with the step,
            ``"iterations"``.
        last_epoch: how often ``step`` was called before; -1 starts anew, at ``base_lr``.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, a mode is unknown, or the number of rates differs from
            that of the groups.
        KeyError: ``last_epoch`` is not -1, but groups have no ``initial_lr``.

    Source: L. Smith, Cyclical learning rates for training neural networks, 2015.

    >>> from minispore.core.parameter import Parameter
    >>> from minispore.nn.optim.experimental import SGD
    >>> scheduler = CyclicLR(SGD([Parameter(Tensor([1.0]))], lr=0.5), 0.5, 1.5, step_size_up=2)
    >>> for _ in range(4):
    ...     print(float(scheduler.get_last_lr()[0]), scheduler.step())
    0.5 True
    1.0 True
    1.5 True
    1.0 True
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: float = 2000,
        step_size_down: float | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[Any], float] | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
    ) -> None:
        steps_up = checks.number("CyclicLR", "step_size_up", step_size_up, 0.0, closed="(]")
        steps_down = steps_up
        if step_size_down is not None:
            steps_down = checks.number("CyclicLR", "step_size_down", step_size_down, 0.0)
        self.total_step_size = steps_up + steps_down
        self.step_up_ratio = steps_up / self.total_step_size
        if scale_fn is None:
            checks.one_of("CyclicLR", "mode", mode, ("triangular", "triangular2", "exp_range"))
            scale_mode = "iterations" if mode == "exp_range" else "cycle"
        else:
            checks.function("CyclicLR", "scale_fn", scale_fn)
        checks.one_of("CyclicLR", "scale_mode", scale_mode, ("cycle", "iterations"))
        self.mode, self.gamma = mode, checks.number("CyclicLR", "gamma", gamma)
        self._scale_fn, self.scale_mode = scale_fn, scale_mode
        if isinstance(optimizer, Optimizer):
            groups = optimizer.param_groups
            lows = _expand_per_group("CyclicLR", "base_lr", base_lr, len(groups))
            self.max_lrs = _expand_per_group("CyclicLR", "max_lr", max_lr, len(groups))
            if last_epoch == -1:
                for rate_param, low in zip(optimizer.lrs, lows, strict=True):
                    ops.assign(rate_param, Tensor(low, mstype.float32))
            self._low_rates = lows
        super().__init__(optimizer, last_epoch)
        self.base_lrs = list(self._low_rates)

    def scale_fn(self, x: Any) -> float:
        """Return the relative height of a cycle, given its number (from 1 on) or the step."""
        if self._scale_fn is not None:
            return float(self._scale_fn(x))
        if self.mode == "triangular2":
            return float(2.0 ** (1 - x))
        return float(self.gamma**x) if self.mode == "exp_range" else 1.0

    def get_lr(self) -> list[Any]:
        """Return the rates of the groups after ``last_epoch`` steps."""
        cycle = 1 + self.last_epoch // self.total_step_size
        position = self.last_epoch / self.total_step_size - (cycle - 1)
        if position <= self.step_up_ratio:
            height = position / self.step_up_ratio
        else:
            height = (1 - position) / (1 - self.step_up_ratio)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        return [low + (top - low) * height for low, top in zip(self._low_rates, self.max_lrs)]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Lower the rate along half a cosine to ``eta_min`` in ``T_0`` steps, then restart from the
    initial rate.

    Each cycle has ``T_mult`` times as many steps as the one before.

    Args:
        optimizer: an optimizer of ``experimental.optim``.
        T_0: steps to the first restart.
        T_mult: at least 1.
        eta_min: the minimum rate.
        last_epoch: the last step before a restart; -1 for a new start.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``T_0`` or ``T_mult`` is not an int >= 1.
        KeyError: ``last_epoch`` is not -1, but groups have no ``initial_lr``.

    Source: I. Loshchilov and F. Hutter, SGDR: stochastic gradient descent with warm restarts, 2016.

    >>> from minispore.core.parameter import Parameter
    >>> from minispore.nn.optim.experimental import SGD
    >>> scheduler = CosineAnnealingWarmRestarts(SGD([Parameter(Tensor([1.0]))], lr=0.5), 2)
    >>> for _ in range(3):
    ...     print(float(scheduler.get_last_lr()[0]), scheduler.step())
    0.5 True
    0.25 True
    0.5 True
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0,
        last_epoch: int = -1,
    ) -> None:
        name = "CosineAnnealingWarmRestarts"
        for argument, value in (("T_0", T_0), ("T_mult", T_mult)):
            if checks.number(name, argument, value) < 1 or not isinstance(value, int):
                raise ValueError(f"{name}: {argument} must be an int of at least 1, got {value!r}.")
        self.T_0 = self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = checks.number(name, "eta_min", eta_min)
        self.T_cur: float = 0
        if checks.integer(name, "last_epoch", last_epoch, -1) > 0:
            self._set_cycle_position(last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the rates of the groups at step ``T_cur`` of ``T_i``."""
        factor = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * factor for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> bool:
        """Set the rates of the next step, or those after ``epoch`` steps, which may be a fraction;
        return True.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
            self.last_epoch += 1
        else:
            epoch = float(epoch) if isinstance(epoch, Tensor) else epoch
            self._set_cycle_position(
                checks.number("CosineAnnealingWarmRestarts", "epoch", epoch, 0.0)
            )
            self.last_epoch = math.floor(epoch)
        for rate_param, rate in zip(self._last_lr, self.get_lr(), strict=True):
            ops.assign(rate_param, Tensor(rate, mstype.float32))
        return True

    def _set_cycle_position(self, epoch: float) -> None:
        """Set ``T_cur`` and ``T_i``, the position and length of the cycle, for an epoch."""
        self.T_cur, self.T_i = epoch, self.T_0
        while self.T_cur >= self.T_i and self.T_mult > 1:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
        self.T_cur %= self.T_i


class SequentialLR:
    """Run schedulers in sequence: at each of ``milestones`` the next one starts from step 0.

    Args:
        optimizer: the optimizer of all ``schedulers``.
        schedulers: a list.
        milestones: steps, one fewer than schedulers.
        last_epoch: the last step before a restart; -1 for a new start.

    Raises:
        ValueError: a scheduler has a different optimizer, or the number of milestones is wrong.

    >>> from minispore.core.parameter import Parameter
    >>> from minispore.nn.optim.experimental import SGD
    >>> from minispore.nn.optim.experimental.lr_scheduler import ConstantLR, ExponentialLR
    >>> sgd = SGD([Parameter(Tensor([1.0]))], lr=0.5)
    >>> parts = [ConstantLR(sgd, factor=0.5, total_iters=9), ExponentialLR(sgd, gamma=0.5)]
    >>> scheduler = SequentialLR(sgd, parts, milestones=[2])
    >>> for _ in range(4):
    ...     print(float(scheduler.get_last_lr()[0]), scheduler.step())
    0.25 True
    0.25 True
    0.5 True
    0.25 True
    """

    steps_in_construct = True  # tracing restores the attributes that `step` changes

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[Any],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        for number, scheduler in enumerate(schedulers):
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    f"SequentialLR: schedulers[{number}] must be one of the same optimizer."
                )
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"SequentialLR: milestones must be {len(schedulers) - 1}, one less than "
                f"schedulers, got {len(milestones)}."
            )
        self.optimizer, self._schedulers = optimizer, list(schedulers)
        self.milestones, self.last_epoch = list(milestones), last_epoch + 1
        for group, rate_param in zip(optimizer.param_groups, optimizer.lrs, strict=True):
            ops.assign(rate_param, Tensor(float(group["initial_lr"]), mstype.float32))
        for scheduler in self._schedulers:  # each counted a step in its constructor
            scheduler.last_epoch -= 1
        self._schedulers[0].step()

    def get_last_lr(self) -> list[Tensor]:
        """Return the current learning rates, one float32 scalar Tensor per group."""
        return [Tensor(float(lr), mstype.float32) for lr in self.optimizer.lrs]

    def step(self) -> bool:
        """Step the active scheduler, or at a milestone start the next one from step 0; return
        True.
        """
        self.last_epoch += 1
        active = bisect_right(self.milestones, self.last_epoch)
        if active and self.milestones[active - 1] == self.last_epoch:
            self._schedulers[active].step(0)
        else:
            self._schedulers[active].step()
        return True


def _expand_per_group(api_name: str, name: str, value: Any, n_groups: int) -> list[float]:
    """Return one number per group, given a number or a list of numbers.

    Raises:
        ValueError: the length of the list is not the number of groups.
    """
    if not isinstance(value, list | tuple):
        value = [value] * n_groups
    if len(value) != n_groups:
        raise ValueError(
            f"{api_name}: {name} must be {n_groups}, one for each group, got {len(value)}."
        )
    return [
        checks.number(api_name, name, float(v) if isinstance(v, Tensor) and not v.ndim else v)
        for v in value
    ]


__all__ = ["CosineAnnealingWarmRestarts", "CyclicLR", "ReduceLROnPlateau", "SequentialLR"]
