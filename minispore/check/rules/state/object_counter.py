"""Report attributes of a plain object that count: they change only once, at the trace."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.rules.state.other_attribute import find_foreign_attribute_writes
from minispore.check.source import TracedFunction


def _find_object_counter(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find attributes of a plain object that are computed from their own value.

    The write happens once, while the graph is traced, so the calls are not counted in LAX and
    STRICT.
    """
    for node, kind in find_foreign_attribute_writes(function):
        statement = function.parents.get(node)
        is_counter = isinstance(statement, ast.AugAssign) or any(
            isinstance(n, ast.Attribute) and n.attr == node.attr
            for n in ast.walk(getattr(statement, "value", None) or node.ctx)
        )
        if kind == "object" and is_counter:
            yield node


RULE = Rule(
    name="object-counter",
    says="An attribute of a plain object that is computed from its old value changes only once, "
    "when the graph is compiled.",
    bad="""self.box.n = self.box.n + 1
return x * self.box.n""",
    good="""self.n = self.n + 1  # a Parameter made in __init__
return x * self.n""",
    lax=OTHER,
    strict=OTHER,
    around=make_construct_template(
        'self.box = types.SimpleNamespace(n=1)\nself.n = ms.Parameter(Tensor(1), name="n")',
        head="import types",
    ),
    find=_find_object_counter,
)
