"""A list of self that construct adds to does not grow."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import OTHER, Found, Rule
from minispore.check.rules.state.self_item import CHANGES, is_of_self
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls(*CHANGES):
        if isinstance(call.func, ast.Attribute) and is_of_self(function, call.func.value):
            yield call


RULE = Rule(
    name="self-append",
    says="append, pop and their kin on a list or dict of self act once, or not at all.",
    bad="self.seen.append(x)\nreturn x",
    good="return x, x  # and let the caller keep it",
    lax=OTHER,
    strict=OTHER,
    around=construct("self.seen = []"),
    find=_find,
)
