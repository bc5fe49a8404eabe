"""A name that is None or a tensor can't leave a condition on a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for test in function.walk(ast.If):
        if function.kind(test.test) != "tensor" or test.orelse:
            continue
        ends = test.body[-1]
        last = isinstance(function.node, ast.FunctionDef) and test is function.node.body[-1]
        if last and isinstance(ends, ast.Return) and ends.value is not None:
            yield test, "what is returned"
        for statement in test.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name = statement.targets[0].id
                for store in function.stores[name]:
                    value = getattr(function.parents.get(store), "value", None)
                    none = isinstance(value, ast.Constant) and value.value is None
                    if none and store.lineno < test.lineno:
                        yield test, name


RULE = Rule(
    name="none-or-tensor",
    says="Under STRICT a name that was None before and is a tensor after one side of a condition "
    "on a tensor is refused.",
    bad="""y = None
if x.sum() > 0:
    y = x
return y""",
    good="""y = x * 0
if x.sum() > 0:
    y = x
return y""",
    find=_find,
)
