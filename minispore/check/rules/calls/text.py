"""Text has no methods and no length."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import Found, Rule
from minispore.check.source import Source, called

KEPT = ("format", "lower", "upper")


def _find(function: Source) -> Iterator[Found]:
    for call in function.walk(ast.Call):
        if isinstance(call.func, ast.Attribute):
            if (
                function.kind(call.func.value) == "str" and call.func.attr not in KEPT
            ) or function.kind(call.func.value) == "float":
                yield call
        elif (called(call) == "len" and call.args and function.kind(call.args[0]) == "str") or (
            called(call) == "len" and call.args and called(call.args[0]) == "extend_repr"
        ):
            yield call
    for loop in function.walk(ast.For):
        if function.kind(loop.iter) == "str":
            yield loop.iter


RULE = Rule(
    name="text",
    says="Under STRICT the length of a str, a loop over one, and its methods but lower, upper and "
    "format are refused.",
    bad="""if self.kind.startswith("b"):
    return x * 2
return x""",
    good="""if self.kind == "b":
    return x * 2
return x""",
    around=construct('self.kind = "b"'),
    find=_find,
)
