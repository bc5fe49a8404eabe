"""Seeds: what repeats, and what they reach."""

from __future__ import annotations

import random as python_random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.execution import random

LOGITS = Tensor(np.zeros((2, 8), np.float32))
CLASSES = Tensor([[1], [3]])


def test_set_seed_seeds_numpy_and_python_too() -> None:
    ms.set_seed(1234)
    samples = python_random.random(), np.random.rand()  # noqa: NPY002  # what scripts draw from
    assert samples == (0.9664535356921388, 0.1915194503788923)
    ms.set_seed(6)
    ms.set_seed(1234)
    assert (python_random.random(), np.random.rand()) == samples  # noqa: NPY002


def content(actual: Any) -> Any:
    return [t.asnumpy().tolist() for t in (actual if isinstance(actual, tuple) else (actual,))]


@pytest.mark.parametrize(
    "draw",
    [
        lambda: ops.random_categorical(LOGITS, 20, seed=3),
        lambda: ops.randperm(20, seed=4),
        lambda: ops.uniform_candidate_sampler(CLASSES, 1, 9, True, 20, seed=1),
        lambda: ops.log_uniform_candidate_sampler(CLASSES, 1, 9, True, 20, seed=1),
        lambda: ops.multinomial_with_replacement(ops.softmax(LOGITS), 3, 4, 20, True),
    ],
)
@pytest.mark.parametrize("graph", [False, True])
def test_a_function_with_a_seed_draws_the_same_each_time(
    draw: Callable[[], Any], graph: bool
) -> None:
    call = ms.jit(draw) if graph else draw
    assert content(call()) == content(call()) == content(draw())


def test_a_reused_op_with_a_seed_draws_new_numbers() -> None:
    op = ops.UniformCandidateSampler(1, 9, True, 20, 1)
    assert content(op(CLASSES)) != content(op(CLASSES))


def test_get_state_tolerates_a_stream_that_ends_during_the_call() -> None:
    class Last:
        """At its turn another stream is let go, as the garbage collector may do."""

        @property
        def bit_generator(self) -> Any:
            random.set_stream(-2, None)
            return np.random.PCG64(1)

    random.set_stream(-1, Last())  # type: ignore[arg-type]
    random.set_stream(-2, np.random.Generator(np.random.PCG64(2)))
    try:
        assert -1 in random.get_state()[3]
    finally:
        random.set_stream(-1, None)
        random.set_stream(-2, None)
