"""Report a Parameter that is written and returned: a graph returns its value in this call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction, get_called_name


def _find_returned_parameter(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``construct`` returning a Parameter to the caller of the graph after a write to one.

    A graph, in LAX and STRICT, returns a tensor with the value in this call; PYNATIVE_MODE returns
    the Parameter itself, which later calls change.
    """
    if not function.is_entry or not any(_find_parameter_writes(function)):
        return
    for statement in function.walk(ast.Return):
        value = statement.value
        for item in value.elts if isinstance(value, ast.Tuple | ast.List) else [value]:
            if item is not None and function.infer_kind(item) == "parameter":
                yield statement
                break


def _find_parameter_writes(function: TracedFunction) -> Iterator[ast.AST]:
    """Yield the writes to Parameters of self, and the calls of ``assign`` functions."""
    for node in function.walk(ast.Attribute):
        if (
            isinstance(node.ctx, ast.Store)
            and function.attribute_kinds.get(node.attr) == "parameter"
        ):
            yield node
    for call in function.walk(ast.Call):
        if get_called_name(call) in ("assign", "assign_add", "assign_sub"):
            yield call


RULE = Rule(
    name="parameter-returned",
    says="A graph returns a Parameter that it has written as a tensor with this call's value. "
    "PYNATIVE_MODE returns the Parameter itself, which later calls change.",
    bad="self.w = self.w + x\nreturn self.w",
    good="self.w = self.w + x\nreturn self.w * 1",
    lax=OTHER,
    strict=OTHER,
    around=make_construct_template('self.w = ms.Parameter(Tensor([1.0, 1.0]), name="w")'),
    find=_find_returned_parameter,
)
