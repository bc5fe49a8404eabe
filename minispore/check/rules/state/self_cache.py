"""An attribute of self keeps what a trace gave, or is not seen where it is read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.example import construct
from minispore.check.rule import LIKELY, OTHER, Found, Rule
from minispore.check.rules.state.self_attribute import self_writes
from minispore.check.source import UNKNOWN, Source


def _reads(node: ast.AST, attribute: str) -> bool:
    return any(
        isinstance(n, ast.Attribute) and n.attr == attribute and isinstance(n.ctx, ast.Load)
        for n in ast.walk(node)
    )


def _tested_before(function: Source, write: ast.Attribute) -> bool:
    """Whether a condition reads the attribute before it is written: the answer is the first one,
    unless all that hangs on it is that the attribute is filled.
    """
    for test in function.walk(ast.If):
        if test.lineno < write.lineno and _reads(test.test, write.attr):
            return not _fills(test, write.attr)
    return False


def _fills(test: ast.If, attribute: str) -> bool:
    return not test.orelse and all(
        isinstance(s, ast.Assign) and getattr(s.targets[0], "attr", "") == attribute
        for s in test.body
    )


def _filled_once(function: Source, write: ast.Attribute) -> bool:
    """Whether the write stands in ``if self.a is None:`` and nothing else does."""
    up = next((up for up in function.above(write) if isinstance(up, ast.If)), None)
    return up is not None and _reads(up.test, write.attr) and _fills(up, write.attr)


def _find(function: Source) -> Iterator[Found]:
    for write, kind in self_writes(function):
        statement: Any = next(
            (up for up in function.above(write) if isinstance(up, ast.Assign | ast.AugAssign)), None
        )
        value = getattr(statement, "value", None)
        counts = isinstance(statement, ast.AugAssign) or (
            value is not None and _reads(value, write.attr)
        )
        unfit = kind in ("none", "list", UNKNOWN) or not counts
        if isinstance(value, ast.Constant) or _filled_once(function, write):
            unfit = False
        kept = _in_helper(function) or _tested_before(function, write)
        if (kept and function.changes(write.attr)) or (
            (unfit or function.derived) and function.varies(write.attr)
        ):
            yield write


def _in_helper(function: Source) -> bool:
    """Whether construct calls the function and has read the attribute at its own beginning."""
    return function.name != "construct" and hasattr(type(function.owner), "construct")


RULE = Rule(
    name="self-cache",
    says="An attribute keeps what the first call gave it if it was None, a list or absent, if what "
    "is written does not come from itself, or if a condition reads it first; what a helper writes "
    "is not seen in construct.",
    bad="""self.last = x
return self.last * 2""",
    good="""self.kept = x  # a Parameter made in __init__
return self.kept * 2""",
    lax=OTHER,
    sure=LIKELY,
    around=construct(
        'self.last = None\nself.kept = ms.Parameter(Tensor([1.0]), name="kept")',
        run="net = Net()\nnet(Tensor([1.0]))\nnet(Tensor([2.0]))",
    ),
    find=_find,
)
