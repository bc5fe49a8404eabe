"""Report methods whose first argument is not called self, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_method_without_self(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find methods, including class methods, whose first parameter is not called ``self``.

    MindSpore recognises a method by the name ``self`` and refuses others in LAX and STRICT. Static
    methods are exempt.
    """
    args = function.arguments
    if not args or args[0] == "self" or not isinstance(function.node, ast.FunctionDef):
        return
    parent = function.parents.get(function.node)
    is_static = any(getattr(d, "id", "") == "staticmethod" for d in function.node.decorator_list)
    if isinstance(parent, ast.ClassDef) and not is_static:
        yield function.node


RULE = Rule(
    name="first-argument",
    says="A method or classmethod whose first parameter is not named self is refused.",
    bad="def twice(me, x):\n    return x * 2",
    good="def twice(self, x):\n    return x * 2",
    lax=REFUSED,
    around="""class Net(nn.Cell):
    LINES

    def construct(self, x):
        return self.twice(x)


Net()(Tensor([1.0]))
""",
    find=_find_method_without_self,
)
