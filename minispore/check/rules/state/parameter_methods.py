"""Report ``set_data``, ``name`` and similar attributes of a Parameter, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction

REFUSED_ATTRIBUTES = {
    "set_data", "assign_value", "name", "requires_grad", "register_hook", "set_dtype",
}  # fmt: skip


def _find_parameter_method(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``set_data``, ``name``, ``requires_grad`` and similar attributes of a Parameter.

    They belong to the Python object; a graph has only the Parameter's value, so MindSpore refuses
    them in LAX and STRICT.
    """
    for node in function.walk(ast.Attribute):
        if node.attr in REFUSED_ATTRIBUTES and function.infer_kind(node.value) == "parameter":
            yield node


RULE = Rule(
    name="parameter-method",
    says="set_data, assign_value, name, requires_grad and hooks of a Parameter are refused. To "
    "set its value, assign to the attribute.",
    bad="""self.w.set_data(x)
return x""",
    good="""self.w = x
return x""",
    lax=REFUSED,
    around=make_construct_template('self.w = ms.Parameter(Tensor([1.0, 1.0]), name="w")'),
    find=_find_parameter_method,
)
