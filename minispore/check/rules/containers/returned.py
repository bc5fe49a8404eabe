"""A Cell or a function can't be returned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for made in function.walk(ast.Return):
        if made.value is None or not isinstance(function.node, ast.FunctionDef):
            continue
        inner = {n.name for n in function.walk(ast.FunctionDef)}
        named = isinstance(made.value, ast.Name) and made.value.id in inner
        if function.name == "construct" and function.parents.get(made) is not None:
            own = next((p for p in function.above(made) if isinstance(p, ast.FunctionDef)), None)
            if own is function.node and (named or function.kind(made.value) == "cell"):
                yield made


RULE = Rule(
    name="returned",
    says="construct that returns a Cell or a function is refused.",
    bad="""def f(a):
    return a
return f""",
    good="""def f(a):
    return a
return f(x)""",
    lax=REFUSED,
    find=_find,
)
