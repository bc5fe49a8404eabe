"""Report names that are None unless a condition on a tensor is true, which STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.dataflow.liveness import Liveness
from minispore.check.rule import Rule
from minispore.check.rules.values.branch_types import find_returns
from minispore.check.source import TracedFunction


def _find_names_that_one_side_unsets(
    function: TracedFunction, conditional: ast.If
) -> Iterator[str]:
    """Yield the names, read later, to which one branch of a conditional assigns None and the other
    a tensor.
    """
    then_kinds: dict[str, str] = {}
    else_kinds: dict[str, str] = {}
    for kinds, body in ((then_kinds, conditional.body), (else_kinds, conditional.orelse)):
        for statement in body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                kinds[statement.targets[0].id] = function.infer_kind(statement.value)
    for name in sorted(then_kinds.keys() & else_kinds.keys()):
        is_read = Liveness(function).is_read_after(name, conditional)
        if is_read and {then_kinds[name], else_kinds[name]} == {"none", "tensor"}:
            yield name


def _returns_none_once(function: TracedFunction, conditional: ast.If | ast.While) -> bool:
    """Whether one branch of ``conditional`` returns the constant None and the other does not."""
    values = [s.value for s in find_returns(function, conditional)]
    return sum(isinstance(v, ast.Constant) and v.value is None for v in values) == 1


def find_none_or_tensor(function: TracedFunction) -> Iterator[tuple[ast.If | ast.While, str]]:
    """Find names and results that are None unless one branch of a condition on a tensor sets them.

    MindSpore compiles both branches and can't join None with a tensor, so it refuses the name under
    STRICT.
    """
    for loop in function.walk(ast.While):
        if function.infer_kind(loop.test) == "tensor" and _returns_none_once(function, loop):
            yield loop, "what is returned"
    for conditional in function.walk(ast.If):
        if function.infer_kind(conditional.test) != "tensor":
            continue
        if _returns_none_once(function, conditional):
            yield conditional, "what is returned"
        for name in _find_names_that_one_side_unsets(function, conditional):
            yield conditional, name
        if conditional.orelse:
            continue
        last_statement = conditional.body[-1]
        is_last = (
            isinstance(function.node, ast.FunctionDef) and conditional is function.node.body[-1]
        )
        if is_last and isinstance(last_statement, ast.Return) and last_statement.value is not None:
            yield conditional, "what is returned"
        for statement in conditional.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name = statement.targets[0].id
                if not any(n.id == name for n in function.loads):
                    continue
                for store in function.stores[name]:
                    value = getattr(function.parents.get(store), "value", None)
                    is_none = isinstance(value, ast.Constant) and value.value is None
                    if is_none and store.lineno < conditional.lineno:
                        yield conditional, name


RULE = Rule(
    name="none-or-tensor",
    says="Under STRICT a name that is None is refused if only one branch of a condition on a "
    "tensor sets it to a tensor.",
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
