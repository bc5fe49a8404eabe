"""A program binds its calls once: what they read later is what lies there then, not at the time of
binding, however it lies.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minispore import Tensor, ops
from minispore.execution import random
from minispore.ir import runtime
from tests.ops.samples import Sample
from tests.ops.test_contract import ALL, outputs_of, same, tensors


def turned(s: Sample) -> list[int]:
    """The inputs that can come the other way round."""
    return [i for i, a in enumerate(s.args) if isinstance(a, np.ndarray) and a.ndim > 1]


@pytest.mark.parametrize("s", [s for s in ALL if not s.op.dynamic and turned(s)], ids=str)
def test_a_graph_computes_of_transposed_inputs_what_pynative_computes_at_each_call(
    s: Sample,
) -> None:
    at = turned(s)

    def f(*xs: Tensor) -> Any:
        args = tensors(s.args)
        for i, x in zip(at, xs, strict=True):
            args[i] = ops.transpose(x, tuple(reversed(range(x.ndim))))
        return s.op(*args)

    def make_inputs() -> tuple[Tensor, ...]:
        """New ones for each call: what an op writes into a view is seen in its base."""
        return tuple(Tensor(s.args[i].T.copy()) for i in at)

    before = tuple(x * 0.5 if x.is_floating_point() else x for x in make_inputs())
    state = random.get_state()
    runtime.compiler.call(f, before, {})
    random.set_state(state)
    by_graph = outputs_of(runtime.compiler.call(f, make_inputs(), {}))
    random.set_state(state)
    by_op = outputs_of(f(*make_inputs()))
    for a, b in zip(by_op, by_graph, strict=True):
        assert a.dtype == b.dtype and same(a, b), f"{s.op}: PYNATIVE {a}, GRAPH {b}"
