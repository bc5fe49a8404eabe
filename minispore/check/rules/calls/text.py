"""Report str methods, lengths and loops that STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import Rule, RuleMatch
from minispore.check.source import TracedFunction, get_called_name

SUPPORTED_METHODS = ("format", "lower", "upper")


def _find_text_operation(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find methods of str and float objects, the length of a str, and loops over a str.

    Under STRICT MindSpore supports ``lower``, ``upper`` and ``format`` of a str, and refuses the
    others.
    """
    for call in function.walk(ast.Call):
        if isinstance(call.func, ast.Attribute):
            kind = function.infer_kind(call.func.value)
            is_supported = kind == "str" and call.func.attr in SUPPORTED_METHODS
            if kind in ("str", "float") and not is_supported:
                yield call
        elif get_called_name(call) == "len" and call.args:
            is_text = function.infer_kind(call.args[0]) in ("str", "bytes")
            if is_text or get_called_name(call.args[0]) == "extend_repr":
                yield call
    for loop in function.walk(ast.For):
        if function.infer_kind(loop.iter) == "str":
            yield loop.iter


RULE = Rule(
    name="text",
    says="Under STRICT len of a str, loops over a str, and its methods except lower, upper and "
    "format are refused. So are methods of a float.",
    bad="""if self.kind.startswith("b"):
    return x * 2
return x""",
    good="""if self.kind == "b":
    return x * 2
return x""",
    around=make_construct_template('self.kind = "b"'),
    find=_find_text_operation,
)
