"""Report ``not`` of a tensor as a result, which is a tensor only in a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.rules.containers.list_changed import is_returned
from minispore.check.source import TracedFunction


def _find_returned_not(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``construct`` returning ``not`` of a tensor.

    A graph computes it as an operator and returns a tensor in LAX and STRICT; PYNATIVE_MODE returns
    a bool.
    """
    if function.name != "construct":
        return
    for node in function.walk(ast.UnaryOp):
        if not isinstance(node.op, ast.Not) or function.infer_kind(node.operand) != "tensor":
            continue
        parent = function.parents.get(node)
        target = parent.targets[0] if isinstance(parent, ast.Assign) else parent
        if isinstance(target, ast.Name) and is_returned(function, target.id):
            yield node
        while isinstance(parent, ast.Tuple | ast.List):
            parent = function.parents.get(parent)
        if isinstance(parent, ast.Return):
            yield node


RULE = Rule(
    name="not-tensor",
    says="In a graph not x of a tensor is a tensor, while it is a bool in PYNATIVE_MODE. Use "
    "logical_not().",
    bad="return not x.sum() > 2",
    good="return (x.sum() > 2).logical_not()",
    lax=OTHER,
    strict=OTHER,
    find=_find_returned_not,
)
