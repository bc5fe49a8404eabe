"""Report comparison operators with a number as the first input, which MindSpore refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import NUMBER_KINDS, TracedFunction, get_called_name

COMPARISONS = ("Less", "Equal", "less", "equal")


def _find_number_before_tensor(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``Less`` and ``Equal`` of a number and a tensor, in this order.

    Their implementation accepts a number only as the second input, in both modes.
    """
    for call in function.walk(ast.Call):
        callee = function.resolve_value(call.func)
        names = (
            get_called_name(call.func),
            type(callee).__name__,
            getattr(callee, "__name__", "") if get_called_name(call) in COMPARISONS else "",
        )
        if any(name in COMPARISONS for name in names) and len(call.args) == 2:
            kinds = [function.infer_kind(a) for a in call.args]
            if kinds[0] in NUMBER_KINDS and kinds[1] in ("tensor", "parameter"):
                yield call


RULE = Rule(
    name="number-first",
    says="Less and Equal refuse a number as the first input, also in PYNATIVE_MODE. Put the "
    "tensor first, with Greater for Less.",
    bad="return ops.Less()(0, x)",
    good="return ops.Greater()(x, 0)",
    lax=REFUSED,
    find=_find_number_before_tensor,
)
