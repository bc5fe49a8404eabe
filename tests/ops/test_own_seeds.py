"""Draws with a seed of their own, as MindSpore 2.10 repeats them: that seed alone decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops

LOGITS = Tensor(np.log(np.array([[0.1, 0.2, 0.3, 0.4]], np.float32)))
LABELS = Tensor(np.array([[1, 3]], np.int64))
DRAWS: dict[str, Callable[[int], Any]] = {
    "random_categorical": lambda seed: ops.random_categorical(LOGITS, 20, seed=seed),
    "uniform_candidate_sampler": lambda seed: ops.uniform_candidate_sampler(
        LABELS, 2, 20, False, 1000, seed=seed
    )[0],
    "log_uniform_candidate_sampler": lambda seed: ops.log_uniform_candidate_sampler(
        LABELS, 2, 20, False, 1000, seed=seed
    )[0],
}


def drawn(name: str, seed: int) -> list[Any]:
    return list(DRAWS[name](seed).asnumpy().ravel())


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_each_call_with_a_seed_of_its_own_draws_the_same_whatever_set_seed_says(name: str) -> None:
    ms.set_seed(1)
    first, again = drawn(name, 3), drawn(name, 3)
    ms.set_seed(2)
    assert first == again == drawn(name, 3) != drawn(name, 4)


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_a_call_without_a_seed_goes_on_in_the_stream_that_set_seed_begins(name: str) -> None:
    ms.set_seed(1)
    first, second = drawn(name, 0), drawn(name, 0)
    ms.set_seed(1)
    assert first == drawn(name, 0) != second


def test_a_primitive_with_a_seed_goes_on_where_the_function_begins_anew() -> None:
    op = ops.RandomCategorical(ms.int64)
    assert op(LOGITS, 20, 3).asnumpy().tolist() != op(LOGITS, 20, 3).asnumpy().tolist()
