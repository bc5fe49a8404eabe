"""An augmented assignment of a tensor is in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source, called


def in_place(node: ast.AST | None) -> bool:
    kinds = ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv
    return isinstance(node, ast.AugAssign) and isinstance(node.op, kinds)


def _kind_before(function: Source, target: ast.Name) -> str:
    return function.kind(ast.copy_location(ast.Name(target.id, ast.Load()), target))


def _shared(function: Source, name: str, node: ast.AugAssign) -> bool:
    """Whether the tensor is known by another name, or the sum began as a number."""
    before = [s for s in function.stores.get(name, ()) if s.lineno < node.lineno]
    plain = [s for s in before if not in_place(function.parents.get(s))]
    if not plain:
        return name in function.arguments
    up = function.parents.get(plain[-1])
    if isinstance(up, ast.Tuple):  # a, b = t
        held = getattr(function.parents.get(up), "value", None)
        return isinstance(held, ast.Name) and any(
            n.id == held.id and n.lineno > node.lineno for n in function.loads
        )
    value = getattr(up, "value", None)
    if isinstance(value, ast.Name | ast.Attribute) and function.kind(value) != "int":
        return not _made_for_the_loop(function, value)
    if isinstance(value, ast.Constant):  # the first tensor that is added is then added to
        more = [s for s in function.stores[name] if s.lineno > plain[-1].lineno]
        named = isinstance(node.value, ast.Name | ast.Attribute)
        if named and _made_for_the_loop(function, node.value):
            return False
        return named and (len(more) > 1 or function.within(node, ast.For, ast.While))
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
        held = value.value
        if function.kind(held) in ("list", "tuple", "dict"):
            return any(n.id == held.id and n.lineno > node.lineno for n in function.loads)
    made = _last_for_sure(function, plain, node)
    return any(
        n.id == name and (made is None or n.lineno > made.lineno) and _kept(function, n, node, made)
        for n in function.loads
    )


def _seen_shared(function: Source, name: str, node: ast.AugAssign) -> bool:
    """Whether the tensor had another name when it ran, that is read later or is the caller's."""
    return any(
        other in function.arguments
        or any(n.id == other and n.lineno > node.lineno for n in function.loads)
        for other in function.aliases.get(node.lineno, set()) - {name}
    )


def _last_for_sure(
    function: Source, stores: list[ast.Name], node: ast.AugAssign
) -> ast.Name | None:
    """The last of ``stores`` that every way to ``node`` goes through."""
    ways = set(_ways(function, node))
    sure = (s for s in stores if ways.issuperset(_ways(function, s)))
    return max(sure, key=lambda s: s.lineno, default=None)


def _ways(function: Source, node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """The statements that decide whether ``node`` is reached, and by which side."""
    inner = node
    for up in function.above(node):
        if isinstance(up, ast.If | ast.For | ast.While | ast.Try):
            yield up, inner in up.orelse
        inner = up


def _kept(function: Source, load: ast.Name, node: ast.AugAssign, made: ast.Name | None) -> bool:
    """Whether the tensor gets another name or goes into a container before, or in the same loop
    unless each turn makes it anew.
    """
    up = function.parents.get(load)
    anew = set() if made is None else set(function.above(made))
    loops = [
        p for p in function.above(node) if isinstance(p, ast.For | ast.While) and p not in anew
    ]
    again = any(p in loops for p in function.above(load))
    if load.lineno >= node.lineno and not again:
        return False
    if isinstance(up, ast.Call):
        on = up.func.value if isinstance(up.func, ast.Attribute) else up
        return called(up) in ("append", "insert") and function.kind(on) == "list"
    while isinstance(up, ast.Tuple | ast.List | ast.Dict):
        up = function.parents.get(up)
    return isinstance(up, ast.Assign)


def _made_for_the_loop(function: Source, value: ast.expr) -> bool:
    """Whether a name is of a loop over a tensor's rows, or over tensors made in its very line."""
    for loop in function.walk(ast.For):
        if isinstance(value, ast.Name) and ast.unparse(loop.target) == value.id:
            made = isinstance(loop.iter, ast.List | ast.Tuple) and not any(
                isinstance(e, ast.Name | ast.Attribute) for e in loop.iter.elts
            )
            if made or function.kind(loop.iter) == "tensor":
                return True
    return False


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.AugAssign):
        if not in_place(node):
            continue
        if not isinstance(node.target, ast.Name):
            continue
        name = node.target.id
        if (
            function.kind(node.value) != "tensor"
            and _kind_before(function, node.target) != "tensor"
        ):
            continue
        if _shared(function, name, node) or _seen_shared(function, name, node):
            yield node


RULE = Rule(
    name="augmented",
    says="x += y writes into the tensor itself: an argument, another name of it and a sum that "
    "began as 0 change too.",
    bad="""x += 1
return x""",
    good="""x = x + 1
return x""",
    lax=OTHER,
    strict=OTHER,
    find=_find,
)
