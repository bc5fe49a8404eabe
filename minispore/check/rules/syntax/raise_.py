"""Report exceptions of the user's own classes, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_custom_exception(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``raise`` statements with an exception class that is not a builtin.

    A graph can raise only builtin exceptions, so MindSpore refuses others in LAX and STRICT.
    """
    for statement in function.walk(ast.Raise):
        exception: Any = statement.exc
        class_node = exception.func if isinstance(exception, ast.Call) else exception
        exception_class = function.resolve_value(class_node)
        if isinstance(exception_class, type) and exception_class.__module__ != "builtins":
            yield statement


RULE = Rule(
    name="raise-own",
    says="Raising an exception class that is not built into Python is refused.",
    bad='raise MyError("no")',
    good='raise ValueError("no")',
    lax=REFUSED,
    around=make_construct_template(head="class MyError(Exception):\n    pass"),
    find=_find_custom_exception,
)
