"""Report comparisons of a tensor with a str, which STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_comparison_with_text(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``==`` and ``!=`` between a tensor and a str.

    A graph can't compare them, so MindSpore refuses the comparison under STRICT.
    """
    for node in function.walk(ast.Compare):
        kinds = [function.infer_kind(side) for side in (node.left, *node.comparators)]
        if isinstance(node.ops[0], ast.Eq | ast.NotEq) and {"tensor", "str"} <= {*kinds}:
            yield node


RULE = Rule(
    name="tensor-and-text",
    says="Under STRICT comparing a tensor with a str is refused.",
    bad="""if x == "none":
    return x
return x * 2""",
    good="""if x is None:
    return x
return x * 2""",
    find=_find_comparison_with_text,
)
