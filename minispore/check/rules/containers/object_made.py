"""Report objects of the user's classes that hold a tensor, which STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import Rule, RuleMatch
from minispore.check.source import TracedFunction
from minispore.graph.state.code_origin import is_user_code


def _find_uses_of_user_objects(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find user classes that are called with a tensor, and arithmetic on objects of user classes.

    Under STRICT MindSpore compiles only the methods of Cells and of a jit_class, and refuses other
    objects.
    """
    for call in function.walk(ast.Call):
        value = function.resolve_value(call.func)
        if isinstance(value, type) and is_user_code(value.__module__):
            arguments = (*call.args, *[k.value for k in call.keywords])
            is_compiled_class = hasattr(value, "__ms_class__") or hasattr(value, "_graph_key_")
            if not is_compiled_class and any(function.infer_kind(a) == "tensor" for a in arguments):
                yield call
    for node in function.walk(ast.BinOp):
        if any(
            function.infer_kind(side) == "object"
            and is_user_code(type(function.resolve_value(side)).__module__)
            for side in (node.left, node.right)
        ):
            yield node


RULE = Rule(
    name="object-made",
    says="Under STRICT calling a namedtuple, a dataclass or another class of your own with a "
    "tensor is refused, and so is arithmetic on such objects.",
    bad="""p = Point(x, 2)
return p.a * p.b""",
    good="""a, b = x, 2
return a * b""",
    around=make_construct_template(
        head='from collections import namedtuple\n\nPoint = namedtuple("Point", ["a", "b"])'
    ),
    find=_find_uses_of_user_objects,
)
