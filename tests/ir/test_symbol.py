"""Symbol: what is known of an open length."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Symbol, Tensor, nn


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_declared_length_may_be_a_symbol(mode: int) -> None:
    ms.set_context(mode=mode)
    net = nn.Dense(3, 1, weight_init=1.0)
    net.set_inputs(Tensor(shape=[Symbol(divisor=8), 3], dtype=ms.float32))
    for rows in (8, 16):
        assert net(Tensor(np.ones((rows, 3), np.float32))).shape == (rows, 1)


@pytest.mark.parametrize(
    ("expected", "message"),
    [({"min": 0}, "min"), ({"divisor": 0}, "divisor"), ({"divisor": 4, "remainder": 4}, "remain")],
)
def test_a_symbol_that_no_length_can_be_is_refused(expected: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Symbol(**expected)


def test_a_symbol_shows_what_it_knows() -> None:
    assert repr(Symbol(max=32)) == "Symbol(max=32, min=1, divisor=1, remainder=0, unique=False)"


def test_lazy_inline_leaves_a_cell_as_it_is() -> None:
    class Block(nn.Cell):
        @ms.lazy_inline(policy="front")
        def __init__(self, by: float) -> None:
            super().__init__()
            self.by = by

        def construct(self, x: Tensor) -> Tensor:
            return x * self.by

    assert Block(2.0)(Tensor([1.0])).asnumpy().tolist() == [2.0]
    with pytest.raises(ValueError, match="policy"):
        ms.lazy_inline(policy="back")
