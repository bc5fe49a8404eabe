"""Report inner functions whose captured variables change before they are called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction

CHANGING_METHODS = ("append", "extend", "insert", "pop", "clear", "update", "reverse")


def find_inner_functions(function: TracedFunction) -> Iterator[tuple[ast.AST, str]]:
    """Yield the named functions and lambdas that a function defines, with their names."""
    for node in function.walk(ast.FunctionDef, ast.Assign):
        if isinstance(node, ast.FunctionDef):
            yield node, node.name
        elif isinstance(node.value, ast.Lambda) and isinstance(node.targets[0], ast.Name):
            yield node.value, node.targets[0].id


def find_captured_variables(function: TracedFunction, inner: ast.AST) -> set[str]:
    """Return the local names and arguments of ``function`` that the inner function reads."""
    names = [n for n in ast.walk(inner) if isinstance(n, ast.Name)]
    local_names = {a.arg for a in ast.walk(inner) if isinstance(a, ast.arg)}
    local_names |= {n.id for n in names if isinstance(n.ctx, ast.Store)}
    return {n.id for n in names if n.id not in local_names} & {
        *function.stores,
        *function.arguments,
    }


def find_change_lines(function: TracedFunction, name: str, inner: ast.AST) -> list[int]:
    """Return the lines outside ``inner`` that bind ``name`` or call a method that changes it in
    place.
    """
    stores = [
        s for s in function.stores.get(name, ()) if inner not in function.iterate_ancestors(s)
    ]
    calls = [
        call
        for call in function.find_calls(*CHANGING_METHODS)
        if isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == name
        and inner not in function.iterate_ancestors(call)
    ]
    return [n.lineno for n in (*stores, *calls)]


def find_use_lines(function: TracedFunction, name: str, inner: ast.AST) -> list[int]:
    """Return the lines outside ``inner`` that read the function's ``name``."""
    return [
        n.lineno
        for n in function.loads
        if n.id == name and inner not in function.iterate_ancestors(n)
    ]


def _find_late_rebinding(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find inner functions whose captured variables change between definition and call.

    A graph, in LAX and STRICT, captures the variables at the definition; Python reads them at the
    call.
    """
    for inner, name in find_inner_functions(function):
        definition_line = getattr(inner, "lineno", 0)
        for variable in sorted(find_captured_variables(function, inner)):
            change_lines = find_change_lines(function, variable, inner)
            is_defined = variable in function.arguments or any(
                line < definition_line for line in change_lines
            )
            late_lines = [line for line in change_lines if line > definition_line]
            use_lines = find_use_lines(function, name, inner)
            if is_defined and any(line < use for line in late_lines for use in use_lines):
                yield inner, variable


RULE = Rule(
    name="closure",
    says="A function or lambda defined in construct captures variables at its definition. Later "
    "changes have no effect, while Python reads the variables at the call.",
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
    find=_find_late_rebinding,
)

__all__ = [
    "RULE",
    "find_captured_variables",
    "find_change_lines",
    "find_inner_functions",
    "find_use_lines",
]
