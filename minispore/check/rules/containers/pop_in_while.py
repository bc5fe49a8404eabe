"""Report lists that shrink in a loop, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.rules.state.self_item import is_container_of_self
from minispore.check.source import TracedFunction


def _find_shrinking_list(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``while`` loops over a list, and ``pop`` of a list in a loop or of a list attribute of
    self.

    A compiled loop can't change the length of a list, so MindSpore refuses them in LAX and STRICT.
    """
    for loop in function.walk(ast.While):
        if function.infer_kind(loop.test) == "list":
            yield loop
    for call in function.find_calls("pop"):
        container = call.func.value if isinstance(call.func, ast.Attribute) else call
        is_local_list = isinstance(container, ast.Name) and function.infer_kind(container) == "list"
        is_in_loop = is_local_list and function.is_inside(call, ast.For, ast.While)
        if is_in_loop or (
            is_container_of_self(function, container)
            and isinstance(function.resolve_value(container), list)
        ):
            yield call


RULE = Rule(
    name="pop-in-while",
    says="A while loop over a list is refused, and so is pop of a list in a loop or of a list "
    "attribute of self.",
    bad="""r = [1, 2]
while r:
    x = x + r.pop()
return x""",
    good="""for k in (2, 1):
    x = x + k
return x""",
    lax=REFUSED,
    find=_find_shrinking_list,
)
