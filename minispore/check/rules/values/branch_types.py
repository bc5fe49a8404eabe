"""Both sides of a condition on a tensor must give the same type."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import NUMBERS, Source, called
from minispore.core.tensor import Tensor

CASTS = {"cast", "astype", "to", "int", "long", "half", "Cast"}


def _type(function: Source, value: ast.AST) -> tuple[str, str]:
    """What a value is, and the dtype that it is cast to, if that is seen."""
    kind = function.kind(value)
    if kind == "unknown" and called(value) in CASTS:
        kind = "tensor"
    if isinstance(value, ast.Call) and called(value) in CASTS:
        return kind, ast.unparse(value.args[-1]) if value.args else called(value)
    if isinstance(value, ast.Compare) and kind == "tensor":
        return kind, "bool"
    text = ast.unparse(value) if isinstance(value, ast.Constant) and kind == "str" else ""
    return kind, text


def _given(function: Source, body: list[ast.stmt]) -> dict[str, tuple[str, str]]:
    found = {}
    for statement in body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            found[statement.targets[0].id] = _type(function, statement.value)
    return found


def _differ(a: tuple[str, str], b: tuple[str, str]) -> bool:
    kinds = {a[0], b[0]}
    if "unknown" in kinds:
        return False
    if kinds == {"str"}:
        return a[1] != b[1]
    if len(kinds) > 1:
        return "tensor" in kinds
    return kinds == {"tensor"} and a[1] != b[1]


def _before(function: Source, test: ast.If, name: str) -> ast.AST | None:
    """What ``name`` was given last before ``test``, if that is one plain assignment."""
    given = [
        function.parents.get(store)
        for store in function.stores.get(name, [])
        if store.lineno < test.lineno
    ]
    if not given:
        known = function.known.get(name) if name in function.arguments else None
        here = ast.copy_location(ast.Name(name, ast.Load()), test)
        return here if isinstance(known, Tensor) else None
    last: Any = given[-1]
    beside = function.parents.get(last) is function.parents.get(test)
    outside = function.parents.get(last) in [*function.above(test)]
    plain = isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name)
    return last.value if plain and (beside or outside) else None


def _dtype(function: Source, value: ast.AST) -> str:
    """The dtype of a tensor, as far as its text tells: "" is any, "?" any but bool."""
    if isinstance(value, ast.Name) and value.id in function.arguments:
        known = function.known.get(value.id)
        if isinstance(known, Tensor) and len(function.stores.get(value.id, [])) <= 1:
            return str(known.dtype).lower()
    if isinstance(value, ast.Compare):
        return "bool"
    if isinstance(value, ast.Call) and called(value) in CASTS:
        text = ast.unparse(value.args[-1]).rpartition(".")[2] if value.args else called(value)
        return _SHORT.get(text, text).strip("_").lower()
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub | ast.Mult):
        return "?"
    return ""


_SHORT = {"int": "int32", "long": "int64", "half": "float16"}


def _one_sided(function: Source, test: ast.If) -> Iterator[str]:
    """Names that only the one side gives, another type than they had, and that are read later."""
    if test.orelse or any(isinstance(s, ast.Return | ast.Raise) for s in test.body):
        return
    end = test.end_lineno or test.lineno
    loop = any(isinstance(up, ast.For | ast.While) for up in function.above(test))
    statement: Any
    for statement in test.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if len(targets) != 1 or not isinstance(targets[0], ast.Name):
            continue
        name = targets[0].id
        last = [s for s in function.stores[name] if test.lineno <= s.lineno <= end][-1]
        read = any(n.id == name and (n.lineno > end or loop) for n in function.loads)
        old = _before(function, test, name)
        if last is not targets[0] or old is None or not read:
            continue
        kinds = function.kind(old), function.kind(statement.value)
        if kinds[1] == "unknown" and called(statement.value) in CASTS:
            kinds = kinds[0], "tensor"
        if set(kinds) == {"tensor"}:
            one, other = _dtype(function, old), _dtype(function, statement.value)
            if "?" in (one, other):
                differ = "bool" in (one, other)
            else:
                differ = bool(one and other) and one != other
            if differ:
                yield name
        elif "tensor" in kinds and not {"none", "unknown", "parameter", "object"} & set(kinds):
            yield name


def _results(function: Source, test: ast.If) -> list[tuple[str, str]]:
    """What is returned on the one side and, if on the other or next after it, there."""
    up = function.parents.get(test)
    rest = getattr(up, "body", []) if test in getattr(up, "body", []) else []
    after = test.orelse or rest[rest.index(test) + 1 :] if rest or test.orelse else []
    found = [
        next((s for s in body if isinstance(s, ast.Return)), None) for body in (test.body, after)
    ]
    return [_type(function, s.value) for s in found if s is not None and s.value is not None]


def _returns_differ(function: Source, test: ast.If) -> bool:
    sides = _results(function, test)
    if len(sides) < 2 or "none" in (sides[0][0], sides[1][0]):
        return False
    if {sides[0][0], sides[1][0]} <= NUMBERS:
        return sides[0][0] != sides[1][0]
    return _differ(*sides)


def _asked(function: Source, node: ast.AST) -> bool:
    """Whether only the truth of ``node`` is asked."""
    up = function.parents.get(node)
    return isinstance(up, ast.If | ast.While | ast.IfExp | ast.BoolOp | ast.UnaryOp | ast.Assert)


def _find(function: Source) -> Iterator[Found]:
    for test in function.walk(ast.If):
        if function.kind(test.test) != "tensor":
            continue
        if _returns_differ(function, test):
            yield test, "what is returned"
        left, right = _given(function, test.body), _given(function, test.orelse)
        for name in left.keys() & right.keys():
            if _differ(left[name], right[name]):
                yield test, name
        for name in _one_sided(function, test):
            yield test, name
    for made in function.walk(ast.IfExp):
        sides = _type(function, made.body), _type(function, made.orelse)
        if "none" in (sides[0][0], sides[1][0]):
            continue  # None gives way to the other side
        if function.kind(made.test) == "tensor" and _differ(*sides):
            yield made
    for made in function.walk(ast.BoolOp):
        kinds = [function.kind(v) for v in made.values]
        if "tensor" in kinds and set(kinds) & NUMBERS and not _asked(function, made):
            yield made


RULE = Rule(
    name="branch-types",
    says="Where a tensor decides, a name or result that is a tensor on one side and a number, a "
    "text or of another dtype on the other is refused.",
    bad="""if x.sum() > 0:
    y = 1
else:
    y = x
return y""",
    good="""if x.sum() > 0:
    y = ops.ones_like(x)
else:
    y = x
return y""",
    lax=REFUSED,
    find=_find,
)
