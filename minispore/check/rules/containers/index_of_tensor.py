"""Report the search for a tensor in a list or tuple, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_search_for_tensor(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``index`` and ``count`` of a list or tuple with a tensor of several elements as the
    argument.

    MindSpore compares the items as scalars and refuses the call in LAX and STRICT.
    """
    for call in function.find_calls("index", "count"):
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else call
        is_sequence = function.infer_kind(receiver) in ("list", "tuple")
        argument: Any = function.resolve_value(call.args[0]) if call.args else None
        is_tensor = is_sequence and function.infer_kind(call.args[0]) == "tensor"
        if is_tensor and getattr(argument, "size", 1) > 1:
            yield call


RULE = Rule(
    name="index-of-tensor",
    says="index and count of a list or tuple are refused if the argument is a tensor with several "
    "elements.",
    bad="return x * [x + 1, x].index(x)",
    good="return x * [0, 1].index(1)",
    lax=REFUSED,
    refuses_unused=False,
    find=_find_search_for_tensor,
)
