"""Report Cells in a plain container whose Parameters have the same names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_duplicate_parameter_names(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find lists, tuples and dicts of Cells whose Parameters share a name.

    MindSpore identifies the Parameters of a graph by name and refuses duplicates in LAX and STRICT;
    a CellList or CellDict gives them different names.
    """
    for node in function.walk(ast.Attribute):
        container = function.resolve_value(node)
        if not isinstance(container, list | tuple | dict) or not isinstance(node.ctx, ast.Load):
            continue
        items = container.values() if isinstance(container, dict) else container
        cells = [c for c in items if hasattr(type(c), "_graph_key_")]
        names = [p.name for c in cells for p in c.get_parameters()]
        if len(set(names)) < len(names):
            yield node


RULE = Rule(
    name="same-name",
    says="Two Cells in a plain list, tuple or dict have Parameters with the same name, which is "
    "refused. A CellList or CellDict gives them different names.",
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
    find=_find_duplicate_parameter_names,
)
