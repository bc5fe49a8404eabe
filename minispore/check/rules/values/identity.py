"""Report comparisons of two tensors with ``is``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_tensor_identity_test(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``is`` and ``is not`` between two tensors.

    The values of a graph have no Python identity: the answer in LAX always differs from
    PYNATIVE_MODE, and STRICT refuses the comparison.
    """
    for node in function.walk(ast.Compare):
        kinds = {function.infer_kind(node.left), function.infer_kind(node.comparators[0])}
        if isinstance(node.ops[0], ast.Is | ast.IsNot) and kinds == {"tensor"}:
            yield node


RULE = Rule(
    name="is",
    says="For two tensors, y is x under LAX always differs from PYNATIVE_MODE's answer. STRICT "
    "refuses it.",
    bad="""y = x
if y is x:
    return x + 1
return x""",
    good="return x + 1",
    lax=OTHER,
    find=_find_tensor_identity_test,
)
