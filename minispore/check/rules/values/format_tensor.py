"""Report tensors in f-strings, which STRICT replaces by a placeholder."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.dataflow.liveness import Liveness
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_tensor_in_f_string(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find f-strings that contain a tensor, outside ``raise``, ``assert`` and ``print``.

    A tensor has no value while a graph is compiled, so the text has a placeholder under STRICT.
    """
    for node in function.walk(ast.FormattedValue):
        is_raised = function.is_inside(node, ast.Raise, ast.Assert)
        is_tensor = function.infer_kind(node.value) == "tensor"
        if is_tensor and not is_raised and Liveness(function).reaches_result(node):
            yield node


RULE = Rule(
    name="format-tensor",
    says="Under STRICT an f-string shows a placeholder in place of a tensor.",
    bad='return f"{x}"',
    good="return x",
    strict=OTHER,
    find=_find_tensor_in_f_string,
)
