"""Report ``is`` with an object on the right, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction

_REFUSED_KINDS = {"object", "list", "tuple", "dict", "cell", "function", "float", "primitive"}


def _find_object_identity_test(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``is`` and ``is not`` with an object, Cell, function, container or float on the right.

    MindSpore supports them with a number, a str, None or a type, and refuses others, such as a
    member of an Enum, in LAX and STRICT.
    """
    for node in function.walk(ast.Compare):
        is_identity_test = isinstance(node.ops[0], ast.Is | ast.IsNot)
        if is_identity_test and function.infer_kind(node.comparators[0]) in _REFUSED_KINDS:
            yield node


RULE = Rule(
    name="is-object",
    says="y is x is refused if x is a member of an Enum, a Cell, a function, a list, a float or "
    "another object. Compare with ==.",
    bad="return x * 2 if self.mode is Mode.TRAIN else x",
    good="return x * 2 if self.mode == Mode.TRAIN else x",
    lax=REFUSED,
    around=make_construct_template(
        "self.mode = Mode.TRAIN", head="import enum\n\nMode = enum.Enum('Mode', 'TRAIN EVAL')"
    ),
    find=_find_object_identity_test,
)
