"""What stands on the right of is must be a number, a text, None or a type."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source

_KINDS = {"object", "list", "tuple", "dict", "cell", "function", "float", "primitive"}


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.Compare):
        by_is = isinstance(node.ops[0], ast.Is | ast.IsNot)
        if by_is and function.kind(node.comparators[0]) in _KINDS:
            yield node


RULE = Rule(
    name="is-object",
    says="y is x is refused where x is a member of an Enum, a Cell, a function, a list, a float or "
    "another object; == compares them.",
    bad="return x * 2 if self.mode is Mode.TRAIN else x",
    good="return x * 2 if self.mode == Mode.TRAIN else x",
    lax=REFUSED,
    around=construct(
        "self.mode = Mode.TRAIN", head="import enum\n\nMode = enum.Enum('Mode', 'TRAIN EVAL')"
    ),
    find=_find,
)
