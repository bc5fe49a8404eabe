"""What updates scale by is made once for all Parameters that have the same rates, and again when
these have changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minispore.ops.optim import updates
from minispore.ops.optim.adam import Adam
from minispore.ops.optim.momentum import ApplyMomentum

F = np.float32


def bound(op: Any, *args: Any) -> tuple[list[Callable[[], Any]], tuple[np.ndarray, ...]]:
    """The calls of an update, and what it writes."""
    out = tuple([np.empty_like(args[i]) for i in op.mutates])
    work = [np.empty(4, F)] * 2
    return op.calls(*args, out=out, work=work), out


def run(calls: list[Callable[[], Any]]) -> None:
    for call in calls:
        call()


def four(value: float, dtype: Any = F) -> np.ndarray:
    return np.full(4, value, dtype)


@pytest.mark.parametrize("rate", [0.5, 0.0, -0.0, np.nan, np.inf])
def test_a_rate_that_changes_is_seen(rate: float) -> None:
    lr = np.array(1, F)
    calls, (var, _) = bound(ApplyMomentum(), four(-0.0), four(0), lr, four(0.25), F(0.5))
    for now in (1, rate, -rate, rate):
        lr[...] = now
        run(calls)
        with np.errstate(invalid="ignore"):
            expected = four(-0.0) - F(now) * four(0.25)
        assert var.tobytes() == expected.tobytes() or np.isnan(rate)
        np.testing.assert_array_equal(var, expected)


def test_updates_with_other_rates_attributes_or_precisions_do_not_meet() -> None:
    one, two = np.array(1, F), np.array(2, F)
    plain, nesterov = ApplyMomentum(), ApplyMomentum(use_nesterov=True)
    cases = [
        (bound(op, four(0, kind), four(1, kind), lr, four(1, kind), 0.5), lr, op, kind)
        for op in (plain, nesterov)
        for lr in (one, two)
        for kind in (F, np.float64)
    ]
    for by in (1, 3, 1):
        one[...], two[...] = by, 2 * by
        for (calls, (var, moment)), lr, op, kind in cases:
            run(calls)
            ahead = 1 + 0.5 * 1.5 if op is nesterov else 1.5
            np.testing.assert_array_equal(moment, four(1.5, kind))
            np.testing.assert_array_equal(var, four(-lr * ahead, kind))
            assert var.dtype == kind


def test_all_parameters_of_an_optimizer_have_their_numbers_from_one_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts = []
    compute = Adam.compute_coefficients
    monkeypatch.setattr(Adam, "compute_coefficients", lambda *a: counts.append(1) or compute(*a))
    updates._get_coefficient_cache.cache_clear()
    powers, lr = [np.array(0.9, F), np.array(0.99, F)], np.array(0.1, F)
    rates = *powers, lr, F(0.9), F(0.99), F(1e-8)
    results = [bound(Adam(), four(i), four(0), four(0), *rates, four(1)) for i in range(3)]
    for step in (1, 2):
        for calls, _ in results:
            run(calls)
        assert len(counts) == step
        for power, beta in zip(powers, (0.9, 0.99), strict=True):
            power *= F(beta)
    updates._get_coefficient_cache.cache_clear()
