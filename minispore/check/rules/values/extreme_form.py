"""Report ``x.max(0)``, ``x.min(0)`` and ``x.argmax()``, which mean something else in a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_form_of_graph(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``max`` and ``min`` with a positional axis, and ``argmax`` without an axis.

    In a graph ``x.max(0)`` is NumPy's: it returns the values without their indices. ``x.argmax()``
    reduces the last axis, which makes no difference for a vector. Calls with keywords give the same
    results.
    """
    for call in function.find_calls("max", "min", "argmax"):
        if not isinstance(call.func, ast.Attribute):
            continue
        tensor, names = call.func.value, {keyword.arg for keyword in call.keywords}
        if function.infer_kind(tensor) != "tensor":
            continue
        if call.func.attr == "argmax":
            shape = function.get_local_kind(tensor.id)[1] if isinstance(tensor, ast.Name) else None
            is_vector = shape is not None and len(shape) < 2
            if not call.args and not names & {"axis", "dim"} and not is_vector:
                yield call
        elif call.args and not names and function.infer_kind(call.args[0]) == "int":
            yield call


RULE = Rule(
    name="extreme-form",
    says="With a positional axis, x.max(0) and x.min(0) return only the values, without their "
    "indices. x.argmax() without an axis reduces the last one.",
    bad="return x.max(0)",
    good="return x.max(dim=0)",
    lax=OTHER,
    strict=OTHER,
    find=_find_form_of_graph,
)
