"""A list can't grow in a loop where a tensor says whether it does."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def grown(function: Source, body: list[ast.stmt]) -> set[str]:
    """The names of lists that statements append to, and of tuples that they lengthen."""
    found = set()
    for node in (n for statement in body for n in ast.walk(statement)):
        to = more = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            to = node.func.value if node.func.attr == "append" else None
        elif isinstance(node, ast.AugAssign):
            to, more = node.target, node.value
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):  # r = r + [x]
            same = ast.unparse(node.targets[0]) == ast.unparse(node.value.left)
            to, more = node.targets[0] if same else None, node.value.right
        if isinstance(to, ast.Name) and (more is None or function.kind(more) in ("list", "tuple")):
            found.add(to.id)
    return found


def decided(function: Source) -> Iterator[tuple[ast.If, set[str]]]:
    """The conditions on tensors, and the names that grow on one side of each alone."""
    for test in function.walk(ast.If):
        if function.kind(test.test) == "tensor":
            yield test, grown(function, test.body) ^ grown(function, test.orelse)


def _find(function: Source) -> Iterator[Found]:
    for test, names in decided(function):
        loop = next((u for u in function.above(test) if isinstance(u, ast.For | ast.While)), None)
        for name in sorted(names) if loop is not None else ():
            begins = getattr(loop, "lineno", 0)
            if any(s.lineno < begins for s in function.stores.get(name, ())):
                yield test, name


RULE = Rule(
    name="grown-in-branch",
    says="A list or tuple that grows in a loop on one side of a condition on a tensor is refused.",
    bad="""r = [x.sum()]
for i in range(2):
    if x[i] > 0:
        r.append(x[i])
return ops.stack(r)""",
    good="return x[x > 0]",
    lax=REFUSED,
    find=_find,
)

__all__ = ["RULE", "decided"]
