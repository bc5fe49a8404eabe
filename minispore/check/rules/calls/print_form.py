"""print writes in a form of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source, called

SHOWN = {"tensor", "parameter", "tuple", "list", "dict", "number", "bool"}


def _by_python(function: Source, call: ast.Call) -> bool:
    """Whether Python itself prints, since something printed is an object of its own."""
    written = {n.attr for n in function.walk(ast.Attribute) if isinstance(n.ctx, ast.Store)}
    return any(
        function.kind(n) == "array" or (isinstance(n, ast.Attribute) and n.attr in written)
        for argument in call.args
        for n in ast.walk(argument)
        if isinstance(n, ast.expr)
    )


def _alters(function: Source, value: ast.expr) -> bool:
    """Whether a value is printed otherwise even alone."""
    if isinstance(value, ast.Tuple) and len(value.elts) > 1:
        return any(_alters(function, part) for part in value.elts)
    if isinstance(value, ast.Call) and called(value) == "float" and value.args:
        return function.kind(value.args[0]) == "tensor"
    return function.kind(value) in SHOWN


def _find(function: Source) -> Iterator[Found]:
    for call in function.walk(ast.Call):
        op = type(function.value(call.func)).__name__ == "Print"
        if not (op or (isinstance(call.func, ast.Name) and call.func.id == "print")):
            continue
        if call.keywords or not call.args or _by_python(function, call):
            continue
        one = len(call.args) == 1 and not isinstance(call.args[0], ast.Starred)
        if op:
            different = any(function.kind(a) == "tensor" for a in call.args)
        else:
            different = not one or _alters(function, call.args[0])
        if different:
            yield call


RULE = Rule(
    name="print-form",
    says="print in a graph gives each text, number and tensor a line of its own, a tensor with its "
    "shape and dtype.",
    bad='print("x is", x)\nreturn x',
    good="return x  # and print what comes back",
    lax=OTHER,
    strict=OTHER,
    find=_find,
)
