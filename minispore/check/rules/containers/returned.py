"""Report Cells and functions that ``construct`` returns, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_returned_callable(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``construct`` returning a Cell or a function that it defines.

    A graph returns tensors, numbers, str and containers of these, so MindSpore refuses callables in
    LAX and STRICT.
    """
    for statement in function.walk(ast.Return):
        if statement.value is None or not isinstance(function.node, ast.FunctionDef):
            continue
        inner_names = {n.name for n in function.walk(ast.FunctionDef)}
        is_inner_function = (
            isinstance(statement.value, ast.Name) and statement.value.id in inner_names
        )
        if function.name == "construct" and function.parents.get(statement) is not None:
            ancestors = function.iterate_ancestors(statement)
            enclosing_function = next(
                (a for a in ancestors if isinstance(a, ast.FunctionDef)), None
            )
            if enclosing_function is function.node and (
                is_inner_function or function.infer_kind(statement.value) == "cell"
            ):
                yield statement


RULE = Rule(
    name="returned",
    says="A construct that returns a Cell or a function is refused. Return the result of calling "
    "it.",
    bad="""def f(a):
    return a
return f""",
    good="""def f(a):
    return a
return f(x)""",
    lax=REFUSED,
    find=_find_returned_callable,
)
