"""What a loop on a tensor changes must keep its type."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import NUMBERS, UNKNOWN, Source, called

GROWS = ("concat", "cat", "stack", "hstack", "vstack", "tile", "repeat_interleave")


def _plain(function: Source, first: list[ast.Name]) -> bool:
    return bool(first) and isinstance(function.parents.get(first[-1]), ast.Assign)


def _recast(function: Source, name: str, value: ast.AST) -> bool:
    """Whether an argument is cast to another type than the one that it came with."""
    given: Any = function.known.get(name)
    to = function.value(value.args[-1]) if isinstance(value, ast.Call) and value.args else None
    casts = called(value) in ("astype", "cast", "to")
    return casts and hasattr(given, "dtype") and to is not UNKNOWN and given.dtype != to


def _find(function: Source) -> Iterator[Found]:
    for loop in function.walk(ast.While):
        kinds = {function.kind(n) for n in ast.walk(loop.test) if isinstance(n, ast.expr)}
        if "tensor" not in kinds:
            continue
        for statement in loop.body:
            target = getattr(statement, "target", None) or getattr(statement, "targets", [None])[0]
            value = getattr(statement, "value", None)
            if not isinstance(target, ast.Name) or value is None:
                continue
            reads = isinstance(statement, ast.AugAssign) or any(
                isinstance(n, ast.Name) and n.id == target.id for n in ast.walk(value)
            )
            first = [s for s in function.stores[target.id] if s.lineno < loop.lineno]
            up = function.parents[first[-1]] if _plain(function, first) else loop
            begun = function.kind(getattr(up, "value", loop))
            mixed = isinstance(loop.test, ast.BoolOp)  # part of the condition is of Python's
            turns = begun in NUMBERS and (mixed or function.kind(value) == "tensor")
            if reads and (turns or called(value) in GROWS or _recast(function, target.id, value)):
                yield statement, target.id


RULE = Rule(
    name="loop-types",
    says="In a while that a tensor decides, a counter in the condition, a number that "
    "becomes a tensor and a shape that grows are refused.",
    bad="""i = 0
while i < 3 and x.sum() < 9:
    x = x * 2
    i = i + 1
return x""",
    good="""i = Tensor(0)
while i < 3 and x.sum() < 9:
    x = x * 2
    i = i + 1
return x""",
    lax=REFUSED,
    find=_find,
)
