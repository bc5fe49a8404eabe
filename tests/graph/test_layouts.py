"""However what a program reads lies in memory, its sums and products have the same bits in both
modes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import minispore as ms
from minispore import Tensor, ops


def turned(x: Tensor) -> Tensor:
    return ops.transpose(x, tuple(range(x.ndim))[::-1])


# Each takes a tensor of two axes and gives another. A graph leaves out the first ones.
STEPS = {
    "times one": lambda x: x * 1,
    "one times": lambda x: 1.0 * x,
    "over one": lambda x: x / 1,
    "power": lambda x: x**1,
    "minus": lambda x: ops.neg(ops.neg(x)),
    "ones": lambda x: ops.ones_like(x) * x,
    "times ones": lambda x: x * ops.ones_like(x),
    "flat": lambda x: x.reshape(-1).reshape(x.shape),
    "turned": turned,
    "ones turned": lambda x: turned(ops.ones_like(x)) * 0.3,
    "and zeros": lambda x: x + ops.zeros_like(x),
    "every other": lambda x: x[:, ::2],
    "backwards": lambda x: x[:, ::-1],
    "repeated": lambda x: ops.broadcast_to(x[:1], x.shape),
    "summed": lambda x: ops.broadcast_to(x.sum(0), x.shape),
    "normed": lambda x: x * ops.norm(x, dim=-1, keepdim=True),
}
GIVEN = {
    "rows": lambda x: x,
    "columns": turned,
    "one row": lambda x: ops.broadcast_to(x[:1], x.shape),
    "one column": lambda x: ops.broadcast_to(x[:, :1], x.shape),
    "backwards": lambda x: x[:, ::-1],
}
programs = st.lists(st.sampled_from([*STEPS]), min_size=1, max_size=6)
lengths = st.sampled_from([1, 2, 3, 5, 8, 12, 33])


def numbers(seed: int, *shape: int) -> Tensor:
    return Tensor(np.random.default_rng(seed).normal(0, 1, shape).astype(np.float32))


def bits(values: Any) -> list[bytes]:
    return [v.asnumpy().tobytes() for v in values]


@settings(deadline=None)
@given(steps=programs, given=st.sampled_from([*GIVEN]), shape=st.tuples(lengths, lengths))
@example(["repeated", "times one"], "rows", (33, 12))
@example(["summed", "over one"], "rows", (1, 33))
@example(["flat", "normed"], "columns", (12, 8))
@example(["ones", "normed"], "columns", (12, 33))
@example(["ones turned"], "rows", (33, 12))
@example(["normed"], "one row", (33, 3))
@example(["times one"], "one row", (5, 2))
@example(["minus"], "one column", (2, 12))
def test_sums_and_products_add_in_the_same_order_in_both_modes(steps, given, shape) -> None:
    halved = [-(-n // 2**k) for n in shape for k in range(7)]
    weights = {n: numbers(n, n, 5) for n in halved}

    def program(x: Tensor) -> tuple[Tensor, ...]:
        for step in steps:
            x = STEPS[step](x)
        return ops.matmul(x, weights[x.shape[1]]), ops.matmul(turned(x), x), x.sum(), x.sum(0)

    def loss(x: Tensor) -> Tensor:
        a, b, c, d = program(x)
        return (a * a).sum() + b.sum() + c + (d * d).sum()

    x = GIVEN[given](numbers(0, *shape))
    assert bits(ms.jit(program)(x)) == bits(program(x))
    assert bits([ms.jit(ms.grad(loss))(x)]) == bits([ms.grad(loss)(x)])


@pytest.mark.parametrize("rows", [2, 33])
def test_a_repeated_input_is_summed_as_one(rows: int) -> None:
    x = ops.broadcast_to(numbers(1, 1, 2, 3), (rows, 2, 3))

    def total(x: Tensor) -> Tensor:
        return x.sum(0)

    assert bits([ms.jit(total)(x)]) == bits([total(x)])
