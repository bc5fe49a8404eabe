"""A Parameter that construct returns is its value at that time."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source, called


def _find(function: Source) -> Iterator[Found]:
    if not any(_writes(function)):
        return
    for made in function.walk(ast.Return):
        value = made.value
        for part in value.elts if isinstance(value, ast.Tuple | ast.List) else [value]:
            if part is not None and function.kind(part) == "parameter":
                yield made
                break


def _writes(function: Source) -> Iterator[ast.AST]:
    for node in function.walk(ast.Attribute):
        if isinstance(node.ctx, ast.Store) and function.before.get(node.attr) == "parameter":
            yield node
    for call in function.walk(ast.Call):
        if called(call) in ("assign", "assign_add", "assign_sub"):
            yield call


RULE = Rule(
    name="parameter-returned",
    says="A Parameter that is written and returned comes back as a tensor of this call's value; "
    "PYNATIVE_MODE returns the Parameter itself, which later calls change.",
    bad="self.w = self.w + x\nreturn self.w",
    good="self.w = self.w + x\nreturn self.w * 1",
    lax=OTHER,
    strict=OTHER,
    around=construct('self.w = ms.Parameter(Tensor([1.0, 1.0]), name="w")'),
    find=_find,
)
