"""An attribute of self that begins as None, as a list or not at all keeps what a trace gave."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import LIKELY, OTHER, Found, Rule
from minispore.check.rules.state.self_attribute import self_writes
from minispore.check.source import UNKNOWN, Source


def _read_too(function: Source, attribute: str) -> bool:
    return any(
        n.attr == attribute and isinstance(n.ctx, ast.Load) for n in function.walk(ast.Attribute)
    )


def _find(function: Source) -> Iterator[Found]:
    for node, kind in self_writes(function):
        if (
            kind in ("none", "list")
            or (kind == UNKNOWN and _read_too(function, node.attr))
            or function.derived
        ):
            yield node


RULE = Rule(
    name="self-cache",
    says="An attribute that is None, a list or absent when construct writes it keeps what the "
    "first trace put there.",
    bad="""self.last = x
return self.last * 2""",
    good="""self.last = x  # a Parameter made in __init__
return self.last * 2""",
    lax=OTHER,
    sure=LIKELY,
    find=_find,
)
