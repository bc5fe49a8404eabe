"""Report methods of a namedtuple, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import UNKNOWN, TracedFunction

METHODS = ("_replace", "_asdict", "_fields", "_make", "_field_defaults")


def _find_namedtuple_method(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``_replace``, ``_asdict``, ``_fields`` and similar attributes of a namedtuple.

    A graph has only the fields of a namedtuple, so MindSpore refuses these attributes in LAX and
    STRICT. An object of unknown type counts as a namedtuple.
    """
    for node in function.walk(ast.Attribute):
        value = function.resolve_value(node.value)
        cls = value if isinstance(value, type) else type(value)
        is_namedtuple = issubclass(cls, tuple) and hasattr(cls, "_fields")
        if node.attr in METHODS and (is_namedtuple or value is UNKNOWN):
            yield node


RULE = Rule(
    name="namedtuple-method",
    says="_replace, _asdict, _fields and similar attributes of a namedtuple are refused. A graph "
    "has only its fields.",
    bad="return x * self.p._replace(a=5).a",
    good="return x * Point(5, self.p.b).a",
    lax=REFUSED,
    around=make_construct_template(
        "self.p = Point(2, 3)",
        head='from collections import namedtuple\n\nPoint = namedtuple("Point", ["a", "b"])',
    ),
    find=_find_namedtuple_method,
)
