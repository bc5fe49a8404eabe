"""str, type, id, any, all and in can't be asked of a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import Found, Rule
from minispore.check.source import UNKNOWN, Source, called
from minispore.core.tensor import Tensor


def _named_in(function: Source, node: ast.AST) -> bool:
    """Whether a list that is written out, or what a generator goes over, names a tensor."""
    loops = [g.iter for g in getattr(node, "generators", ())]
    parts = [node] if isinstance(node, ast.List | ast.Tuple) else loops
    named = (n for part in parts for n in ast.walk(part) if isinstance(n, ast.Name))
    return any(function.kind(n) == "tensor" for n in named)


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls(
        "str", "type", "id", "any", "all", "repr", "hash", "tensor", "Tensor"
    ):
        if not isinstance(call.func, ast.Name | ast.Attribute) or not call.args:
            continue
        first = call.args[0]
        name = called(call)
        if name in ("tensor", "Tensor"):
            held = function.value(call.func)
            if held is UNKNOWN or not (held is Tensor or getattr(held, "__name__", "") == "tensor"):
                continue
            inner = first.elts if isinstance(first, ast.List | ast.Tuple) else [first]
            if any(function.kind(a) == "tensor" for a in inner):
                yield call
        elif isinstance(call.func, ast.Name) and (
            function.kind(first) == "tensor"
            or (name in ("any", "all") and _named_in(function, first))
        ):
            yield call
    for node in function.walk(ast.Compare):
        asked = isinstance(node.ops[0], ast.In | ast.NotIn)
        if asked and function.kind(node.comparators[0]) == "tensor":
            yield node


RULE = Rule(
    name="of-tensor",
    says="Under STRICT str(x), type(x), id(x), any(x), all(x) and v in x are refused for a tensor.",
    bad="""if any(x > 1):
    return x * 2
return x""",
    good="""if (x > 1).any():
    return x * 2
return x""",
    find=_find,
)
