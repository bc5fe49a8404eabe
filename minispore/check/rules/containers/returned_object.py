"""Report results of types that a graph can't return under STRICT."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from minispore.check.rule import Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_unsupported_result(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``construct`` returning a slice, ellipsis or NumPy array, and arguments that are arrays.

    Under STRICT MindSpore refuses them. An array among the arguments or captured variables is
    reported at the function's own line.
    """
    for statement in function.walk(ast.Return):
        value = statement.value
        if value is None or function.name != "construct":
            continue
        if (
            (isinstance(value, ast.Constant) and value.value is ...)
            or (isinstance(value, ast.Call) and function.resolve_value(value.func) is slice)
            or function.infer_kind(value) == "array"
        ):
            yield statement
    if any(isinstance(v, np.ndarray) for v in function.initial_values.values()):
        yield function.node


RULE = Rule(
    name="returned-object",
    says="Under STRICT returning a slice, an Ellipsis or a NumPy array is refused, and so is an "
    "array as an argument.",
    bad="return slice(0, 1)",
    good="return 0, 1",
    find=_find_unsupported_result,
)
