"""A tensor can't index a tuple or list."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.Subscript):
        listed = function.kind(node.value) in ("tuple", "list")
        if isinstance(node.ctx, ast.Load) and listed and function.kind(node.slice) == "tensor":
            yield node


RULE = Rule(
    name="tensor-index",
    says="Under STRICT a tuple or list that does not hold Cells can't be indexed by a tensor.",
    bad="""t = (x, x + 1)
return t[i]""",
    good="""t = ops.stack((x, x + 1))
return t[i]""",
    around=construct(head="i = Tensor(1)"),
    find=_find,
)
