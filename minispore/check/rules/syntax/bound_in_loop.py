"""Report names that only the body of a loop binds and that are read after it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_name_bound_in_loop(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find names that only the body or target of a loop binds and that are read after the loop.

    The loop may run zero times, so MindSpore considers the name undefined after it and refuses the
    read in LAX and STRICT.
    """
    for loop in function.walk(ast.For, ast.While):
        last_line = loop.end_lineno or loop.lineno
        targets = [loop.target] if isinstance(loop, ast.For) else []
        for statement in (*targets, *loop.body):
            for store in ast.walk(statement):
                if not (isinstance(store, ast.Name) and isinstance(store.ctx, ast.Store)):
                    continue
                name = store.id
                if name in function.arguments or any(
                    s.lineno < loop.lineno for s in function.stores[name]
                ):
                    continue
                later_stores = [s for s in function.stores[name] if s.lineno > last_line]
                if (
                    any(n.id == name and n.lineno > last_line for n in function.loads)
                    and not later_stores
                ):
                    yield store, name
                    break


RULE = Rule(
    name="bound-in-loop",
    says="A name that only a loop binds can't be read after the loop. Bind it before the loop.",
    bad="""for k in (1, 2):
    y = x * k
return y""",
    good="""y = x
for k in (1, 2):
    y = x * k
return y""",
    lax=REFUSED,
    find=_find_name_bound_in_loop,
)
