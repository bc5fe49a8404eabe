"""Report attributes of a plain object that are read after a write, which STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import Rule, RuleMatch
from minispore.check.rules.state.other_attribute import find_foreign_attribute_writes
from minispore.check.source import TracedFunction


def _find_object_attribute_read_back(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find writes to an attribute of a plain object that the function reads on a later line.

    Under STRICT a graph can't read an attribute of a plain object that it has written: MindSpore
    refuses it.
    """
    for node, kind in find_foreign_attribute_writes(function):
        is_read = any(
            n.attr == node.attr and isinstance(n.ctx, ast.Load) and n.lineno > node.lineno
            for n in function.walk(ast.Attribute)
        )
        if kind == "object" and is_read:
            yield node


RULE = Rule(
    name="object-attribute",
    says="Under STRICT reading an attribute of a plain object after writing it is refused.",
    bad="""self.box.n = 3
return x * self.box.n""",
    good="""n = 3
return x * n""",
    around=make_construct_template("self.box = types.SimpleNamespace(n=1)", head="import types"),
    find=_find_object_attribute_read_back,
)
