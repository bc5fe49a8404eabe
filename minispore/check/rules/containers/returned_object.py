"""Only tensors, numbers, text and their tuples, lists and dicts can be returned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from minispore.check.rule import Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for made in function.walk(ast.Return):
        value = made.value
        if value is None or function.name != "construct":
            continue
        if (
            (isinstance(value, ast.Constant) and value.value is ...)
            or (isinstance(value, ast.Call) and function.value(value.func) is slice)
            or function.kind(value) == "array"
        ):
            yield made
    if any(isinstance(v, np.ndarray) for v in function.known.values()):
        yield function.node


RULE = Rule(
    name="returned-object",
    says="Under STRICT a slice, an ellipsis or a NumPy array as result is refused.",
    bad="return slice(0, 1)",
    good="return 0, 1",
    find=_find,
)
