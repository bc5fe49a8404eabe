"""An undefined name is refused, even in a branch that is not taken."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    if isinstance(function.node, ast.FunctionDef) and function.name != "_":
        inner = {a.arg for a in function.walk(ast.arg)} | {
            n.name
            for n in function.walk(ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)
            if n.name
        }
        imported = {a.asname or a.name for a in function.walk(ast.alias)}
        known = {*function.stores, *inner, *imported, *function.known, *function.namespace}
        for name in function.loads:
            if name.id not in known and not hasattr(builtins, name.id):
                yield name


RULE = Rule(
    name="undefined",
    says="Every name must exist when the function is compiled, also where it is never read.",
    bad="""if x.ndim > 9:
    return nothing
return x""",
    good="return x",
    lax=REFUSED,
    find=_find,
)
