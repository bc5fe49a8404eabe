"""Report comparisons of a Cell's type, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction, get_called_name


def _find_cell_type_comparison(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find comparisons of ``type(...)`` with a class of Cells.

    MindSpore refuses them in LAX and STRICT, while ``isinstance`` compiles.
    """
    for node in function.walk(ast.Compare):
        sides = (node.left, *node.comparators)
        is_about_cell = any(hasattr(function.resolve_value(side), "_graph_key_") for side in sides)
        if is_about_cell and any(get_called_name(side) == "type" for side in sides):
            yield node


RULE = Rule(
    name="type-of-cell",
    says="Comparing type(cell) with a class of Cells, by == or is, is refused. Use isinstance.",
    bad="""if type(self.act) is nn.ReLU:
    return x
return self.act(x)""",
    good="""if isinstance(self.act, nn.ReLU):
    return x
return self.act(x)""",
    lax=REFUSED,
    around=make_construct_template("self.act = nn.ReLU()"),
    find=_find_cell_type_comparison,
)
