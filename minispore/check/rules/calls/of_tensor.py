"""Report builtins such as ``str`` and ``any``, and ``in``, that need a tensor's value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import Rule, RuleMatch
from minispore.check.source import UNKNOWN, TracedFunction, get_called_name
from minispore.core.tensor import Tensor


def _names_tensor(function: TracedFunction, node: ast.AST) -> bool:
    """Whether a list or tuple literal, or the iterable of a generator, names a tensor."""
    iterables = [g.iter for g in getattr(node, "generators", ())]
    expressions = [node] if isinstance(node, ast.List | ast.Tuple) else iterables
    names = (
        n for expression in expressions for n in ast.walk(expression) if isinstance(n, ast.Name)
    )
    return any(function.infer_kind(n) == "tensor" for n in names)


def _find_builtin_on_tensor(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``str``, ``type``, ``any`` and similar calls, ``Tensor(...)`` and ``in``, with a tensor.

    A tensor has no value while a graph is compiled, so STRICT refuses code that needs it; LAX
    leaves such code to Python.
    """
    for call in function.find_calls(
        "str", "type", "id", "any", "all", "repr", "hash", "tensor", "Tensor"
    ):
        if not isinstance(call.func, ast.Name | ast.Attribute) or not call.args:
            continue
        argument = call.args[0]
        name = get_called_name(call)
        if name in ("tensor", "Tensor"):
            callee = function.resolve_value(call.func)
            if callee is UNKNOWN or not (
                callee is Tensor or getattr(callee, "__name__", "") == "tensor"
            ):
                continue
            items = argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument]
            if any(function.infer_kind(a) == "tensor" for a in items):
                yield call
        elif isinstance(call.func, ast.Name) and (
            function.infer_kind(argument) == "tensor"
            or (name in ("any", "all") and _names_tensor(function, argument))
        ):
            yield call
    for node in function.walk(ast.Compare):
        is_membership = isinstance(node.ops[0], ast.In | ast.NotIn)
        if is_membership and function.infer_kind(node.comparators[0]) == "tensor":
            yield node


RULE = Rule(
    name="of-tensor",
    says="Under STRICT str(x), type(x), id(x), any(x), all(x) and v in x are refused if x is a "
    "tensor.",
    bad="""if any(x > 1):
    return x * 2
return x""",
    good="""if (x > 1).any():
    return x * 2
return x""",
    find=_find_builtin_on_tensor,
)
