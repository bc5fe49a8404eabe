"""Report lists that grow in a loop under a condition on a tensor, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def find_grown_names(function: TracedFunction, body: list[ast.stmt]) -> set[str]:
    """Return the names of the lists and tuples that these statements extend, by append, ``+=`` or
    ``r = r + [x]``.
    """
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
    """Yield each ``if`` on a tensor with the names of lists that only one branch extends."""
    for conditional in function.walk(ast.If):
        if function.infer_kind(conditional.test) == "tensor":
            sides = conditional.body, conditional.orelse
            grown_names, else_grown_names = (find_grown_names(function, body) for body in sides)
            yield conditional, grown_names ^ else_grown_names


def _find_growth_in_loop(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find lists and tuples that grow in a loop in one branch of a condition on a tensor.

    A compiled loop needs variables of a fixed structure, but the length would depend on a tensor's
    value, so MindSpore refuses the loop in LAX and STRICT.
    """
    for conditional, names in find_one_sided_growth(function):
        ancestors = function.iterate_ancestors(conditional)
        loop = next((a for a in ancestors if isinstance(a, ast.For | ast.While)), None)
        if loop is None:
            continue
        for name in sorted(names):
            if any(s.lineno < loop.lineno for s in function.stores.get(name, ())):
                yield conditional, name


RULE = Rule(
    name="grown-in-branch",
    says="A list or tuple that grows in a loop, in only one branch of a condition on a tensor, is "
    "refused.",
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
