"""Report lists that grow in a loop under a condition on a tensor, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def find_grown_names(function: TracedFunction, body: list[ast.stmt]) -> set[str]:
    """Return the names of the lists and tuples that these statements make longer."""
    names = set()
    for node in (n for statement in body for n in ast.walk(statement)):
        target = addition = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            target = node.func.value if node.func.attr == "append" else None
        elif isinstance(node, ast.AugAssign):
            target, addition = node.target, node.value
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):  # r = r + [x]
            is_same_name = ast.unparse(node.targets[0]) == ast.unparse(node.value.left)
            target, addition = node.targets[0] if is_same_name else None, node.value.right
        if isinstance(target, ast.Name) and (
            addition is None or function.infer_kind(addition) in ("list", "tuple")
        ):
            names.add(target.id)
    return names


def find_one_sided_growth(function: TracedFunction) -> Iterator[tuple[ast.If, set[str]]]:
    """Yield each ``if`` on a tensor with the names of lists that only one side makes longer."""
    for test in function.walk(ast.If):
        if function.infer_kind(test.test) == "tensor":
            yield (
                test,
                find_grown_names(function, test.body) ^ find_grown_names(function, test.orelse),
            )


def _find_growth_in_loop(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find lists and tuples that grow in a loop on one side of a condition on a tensor.

    A compiled loop needs variables of one structure, and here a tensor's value would decide the
    length, so MindSpore refuses the loop in LAX and STRICT.
    """
    for test, names in find_one_sided_growth(function):
        loop = next(
            (u for u in function.iterate_ancestors(test) if isinstance(u, ast.For | ast.While)),
            None,
        )
        for name in sorted(names) if loop is not None else ():
            first_line = getattr(loop, "lineno", 0)
            if any(s.lineno < first_line for s in function.stores.get(name, ())):
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
    find=_find_growth_in_loop,
)

__all__ = ["RULE", "find_one_sided_growth"]
