"""A name bound on one side of an if is not defined after it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import ModuleType

from minispore.check.folding import answer
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _folds(function: Source, test: ast.AST) -> bool:
    """Whether the parser knows the answer: an attribute of self, alone or against a constant."""
    if isinstance(test, ast.BoolOp):
        return all(_folds(function, value) for value in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _folds(function, test.operand)
    if isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        plain = not any(isinstance(op, ast.In | ast.NotIn) for op in test.ops)
        own = sum(_known(function, s) for s in sides)
        told = all(_known(function, s) or _constant(function, s) for s in sides)
        return plain and told and own < 2 and any(isinstance(s, ast.Attribute) for s in sides)
    return _known(function, test)


def _known(function: Source, node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and _is_held(function, node.value, "self")


def _constant(function: Source, node: ast.AST) -> bool:
    of_module = isinstance(node, ast.Attribute) and isinstance(
        function.value(node.value), ModuleType
    )
    return isinstance(node, ast.Constant) or of_module


def _is_held(function: Source, node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and name not in function.stores


def _bound(body: list[ast.stmt]) -> set[str]:
    return {
        n.id
        for statement in body
        for n in ast.walk(statement)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _surely(body: list[ast.stmt]) -> set[str]:
    """Names that every way through ``body`` binds."""
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.If):
            sides = [_surely(b) for b in (statement.body, statement.orelse) if not _ends(b)]
            found |= set.intersection(*sides) if sides else set()
        elif not isinstance(statement, ast.For | ast.While | ast.Try):
            found |= _bound([statement])
    return found


def _ends(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def _read_after(function: Source, name: str, test: ast.If, last: int) -> bool:
    later = sorted(
        (n.lineno, isinstance(n.ctx, ast.Load))
        for n in function.walk(ast.Name)
        if n.id == name and n.lineno > last
    )
    return any(load for _, load in later[:1]) or (bool(later) and all(load for _, load in later))


def _read_elsewhere(function: Source, test: ast.If) -> Iterator[Found]:
    """Names that only a side bound which the parser left out, read where it leaves out nothing."""
    held = answer(function, test.test)
    if held is None or _ends(test.body):
        return
    left_out, kept = (test.orelse, test.body) if held else (test.body, test.orelse)
    inside = {n for statement in left_out for n in ast.walk(statement)}
    for name in sorted(_bound(left_out) - _bound(kept) - {*function.arguments}):
        if all(s in inside for s in function.stores[name]):
            for n in function.loads:
                if n.id == name and n not in inside and not _left_out(function, n):
                    yield n, name
                    break


def _left_out(function: Source, node: ast.AST) -> bool:
    return any(isinstance(up, ast.If) and _folds(function, up.test) for up in function.above(node))


def _find(function: Source) -> Iterator[Found]:
    for test in function.walk(ast.If):
        if _folds(function, test.test):
            yield from _read_elsewhere(function, test)
            continue
        sides = [_bound(test.body), _bound(test.orelse)]
        ends = [_ends(test.body), _ends(test.orelse)]
        if any(ends):
            continue
        sure = _surely(test.body) & _surely(test.orelse)
        for name in sorted((sides[0] | sides[1]) - sure):
            before = any(s.lineno < test.lineno for s in function.stores.get(name, ()))
            if before or name in function.arguments:
                continue
            last = getattr(test, "end_lineno", test.lineno)
            if _read_after(function, name, test, last):
                yield test, name


RULE = Rule(
    name="bound-in-branch",
    says="A name that only one side of an if binds can't be read after it, unless the condition "
    "is an attribute of self, alone or against a constant.",
    bad="""if x.sum() > 0:
    y = x
return y""",
    good="""y = x * 0
if x.sum() > 0:
    y = x
return y""",
    lax=REFUSED,
    find=_find,
)
