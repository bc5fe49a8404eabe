"""Learning rates that change: schedules of the step, lists of one number per step."""

from __future__ import annotations

import math

import pytest

from minispore import Tensor, context, float32, int32, nn, ops


def rates(schedule: nn.Cell, steps: int) -> list[float]:
    return [round(schedule(Tensor(i, int32)).item(), 6) for i in range(steps)]


def test_an_exponential_decay_shrinks_by_the_same_factor():
    assert rates(nn.ExponentialDecayLR(0.8, 0.5, 1), 4) == [0.8, 0.4, 0.2, 0.1]
    stairs = nn.ExponentialDecayLR(0.8, 0.5, 2, is_stair=True)
    assert rates(stairs, 5) == [0.8, 0.8, 0.4, 0.4, 0.2]


def test_a_cosine_decay_goes_down_half_a_wave_and_stays():
    got = rates(nn.CosineDecayLR(0.0, 1.0, 4), 6)
    assert got == [round(0.5 * (1 + math.cos(math.pi * min(i, 4) / 4)), 6) for i in range(6)]


def test_a_polynomial_decay_ends_at_its_end():
    assert rates(nn.PolynomialDecayLR(1.0, 0.2, 4, 1.0), 6) == [1.0, 0.8, 0.6, 0.4, 0.2, 0.2]


def test_a_warm_up_rises_in_a_line():
    assert rates(nn.WarmUpLR(0.4, 4), 6) == [0.0, 0.1, 0.2, 0.3, 0.4, 0.4]


def test_a_schedule_of_a_script_drives_an_optimizer():
    class WarmThenDecay(nn.learning_rate_schedule.LearningRateSchedule):
        def __init__(self):
            super().__init__()
            self.warm = nn.WarmUpLR(1.0, 2)
            self.decay = nn.ExponentialDecayLR(1.0, 0.5, 1)

        def construct(self, step):
            warming = ops.cast(step < 2, float32)
            return warming * self.warm(step) + (1 - warming) * self.decay(step)

    assert rates(WarmThenDecay(), 4) == [0.0, 0.5, 0.25, 0.125]
    p = nn.Dense(1, 1, weight_init="zeros", has_bias=False)
    optimizer = nn.SGD(p.trainable_params(), WarmThenDecay())
    for _ in range(4):
        optimizer((Tensor([[-1.0]]),))
    assert p.weight.item() == 0.875


def test_a_schedule_is_part_of_the_graph():
    context.set_context(mode=context.GRAPH_MODE)
    assert rates(nn.WarmUpLR(0.4, 4), 3) == [0.0, 0.1, 0.2]


def test_a_schedule_needs_a_construct():
    with pytest.raises(AttributeError, match="construct"):
        nn.learning_rate_schedule.LearningRateSchedule()(Tensor(1, int32))


def test_lists_have_one_number_for_each_step():
    assert nn.piecewise_constant_lr([2, 3], [0.1, 0.05]) == [0.1, 0.1, 0.05]
    assert nn.warmup_lr(0.2, 4, 2, 2) == [0.0, 0.0, 0.1, 0.1]
    assert nn.polynomial_decay_lr(1.0, 0.5, 4, 1, 2, 1.0) == [1.0, 0.75, 0.5, 0.5]
    got = nn.cosine_decay_lr(0.0, 1.0, 4, 2, 2)
    assert got == pytest.approx([1.0, 1.0, 0.5, 0.5])


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: nn.ExponentialDecayLR(1, 0.5, 4), TypeError, "learning_rate must be a float"),
        (lambda: nn.ExponentialDecayLR(0.0, 0.5, 4), ValueError, "learning_rate must be"),
        (lambda: nn.InverseDecayLR(0.1, 0.5, 0), ValueError, "decay_steps must be"),
        (lambda: nn.NaturalExpDecayLR(0.1, 0.5, 4, 1), TypeError, "is_stair must be a bool"),
        (lambda: nn.CosineDecayLR(0.1, 0.1, 4), ValueError, "min_lr must be below max_lr"),
        (lambda: nn.PolynomialDecayLR(0.1, 0.01, 4, -1.0), ValueError, "power must be"),
        (lambda: nn.WarmUpLR(0.1, 2.5), TypeError, "warmup_steps must be"),
        (lambda: nn.piecewise_constant_lr([1], [0.1, 0.2]), ValueError, "must have the same"),
        (lambda: nn.piecewise_constant_lr([2, 1], [0.1, 0.2]), ValueError, "milestone must grow"),
        (lambda: nn.piecewise_constant_lr(2, [0.1]), TypeError, "milestone must be a list"),
        (lambda: nn.piecewise_constant_lr([2], [1]), TypeError, r"learning_rates\[0\] must be"),
        (lambda: nn.exponential_decay_lr(0.1, 0.9, 0, 1, 1), ValueError, "total_step must be"),
        (lambda: nn.cosine_decay_lr(0.1, 0.05, 4, 1, 1), ValueError, "min_lr must be"),
        (lambda: nn.warmup_lr("a", 4, 1, 1), TypeError, "learning_rate must be"),
        (lambda: nn.polynomial_decay_lr(0.1, 0.01, 4, 1, 2, 0.0), ValueError, "power must be"),
    ],
)
def test_rates_refuse(make, error, text):
    with pytest.raises(error, match=text):
        make()
