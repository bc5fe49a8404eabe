"""Learning rates as lists with one number per step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from minispore.foundation import checks
from minispore.nn.check import check_rate


def _expand_epoch_rates(
    api_name: str, compute_rate: Callable[[int], float], total_step: int, step_per_epoch: int
) -> list[float]:
    """Return the rates of ``total_step`` steps, given a function from epoch (from 0) to rate."""
    checks.integer(api_name, "total_step", total_step, 1)
    checks.integer(api_name, "step_per_epoch", step_per_epoch, 1)
    return [compute_rate(step // step_per_epoch) for step in range(total_step)]


def piecewise_constant_lr(milestone: Sequence[int], learning_rates: Sequence[float]) -> list[float]:
    """Return the rates of all steps: ``learning_rates[i]`` for the steps before ``milestone[i]``.

    Raises:
        TypeError: an argument is not a list or tuple, or an element has the wrong type.
        ValueError: the lengths differ, a milestone is below 1, or the milestones decrease.

    >>> piecewise_constant_lr([1, 3], [0.1, 0.05])
    [0.1, 0.05, 0.05]
    """
    api_name = "piecewise_constant_lr"
    for name, value in (("milestone", milestone), ("learning_rates", learning_rates)):
        if not isinstance(value, list | tuple):
            raise TypeError(
                f"{api_name}: {name} must be a list or tuple, got {checks.format_value(value)}."
            )
    if len(milestone) != len(learning_rates):
        raise ValueError(
            f"{api_name}: milestone and learning_rates must have the same length, "
            f"got {len(milestone)} and {len(learning_rates)}."
        )
    rates: list[float] = []
    for i, (end, rate) in enumerate(zip(milestone, learning_rates, strict=True)):
        checks.integer(api_name, f"milestone[{i}]", end, 1)
        if not isinstance(rate, float):
            raise TypeError(
                f"{api_name}: learning_rates[{i}] must be a float, got {checks.format_value(rate)}."
            )
        if end < len(rates):
            raise ValueError(f"{api_name}: milestone must grow, got {list(milestone)}.")
        rates += [rate] * (end - len(rates))
    return rates


def _make_decay(
    api_name: str,
    formula: Callable[[float], float],
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool,
    round_progress: Callable[[float], float] = math.floor,
) -> list[float]:
    """Check the arguments of an exponential-like decay and return the rate of each step.

    Args:
        formula: maps epoch / decay_epoch (rounded with ``is_stair``) to the rate.
    """
    check_rate(api_name, "learning_rate", learning_rate)
    check_rate(api_name, "decay_rate", decay_rate)
    checks.integer(api_name, "decay_epoch", decay_epoch, 1)
    checks.boolean(api_name, "is_stair", is_stair)
    return _expand_epoch_rates(
        api_name,
        lambda e: formula(round_progress(e / decay_epoch) if is_stair else e / decay_epoch),
        total_step,
        step_per_epoch,
    )


def exponential_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """Return the rates learning_rate * decay_rate ** (epoch / decay_epoch).

    With ``is_stair`` the exponent is rounded down.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is not above 0.

    >>> exponential_decay_lr(0.1, 0.5, 3, 1, 1)
    [0.1, 0.05, 0.025]
    """
    return _make_decay(
        "exponential_decay_lr",
        lambda p: learning_rate * decay_rate**p,
        learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair,
    )  # fmt: skip


def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """Return the rates learning_rate * exp(-decay_rate * epoch).

    With ``is_stair`` they change only every ``decay_epoch`` epochs.

    Raises: see :func:`exponential_decay_lr`.
    """
    return _make_decay(
        "natural_exp_decay_lr",
        lambda p: learning_rate * math.exp(-decay_rate * p * decay_epoch),
        learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair,
    )  # fmt: skip


def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """Return the rates learning_rate / (1 + decay_rate * epoch / decay_epoch).

    With ``is_stair`` the fraction is rounded down.

    Raises: see :func:`exponential_decay_lr`.
    """
    return _make_decay(
        "inverse_decay_lr",
        lambda p: learning_rate / (1 + decay_rate * p),
        learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair,
    )  # fmt: skip


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """Return the rates min_lr + (max_lr - min_lr) / 2 * (1 + cos(pi * epoch / decay_epoch)).

    They stay at min_lr from ``decay_epoch`` on.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range, or ``min_lr`` is not below ``max_lr``.
    """
    api_name = "cosine_decay_lr"
    check_rate(api_name, "min_lr", min_lr, is_positive=False)
    check_rate(api_name, "max_lr", max_lr)
    checks.integer(api_name, "decay_epoch", decay_epoch, 1)
    if min_lr >= max_lr:
        raise ValueError(f"{api_name}: min_lr must be below max_lr, got {min_lr} and {max_lr}.")
    delta = 0.5 * (max_lr - min_lr)
    return _expand_epoch_rates(
        api_name,
        lambda e: min_lr + delta * (1 + math.cos(math.pi * min(e, decay_epoch) / decay_epoch)),
        total_step,
        step_per_epoch,
    )


def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    power: float,
    update_decay_epoch: bool = False,
) -> list[float]:
    """Return rates that decay polynomially with the epoch to ``end_learning_rate``.

    (learning_rate - end_learning_rate) * (1 - epoch / decay_epoch) ** power +
    end_learning_rate, and ``end_learning_rate`` from ``decay_epoch`` on.

    With ``update_decay_epoch`` the decay is extended to the next multiple of ``decay_epoch`` each
    time its end is reached.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range.
    """
    api_name = "polynomial_decay_lr"
    check_rate(api_name, "learning_rate", learning_rate)
    check_rate(api_name, "end_learning_rate", end_learning_rate, is_positive=False)
    check_rate(api_name, "power", power)
    checks.integer(api_name, "decay_epoch", decay_epoch, 1)
    checks.boolean(api_name, "update_decay_epoch", update_decay_epoch)

    def compute_rate(epoch: int) -> float:
        """Return the rate of an epoch; ``update_decay_epoch`` moves the end to a later multiple."""
        end = decay_epoch
        if update_decay_epoch:
            end *= max(math.ceil(epoch / decay_epoch), 1)
        progress = min(epoch, end) / end
        return (learning_rate - end_learning_rate) * (1 - progress) ** power + end_learning_rate

    return _expand_epoch_rates(api_name, compute_rate, total_step, step_per_epoch)


def warmup_lr(
    learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int
) -> list[float]:
    """Return the rates learning_rate * epoch / warmup_epoch, then constant learning_rate.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range.

    >>> warmup_lr(0.1, 4, 1, 2)
    [0.0, 0.05, 0.1, 0.1]
    """
    check_rate("warmup_lr", "learning_rate", learning_rate, is_positive=False)
    checks.integer("warmup_lr", "warmup_epoch", warmup_epoch, 1)
    return _expand_epoch_rates(
        "warmup_lr",
        lambda e: learning_rate * min(e, warmup_epoch) / warmup_epoch,
        total_step,
        step_per_epoch,
    )


__all__ = [
    "cosine_decay_lr",
    "exponential_decay_lr",
    "inverse_decay_lr",
    "natural_exp_decay_lr",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "warmup_lr",
]
