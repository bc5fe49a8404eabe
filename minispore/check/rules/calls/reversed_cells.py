"""Report ``reversed`` of Cells, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import UNKNOWN, TracedFunction, classify_object


def _find_reversed_cells(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of ``reversed`` on a CellList or on a list or tuple of Cells.

    In a graph ``reversed`` does not support Cells: MindSpore refuses the call in LAX and STRICT,
    while the slice ``[::-1]`` compiles.
    """
    for call in function.find_calls("reversed"):
        sequence = function.resolve_value(call.args[0]) if call.args else UNKNOWN
        is_builtin_call = isinstance(call.func, ast.Name)
        is_iterable = isinstance(sequence, list | tuple) or classify_object(sequence) == "cell"
        items = sequence if is_builtin_call and is_iterable else ()
        if any(classify_object(item) == "cell" for item in items):
            yield call


RULE = Rule(
    name="reversed-cells",
    says="reversed is refused for a CellList or another list of Cells. Use the slice [::-1].",
    bad="""for cell in reversed(self.acts):
    x = cell(x)
return x""",
    good="""for cell in self.acts[::-1]:
    x = cell(x)
return x""",
    lax=REFUSED,
    around=make_construct_template("self.acts = nn.CellList([nn.ReLU(), nn.Tanh()])"),
    find=_find_reversed_cells,
)
