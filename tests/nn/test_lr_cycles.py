"""Schedulers that go up and down, wait for a measure, or follow one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minispore import Parameter, Tensor, context
from minispore.experimental import optim
from minispore.experimental.optim import lr_scheduler as schedulers


def sgd(*lrs: float) -> Any:
    groups = [
        {"params": [Parameter(Tensor([1.0, 2.0]), name=f"w{i}")], "lr": lr}
        for i, lr in enumerate(lrs)
    ]
    return optim.SGD(groups, lr=0.8)


def rates(scheduler: Any, steps: int, measures: Any = None) -> list[float]:
    outputs = []
    for i in range(steps):
        outputs.append(float(scheduler.get_last_lr()[0]))
        scheduler.step(*([] if measures is None else [measures[i]]))
    return outputs


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"step_size_up": 2}, [0, 0.5, 1, 0.5, 0, 0.5]),
        ({"step_size_up": 2, "step_size_down": 1}, [0, 0.5, 1, 0, 0.5, 1]),
        ({"step_size_up": 1, "mode": "triangular2"}, [0, 1, 0, 0.5, 0, 0.25]),
        ({"step_size_up": 1, "mode": "exp_range", "gamma": 0.5}, [0, 0.5, 0, 0.125, 0, 2**-5]),
        ({"step_size_up": 1, "scale_fn": lambda n: n / 4}, [0, 0.25, 0, 0.5, 0, 0.75]),
        (
            {"step_size_up": 1, "scale_fn": lambda n: n / 4, "scale_mode": "iterations"},
            [0, 0.25, 0, 0.75, 0, 1.25],
        ),
    ],
)
def test_a_cyclic_rate_goes_up_and_down(options: Any, expected: list[float]) -> None:
    optimizer = sgd(0.8)
    output = rates(schedulers.CyclicLR(optimizer, 0.2, 1.2, **options), 6)
    np.testing.assert_allclose(output, [0.2 + w for w in expected], rtol=1e-6)


def test_a_cosine_goes_on_from_the_rate_that_another_has_set() -> None:
    optimizer = sgd(0.1)
    both = schedulers.CosineAnnealingLR(optimizer, 4), schedulers.ExponentialLR(optimizer, 0.9)
    outputs = []
    for _ in range(6):
        for scheduler in both:
            scheduler.step()
        outputs.append(float(optimizer.param_groups[0]["lr"]))
    falls = [0.1 * (1 + np.cos(np.pi * t / 4)) / 2 * 0.9**t for t in range(1, 5)]
    rises = 0.1 * (1 - np.cos(np.pi / 4)) / 2 * 0.9
    ratio = (1 + np.cos(np.pi * 6 / 4)) / (1 + np.cos(np.pi * 5 / 4))
    np.testing.assert_allclose(outputs, [*falls, rises, rises * ratio * 0.9], rtol=1e-5, atol=1e-8)


def test_each_group_has_a_separate_learning_rate_cycle() -> None:
    scheduler = schedulers.CyclicLR(sgd(0.8, 0.4), [0.0, 1.0], [1.0, 3.0], step_size_up=2)
    scheduler.step()
    assert [float(lr) for lr in scheduler.get_last_lr()] == [0.5, 2.0]


@pytest.mark.parametrize(
    ("factor", "expected"), [(1, [8, 4, 8, 4, 8, 4]), (2, [8, 4, 8, 6.8284273, 4])]
)
def test_a_cosine_begins_anew(factor: int, expected: list[float]) -> None:
    scheduler = schedulers.CosineAnnealingWarmRestarts(sgd(8.0), 2, factor)
    np.testing.assert_allclose(rates(scheduler, len(expected)), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("epoch", "expected"), [(1, 4.0), (2, 8.0), (2.5, 7.695518), (6, 8.0), (10, 4.0)]
)
def test_a_cosine_jumps_to_an_epoch(epoch: float, expected: float) -> None:
    scheduler = schedulers.CosineAnnealingWarmRestarts(sgd(8.0), 2, 2)
    scheduler.step(epoch)
    assert float(scheduler.get_last_lr()[0]) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("options", "measures", "expected"),
    [
        ({"patience": 0}, [3, 2, 2, 2], [8, 8, 8, 4]),
        ({"patience": 1}, [3, 3, 3, 3, 3], [8, 8, 8, 4, 4]),
        ({"patience": 0, "mode": "max"}, [1, 2, 2, 3], [8, 8, 8, 4]),
        ({"patience": 0, "cooldown": 1}, [1, 1, 1, 1], [8, 8, 4, 4]),
        ({"patience": 0, "min_lr": 3}, [1, 1, 1, 1], [8, 8, 4, 3]),
        ({"patience": 0, "threshold": 0.5}, [4, 3, 1.9, 1], [8, 8, 4, 4]),
        ({"patience": 0, "threshold": 1, "threshold_mode": "abs"}, [4, 3, 2.9, 1], [8, 8, 4, 4]),
        ({"patience": 0, "eps": 5}, [1, 1, 1], [8, 8, 8]),
    ],
)
def test_a_rate_falls_where_no_measure_becomes_better(
    options: Any, measures: list[float], expected: list[float]
) -> None:
    scheduler = schedulers.ReduceLROnPlateau(sgd(8.0), factor=0.5, **options)
    assert rates(scheduler, len(expected), measures) == expected


def test_a_measure_may_be_a_tensor_and_each_group_has_its_least_rate() -> None:
    scheduler = schedulers.ReduceLROnPlateau(sgd(8.0, 4.0), factor=0.5, patience=0, min_lr=[6, 1])
    scheduler.step(Tensor(1.0))
    scheduler.step(Tensor([1.0]))
    assert [float(lr) for lr in scheduler.get_last_lr()] == [6.0, 2.0]
    assert not scheduler.in_cooldown()


def test_a_plateau_waits_in_the_cooldown() -> None:
    scheduler = schedulers.ReduceLROnPlateau(sgd(8.0), factor=0.5, patience=0, cooldown=1)
    waits = []
    for _ in range(3):
        scheduler.step(1.0)
        waits.append((scheduler.in_cooldown(), scheduler.wait))
    assert waits == [(False, 0), (True, 0), (False, 0)]


def test_a_measure_that_is_no_number_is_not_better() -> None:
    scheduler = schedulers.ReduceLROnPlateau(sgd(8.0), factor=0.5, patience=0)
    assert rates(scheduler, 4, [float("nan")] * 4) == [8.0, 4.0, 2.0, 1.0]


def test_a_cosine_goes_on_where_its_epochs_were() -> None:
    optimizer = sgd(8.0)
    optimizer.param_groups[0]["initial_lr"] = Tensor(8.0)
    scheduler = schedulers.CosineAnnealingWarmRestarts(optimizer, 2, 2, last_epoch=5)
    np.testing.assert_allclose(rates(scheduler, 5), [8.0, 7.695518, 6.828427, 5.530734, 4.0])


def test_a_cycle_leaves_the_first_rate_to_others() -> None:
    optimizer = sgd(0.5)
    parts = [
        schedulers.ConstantLR(optimizer, factor=0.5, total_iters=9),
        schedulers.CyclicLR(optimizer, Tensor(2.0), 4.0, step_size_up=1),
    ]
    scheduler = schedulers.SequentialLR(optimizer, parts, milestones=[2])
    assert rates(scheduler, 4) == [0.25, 0.25, 2.0, 4.0]


@pytest.mark.parametrize("mode", [context.GRAPH_MODE, context.PYNATIVE_MODE])
def test_schedulers_follow_one_another(mode: int) -> None:
    context.set_context(mode=mode)
    optimizer = sgd(8.0)
    parts = [
        schedulers.ConstantLR(optimizer, factor=0.5, total_iters=9),
        schedulers.ExponentialLR(optimizer, gamma=0.5),
        schedulers.StepLR(optimizer, 1, gamma=0.25),
    ]
    scheduler = schedulers.SequentialLR(optimizer, parts, milestones=[2, 4])
    assert rates(scheduler, 6) == [4.0, 4.0, 8.0, 4.0, 8.0, 2.0]


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda o: schedulers.ReduceLROnPlateau(3), TypeError, "optimizer must be"),
        (lambda o: schedulers.ReduceLROnPlateau(o, "mid"), ValueError, "mode must be"),
        (lambda o: schedulers.ReduceLROnPlateau(o, factor=1.0), ValueError, "factor must be"),
        (lambda o: schedulers.ReduceLROnPlateau(o, min_lr=[1, 2]), ValueError, "min_lr must be"),
        (lambda o: schedulers.CyclicLR(3, 0.1, 0.2), TypeError, "optimizer must be"),
        (lambda o: schedulers.CyclicLR(o, 0.1, 0.2, mode="up"), ValueError, "mode must be"),
        (lambda o: schedulers.CyclicLR(o, 0.1, 0.2, 0), ValueError, "step_size_up must be"),
        (lambda o: schedulers.CyclicLR(o, 0.1, 0.2, 1, -1), ValueError, "step_size_down must be"),
        (lambda o: schedulers.CyclicLR(o, 0.1, 0.2, scale_fn=1), TypeError, "scale_fn must be"),
        (lambda o: schedulers.CyclicLR(o, 0.1, "a"), TypeError, "max_lr must be"),
        (lambda o: schedulers.ReduceLROnPlateau(o, min_lr="a"), TypeError, "min_lr must be"),
        (lambda o: schedulers.ReduceLROnPlateau(o, eps="a"), TypeError, "eps must be"),
        (lambda o: schedulers.ReduceLROnPlateau(o).step("a"), TypeError, "metrics must be"),
        (lambda o: schedulers.CosineAnnealingWarmRestarts(o, "a"), TypeError, "T_0 must be"),
        (
            lambda o: schedulers.CosineAnnealingWarmRestarts(o, 2).step("a"),
            TypeError,
            "epoch must be",
        ),
        (lambda o: schedulers.CyclicLR(o, [0.1, 0.2], 0.2), ValueError, "base_lr must be 1"),
        (lambda o: schedulers.CosineAnnealingWarmRestarts(o, 0), ValueError, "T_0 must be"),
        (lambda o: schedulers.CosineAnnealingWarmRestarts(o, 1.5), ValueError, "T_0 must be"),
        (
            lambda o: schedulers.CosineAnnealingWarmRestarts(o, 2).step(-1),
            ValueError,
            "epoch must be",
        ),
        (
            lambda o: schedulers.SequentialLR(o, [schedulers.StepLR(o, 2)], [1]),
            ValueError,
            "milestones must be 0",
        ),
        (
            lambda o: schedulers.SequentialLR(o, [schedulers.StepLR(sgd(1.0), 2)], []),
            ValueError,
            "the same optimizer",
        ),
    ],
)
def test_bad_arguments_raise(make: Callable[[Any], Any], error: type, match: str) -> None:
    with pytest.raises(error, match=match):
        make(sgd(0.8))
