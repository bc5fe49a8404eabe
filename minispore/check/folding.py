"""Branches that the real parser leaves out: an attribute of self says that nobody goes there."""

from __future__ import annotations

import ast
import operator
from enum import Enum
from types import ModuleType
from typing import Any

from minispore.check.source import UNKNOWN, Source, kind_of

_ASKED: dict[type, Any] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def left_out(function: Source, node: ast.AST) -> bool:
    """Whether ``node`` stands on a side of an if that no Cell of the run goes to."""
    inner = node
    for up in function.above(node):
        if isinstance(up, ast.If) and inner is not up.test:
            said = answer(function, up.test)
            if said is not None and (inner in up.orelse) == said:
                return True
        inner = up
    return False


def answer(function: Source, test: ast.expr) -> bool | None:
    """What attributes of self say to a condition, the same for each Cell of the run; else None."""
    own = [n for n in ast.walk(test) if isinstance(n, ast.Attribute)]
    written = {n.attr for n in function.walk(ast.Attribute) if isinstance(n.ctx, ast.Store)}
    if any(n.attr in written or function.changes(n.attr) for n in own):
        return None
    said = {_truth(function, test, owner) for owner in function.owners.values()}
    return said.pop() if len(said) == 1 else None


def _truth(function: Source, test: ast.expr, owner: Any) -> bool | None:
    if isinstance(test, ast.BoolOp):
        parts = {_truth(function, value, owner) for value in test.values}
        ends = isinstance(test.op, ast.Or)  # the part that decides alone
        return ends if ends in parts else None if None in parts else not ends
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        said = _truth(function, test.operand, owner)
        return None if said is None else not said
    if isinstance(test, ast.Compare):
        sides = [_plain(function, x, owner) for x in (test.left, *test.comparators)]
        ask = _ASKED.get(type(test.ops[0]))
        if len(sides) > 2 or ask is None or UNKNOWN in map(_marked, sides):
            return None
        try:
            return bool(ask(*sides))
        except TypeError:
            return None
    held = _plain(function, test, owner)
    return None if held is UNKNOWN else True if kind_of(held) == "cell" else bool(held)


def _marked(x: Any) -> str:
    return UNKNOWN if x is UNKNOWN else ""


def _plain(function: Source, node: ast.AST, owner: Any) -> Any:
    """A constant, or an attribute of self that is a number, a text, None, a Cell or of an Enum."""
    if isinstance(node, ast.Constant):
        return node.value
    if not isinstance(node, ast.Attribute):
        return UNKNOWN
    if isinstance(node.value, ast.Name) and node.value.id == "self":
        held = getattr(owner, node.attr, UNKNOWN)
    else:
        of = function.value(node.value)
        held = function.value(node) if isinstance(of, type | ModuleType) else UNKNOWN
    fits = isinstance(held, bool | int | float | str | Enum | type(None)) or kind_of(held) == "cell"
    return held if fits else UNKNOWN


__all__ = ["answer", "left_out"]
