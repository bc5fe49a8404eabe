"""The class of a Cell can't be compared."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source, called


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.Compare):
        sides = (node.left, *node.comparators)
        of_cell = any(hasattr(function.value(side), "_graph_key_") for side in sides)
        if of_cell and any(called(side) == "type" for side in sides):
            yield node


RULE = Rule(
    name="type-of-cell",
    says="type(cell) == Kind, and is, are refused for a class of Cells.",
    bad="""if type(self.act) is nn.ReLU:
    return x
return self.act(x)""",
    good="""if isinstance(self.act, nn.ReLU):
    return x
return self.act(x)""",
    lax=REFUSED,
    around=construct("self.act = nn.ReLU()"),
    find=_find,
)
