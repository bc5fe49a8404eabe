"""A decorator on construct is skipped."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import LIKELY, OTHER, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    node = function.node
    if isinstance(node, ast.FunctionDef) and node.name == "construct" and node.decorator_list:
        held = getattr(type(function.owner), "construct", None)
        if hasattr(held, "__wrapped__") and not hasattr(held, "jitted"):
            yield node.decorator_list[0]


RULE = Rule(
    name="decorated",
    says="A decorator of construct that uses functools.wraps acts in PYNATIVE_MODE alone.",
    bad="""@twice  # which uses functools.wraps
def construct(self, x):
    return x + 1""",
    good="""def construct(self, x):
    return (x + 1) * 2""",
    lax=OTHER,
    strict=OTHER,
    sure=LIKELY,
    around="""import functools


def twice(plain):
    @functools.wraps(plain)
    def doubled(self, x):
        return plain(self, x) * 2

    return doubled


class Net(nn.Cell):
    LINES


Net()(Tensor([1.0]))
""",
    find=_find,
)
