"""A function inside of another can't read what is bound after it."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.rules.syntax.closure import borrowed, inner_functions, stores_of
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for inner, _ in inner_functions(function):
        for variable in sorted(borrowed(function, inner)):
            stores = stores_of(function, variable, inner)
            made = getattr(inner, "lineno", 0)
            if variable not in function.arguments and stores and min(stores) > made:
                yield inner, variable


RULE = Rule(
    name="closure-early",
    says="A function or lambda made in construct that reads a variable bound after it is refused.",
    bad="""def f(a):
    return a * k
k = 5
return f(x)""",
    good="""k = 5
def f(a):
    return a * k
return f(x)""",
    lax=REFUSED,
    find=_find,
)
