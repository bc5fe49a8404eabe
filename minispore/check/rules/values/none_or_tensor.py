"""Report names that are None unless a condition on a tensor holds, which STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.dataflow.liveness import Liveness
from minispore.check.rule import Rule
from minispore.check.rules.values.branch_types import find_returns
from minispore.check.source import TracedFunction


def _find_names_that_one_side_unsets(function: TracedFunction, test: ast.If) -> Iterator[str]:
    """Yield the names to which one side assigns None and the other a tensor, and read later."""
    sides: list[dict[str, str]] = [{}, {}]
    for kinds, body in zip(sides, (test.body, test.orelse), strict=True):
        for statement in body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                kinds[statement.targets[0].id] = function.infer_kind(statement.value)
    for name in sorted(sides[0].keys() & sides[1].keys()):
        is_read = Liveness(function).is_read_after(name, test)
        if is_read and {sides[0][name], sides[1][name]} == {"none", "tensor"}:
            yield name


def _returns_none(statement: ast.Return) -> bool:
    return isinstance(statement.value, ast.Constant) and statement.value.value is None


def find_none_or_tensor(function: TracedFunction) -> Iterator[tuple[ast.If, str]]:
    """Find names, and results, that are None unless one side of a condition on a tensor sets them.

    MindSpore compiles both sides and can't join None with a tensor, so it refuses the name under
    STRICT.
    """
    for test in function.walk(ast.If):
        if function.infer_kind(test.test) != "tensor":
            continue
        if sum(_returns_none(side) for side in find_returns(function, test)) == 1:
            yield test, "what is returned"
        for name in _find_names_that_one_side_unsets(function, test):
            yield test, name
        if test.orelse:
            continue
        last_statement = test.body[-1]
        is_last = isinstance(function.node, ast.FunctionDef) and test is function.node.body[-1]
        if is_last and isinstance(last_statement, ast.Return) and last_statement.value is not None:
            yield test, "what is returned"
        for statement in test.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name = statement.targets[0].id
                for store in function.stores[name]:
                    value = getattr(function.parents.get(store), "value", None)
                    is_none = isinstance(value, ast.Constant) and value.value is None
                    if is_none and store.lineno < test.lineno:
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
    find=find_none_or_tensor,
)
