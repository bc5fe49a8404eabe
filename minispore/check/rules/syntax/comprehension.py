"""Report comprehensions with two loops or with a number as the condition, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.dataflow.liveness import Liveness
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def is_number_condition(function: TracedFunction, test: ast.expr) -> bool:
    """Whether a condition of a comprehension is an int or float, not a bool."""
    return function.infer_kind(test) in ("int", "float")


def _makes_tensor(function: TracedFunction, element: ast.AST) -> bool:
    """Whether an element of a comprehension contains a tensor."""
    names = (n for n in ast.walk(element) if isinstance(n, ast.Name | ast.Attribute))
    return any(function.infer_kind(n) == "tensor" for n in names)


def _find_unsupported_comprehension(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find comprehensions with several ``for`` clauses, and conditions that are not a bool.

    A graph, in LAX and STRICT, refuses a str or None as the condition, and a number if the items
    are tensors that a result depends on.
    """
    is_live = Liveness(function).reaches_result
    for comprehension in function.walk(ast.ListComp, ast.GeneratorExp, ast.DictComp):
        tests = [test for generator in comprehension.generators for test in generator.ifs]
        element = getattr(comprehension, "elt", None) or comprehension.value
        has_tensors = _makes_tensor(function, element)
        has_number_test = any(is_number_condition(function, test) for test in tests)
        if (
            len(comprehension.generators) > 1
            or any(function.infer_kind(test) in ("str", "none") for test in tests)
            or (has_tensors and has_number_test and is_live(comprehension))
        ):
            yield comprehension


RULE = Rule(
    name="comprehension",
    says="A comprehension with two for clauses is refused. So is one whose if tests a str or "
    "None, or a number if its items are tensors.",
    bad="return ops.stack([x * (a + b) for a in range(2) for b in range(2)])",
    good="return ops.stack([x * k for k in (0, 1, 1, 2)])",
    lax=REFUSED,
    find=_find_unsupported_comprehension,
)
