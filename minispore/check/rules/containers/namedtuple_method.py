"""A namedtuple has its fields, and nothing else of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import UNKNOWN, Source

METHODS = ("_replace", "_asdict", "_fields", "_make", "_field_defaults")


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.Attribute):
        held = function.value(node.value)
        kind = held if isinstance(held, type) else type(held)
        named = issubclass(kind, tuple) and hasattr(kind, "_fields")
        if node.attr in METHODS and (named or held is UNKNOWN):
            yield node


RULE = Rule(
    name="namedtuple-method",
    says="_replace, _asdict, _fields and their kin of a namedtuple are refused.",
    bad="return x * self.p._replace(a=5).a",
    good="return x * self.p.a",
    lax=REFUSED,
    around=construct(
        "self.p = Point(2, 3)",
        head='from collections import namedtuple\n\nPoint = namedtuple("Point", ["a", "b"])',
    ),
    find=_find,
)
