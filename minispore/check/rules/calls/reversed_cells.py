"""Cells can't be gone over backwards by reversed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import UNKNOWN, Source, kind_of


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls("reversed"):
        held = function.value(call.args[0]) if call.args else UNKNOWN
        parts = held if isinstance(held, list | tuple) or kind_of(held) == "cell" else ()
        if isinstance(call.func, ast.Name) and any(kind_of(part) == "cell" for part in parts):
            yield call


RULE = Rule(
    name="reversed-cells",
    says="reversed of a CellList or of another list of Cells is refused.",
    bad="""for cell in reversed(self.acts):
    x = cell(x)
return x""",
    good="""for cell in self.acts[::-1]:
    x = cell(x)
return x""",
    lax=REFUSED,
    around=construct("self.acts = nn.CellList([nn.ReLU(), nn.Tanh()])"),
    find=_find,
)
