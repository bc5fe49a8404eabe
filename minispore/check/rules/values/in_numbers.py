"""Report the search for a tensor among numbers, which never succeeds in a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import NUMBER_KINDS, TracedFunction


def _find_tensor_among_numbers(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``in`` and ``not in`` with a tensor and a literal of numbers.

    A graph, in LAX and STRICT, never finds the tensor among the numbers.
    """
    for node in function.walk(ast.Compare):
        literal = function.resolve_literal(node.comparators[0])
        if not isinstance(node.ops[0], ast.In | ast.NotIn) or not isinstance(
            literal, ast.List | ast.Tuple
        ):
            continue
        kinds = {function.infer_kind(item) for item in literal.elts}
        if kinds <= NUMBER_KINDS and kinds and function.infer_kind(node.left) == "tensor":
            yield node


RULE = Rule(
    name="in-numbers",
    says="A graph never finds a tensor among numbers: x in (1, 2) is False. Compare with each "
    "number.",
    bad="return x * 2 if x in (1, 2) else x",
    good="return x * 2 if x == 1 or x == 2 else x",
    lax=OTHER,
    strict=OTHER,
    around=make_construct_template(run="Net()(Tensor(1))"),
    find=_find_tensor_among_numbers,
)
