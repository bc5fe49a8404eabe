"""A decorator that uses functools.wraps is skipped."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import LIKELY, OTHER, Found, Rule
from minispore.check.source import Source, called


def _passes_on(node: ast.FunctionDef) -> bool:
    """Whether the wrapper only calls what it wraps, with what it was given."""
    last = node.body[-1]
    made = last.value if isinstance(last, ast.Return) else None
    if len(node.body) > 1 or not isinstance(made, ast.Call):
        return False
    given = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    parts = [getattr(a, "value", a) for a in (*made.args, *made.keywords)]
    return all(isinstance(part, ast.Name) and part.id in given for part in parts)


def _find(function: Source) -> Iterator[Found]:
    node = function.node
    if isinstance(node, ast.FunctionDef) and not _passes_on(node):
        for decorator in node.decorator_list:
            if called(decorator) == "wraps":
                yield decorator, node.name


RULE = Rule(
    name="decorated",
    says="What functools.wraps makes of construct or of what it calls acts in PYNATIVE_MODE alone: "
    "a graph goes to the function inside.",
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
