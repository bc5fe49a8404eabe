"""An object that is made of a tensor must be of a jit_class."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import Found, Rule
from minispore.check.source import Source
from minispore.graph.state.outside import is_users


def _find(function: Source) -> Iterator[Found]:
    for call in function.walk(ast.Call):
        held = function.value(call.func)
        if isinstance(held, type) and is_users(held.__module__):
            given = (*call.args, *[k.value for k in call.keywords])
            marked = hasattr(held, "__ms_class__") or hasattr(held, "_graph_key_")
            if not marked and any(function.kind(a) == "tensor" for a in given):
                yield call
    for node in function.walk(ast.BinOp):
        for side in (node.left, node.right):
            held = function.value(side)
            if function.kind(side) == "object" and is_users(type(held).__module__):
                yield node


RULE = Rule(
    name="object-made",
    says="Under STRICT a namedtuple, a dataclass or another class of the user that takes a "
    "tensor is refused.",
    bad="""p = Point(x, 2)
return p.a * p.b""",
    good="""a, b = x, 2
return a * b""",
    around=construct(
        head='from collections import namedtuple\n\nPoint = namedtuple("Point", ["a", "b"])'
    ),
    find=_find,
)
