"""A function inside of another has the variables that were there where it stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source

CHANGES = ("append", "extend", "insert", "pop", "clear", "update", "reverse")


def inner_functions(function: Source) -> Iterator[tuple[ast.AST, str]]:
    """The functions that are made in a function and have a name there."""
    for node in function.walk(ast.FunctionDef, ast.Assign):
        if isinstance(node, ast.FunctionDef):
            yield node, node.name
        elif isinstance(node.value, ast.Lambda) and isinstance(node.targets[0], ast.Name):
            yield node.value, node.targets[0].id


def borrowed(function: Source, inner: ast.AST) -> set[str]:
    """The variables of the function around it that a function reads."""
    names = [n for n in ast.walk(inner) if isinstance(n, ast.Name)]
    own = {a.arg for a in ast.walk(inner) if isinstance(a, ast.arg)}
    own |= {n.id for n in names if isinstance(n.ctx, ast.Store)}
    return {n.id for n in names if n.id not in own} & {*function.stores, *function.arguments}


def stores_of(function: Source, name: str, inner: ast.AST) -> list[int]:
    """The lines that bind or change a variable outside of ``inner``."""
    bound = [s for s in function.stores.get(name, ()) if inner not in function.above(s)]
    calls = [
        call
        for call in function.calls(*CHANGES)
        if isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == name
        and inner not in function.above(call)
    ]
    return [n.lineno for n in (*bound, *calls)]


def used_at(function: Source, name: str, inner: ast.AST) -> list[int]:
    """The lines outside of it that name a function."""
    return [n.lineno for n in function.loads if n.id == name and inner not in function.above(n)]


def _find(function: Source) -> Iterator[Found]:
    for inner, name in inner_functions(function):
        made = getattr(inner, "lineno", 0)
        for variable in sorted(borrowed(function, inner)):
            stores = stores_of(function, variable, inner)
            known = variable in function.arguments or any(line < made for line in stores)
            late = [line for line in stores if line > made]
            uses = used_at(function, name, inner)
            if known and any(line < use for line in late for use in uses):
                yield inner, variable


RULE = Rule(
    name="closure",
    says="A function or lambda made in construct keeps the variables around it as they were where "
    "it stands, whatever is bound to them before it is called.",
    bad="""k = 2
def f(a):
    return a * k
k = 5
return f(x)""",
    good="""k = 5
def f(a):
    return a * k
return f(x)""",
    lax=OTHER,
    strict=OTHER,
    find=_find,
)

__all__ = ["RULE", "borrowed", "inner_functions", "stores_of", "used_at"]
