"""The search for a plan proposes what fits, and nothing faster is left out."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from minispore import Model, nn
from minispore.device import Shapes, cheapest_plan, device_spec, parallel_plan
from minispore.nn.utils import no_init_parameters

SPEC = device_spec("Ascend910")


def model(width: int = 1024, layers: int = 4) -> Model:
    with no_init_parameters():
        cells = [c for _ in range(layers) for c in (nn.Dense(width, width), nn.ReLU())]
        net = nn.SequentialCell(cells)
    return Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))


def batch(rows: int, width: int = 1024) -> Shapes:
    return Shapes([((rows, width), np.float32)] * 2)


@pytest.mark.parametrize("ranks", [1, 6, 8])
def test_every_proposed_plan_is_the_parallel_plan_of_its_numbers(ranks: int) -> None:
    for plan in cheapest_plan(model(), batch(48), device=SPEC, ranks=ranks).plans:
        options = {"data": plan.data, "tensor": plan.tensor, "stages": len(plan.stages)}
        options |= {"micro_batches": plan.micro_batches, "zero": plan.zero}
        same = parallel_plan(
            model(), batch(48 // plan.data), device=SPEC, recompute=plan.recompute, **options
        )
        assert (same.step_us, same.peak, same.rows) == (plan.step_us, plan.peak, 48)
        assert plan.ranks <= ranks


def test_plans_come_the_fastest_first_and_fit() -> None:
    search = cheapest_plan(model(), batch(64), device=SPEC, ranks=8, memory=64 << 20)
    assert [p.step_us for p in search.plans] == sorted(p.step_us for p in search.plans)
    assert max(p.peak for p in search.plans) <= 64 << 20


def test_ranks_that_divide_no_weight_are_not_proposed() -> None:
    search = cheapest_plan(model(100), batch(32, 100), device=SPEC, ranks=8)
    assert {p.tensor for p in search.plans} == {1, 2, 4}


@pytest.mark.parametrize("memory", [None, 40 << 20])
def test_no_plan_is_faster_than_the_best(memory: int | None) -> None:
    search = cheapest_plan(model(), batch(8), device=SPEC, ranks=4, memory=memory)
    counts = [n for n in itertools.product((1, 2, 4), repeat=3) if math.prod(n) <= 4]
    plans = [
        parallel_plan(
            model(), batch(8 // data), device=SPEC, data=data, tensor=tensor, stages=stages,
            micro_batches=micro_batches, zero=zero, recompute=recompute,
        )
        for data, tensor, stages in counts
        for micro_batches in (1, 2, 4, 8)
        if 8 // data % micro_batches == 0
        for zero in ((0, 1, 2, 3) if data > 1 else (0,))
        for recompute in (False, True)
    ]  # fmt: skip
    assert search.best.step_us == min(p.step_us for p in plans if p.peak <= search.memory)


def test_memory_that_no_plan_fits_names_the_least() -> None:
    with pytest.raises(ValueError, match="memory must be at least"):
        cheapest_plan(model(), batch(8), device=SPEC, ranks=2, memory=1 << 20)
