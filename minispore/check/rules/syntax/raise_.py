"""An exception of the user's own class is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for made in function.walk(ast.Raise):
        kind = made.exc.func if isinstance(made.exc, ast.Call) else made.exc
        held = function.value(kind) if kind is not None else None
        if isinstance(held, type) and held.__module__ != "builtins":
            yield made


RULE = Rule(
    name="raise-own",
    says="Raising an exception class that Python does not bring is refused.",
    bad='raise MyError("no")',
    good='raise ValueError("no")',
    lax=REFUSED,
    around=construct(head="class MyError(Exception):\n    pass"),
    find=_find,
)
