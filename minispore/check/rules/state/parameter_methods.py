"""A Parameter has no set_data, name or requires_grad in a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source

NAMES = {"set_data", "assign_value", "name", "requires_grad", "register_hook", "set_dtype"}


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.Attribute):
        if node.attr in NAMES and function.kind(node.value) == "parameter":
            yield node


RULE = Rule(
    name="parameter-method",
    says="set_data, assign_value, name, requires_grad and hooks of a Parameter are refused.",
    bad="""self.w.set_data(x)
return x""",
    good="""self.w = x
return x""",
    lax=REFUSED,
    around=construct('self.w = ms.Parameter(Tensor([1.0, 1.0]), name="w")'),
    find=_find,
)
