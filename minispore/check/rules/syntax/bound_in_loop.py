"""A name bound only in the body of a loop is not defined after it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for loop in function.walk(ast.For, ast.While):
        last = loop.end_lineno or loop.lineno
        target = [loop.target] if isinstance(loop, ast.For) else []
        for statement in (*target, *loop.body):
            for store in ast.walk(statement):
                if not (isinstance(store, ast.Name) and isinstance(store.ctx, ast.Store)):
                    continue
                name = store.id
                if name in function.arguments or any(
                    s.lineno < loop.lineno for s in function.stores[name]
                ):
                    continue
                after = [s for s in function.stores[name] if s.lineno > last]
                if any(n.id == name and n.lineno > last for n in function.loads) and not after:
                    yield store, name
                    break


RULE = Rule(
    name="bound-in-loop",
    says="A name that only the body of a loop binds can't be read after the loop.",
    bad="""for k in (1, 2):
    y = x * k
return y""",
    good="""y = x
for k in (1, 2):
    y = x * k
return y""",
    lax=REFUSED,
    find=_find,
)
