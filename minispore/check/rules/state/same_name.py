"""Cells with weights in a plain list have the same names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.Attribute):
        held = function.value(node)
        if not isinstance(held, list | tuple | dict) or not isinstance(node.ctx, ast.Load):
            continue
        parts = held.values() if isinstance(held, dict) else held
        cells = [c for c in parts if hasattr(type(c), "_graph_key_")]
        names = [p.name for c in cells for p in c.get_parameters()]
        if len(set(names)) < len(names):
            yield node


RULE = Rule(
    name="same-name",
    says="Two Cells in a list, tuple or dict have Parameters of the same name, which is refused: a "
    "CellList or CellDict names them.",
    bad="self.layers = [nn.Dense(2, 2), nn.Dense(2, 2)]",
    good="self.layers = nn.CellList([nn.Dense(2, 2), nn.Dense(2, 2)])",
    lax=REFUSED,
    around="""class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        LINES

    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


Net()(Tensor([[1.0, 2.0]]))
""",
    find=_find,
)
