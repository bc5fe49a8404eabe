"""Report calls of other packages' functions with a tensor, which STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from minispore.check.rule import Rule, RuleMatch
from minispore.check.source import UNKNOWN, TracedFunction

FOREIGN_PACKAGES = ("numpy", "math", "functools", "_functools", "itertools", "collections")
FOREIGN_CLASSES = ("itertools", "collections")  # packages whose classes are called as functions


def holds_tensor(function: TracedFunction, node: ast.AST) -> bool:
    """Whether an expression is a tensor, or a list or tuple literal that contains one; tensor
    attributes of self do not count.
    """
    literal = function.resolve_literal(node)
    items = literal.elts if isinstance(literal, ast.List | ast.Tuple) else [node]
    return any(
        function.infer_kind(item) == "tensor" and not _is_constant_tensor(function, item)
        for item in items
    )


def _is_constant_tensor(function: TracedFunction, node: ast.AST) -> bool:
    """Whether an expression is a tensor attribute of self, which has a value at compile time."""
    return isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"


def _find_foreign_call_on_tensor(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of NumPy, math, functools and itertools with a tensor, and all calls of json and
    of a ``partial``.

    MindSpore can't compile the code of other packages. Under STRICT it refuses the call unless its
    result is a constant; LAX leaves the call to Python.
    """
    for call in function.walk(ast.Call):
        fn = function.resolve_value(call.func)
        if fn is UNKNOWN or (isinstance(fn, type) and fn.__module__ not in FOREIGN_CLASSES):
            continue
        path = getattr(fn, "__module__", None) or type(fn).__module__  # np.exp before NumPy 2
        module = path.partition(".")[0]
        if (
            isinstance(fn, partial)
            or module == "json"
            or (module in FOREIGN_PACKAGES and any(holds_tensor(function, a) for a in call.args))
        ):
            yield call


RULE = Rule(
    name="numpy-of-tensor",
    says="Under STRICT calling a function of NumPy, json or another package is refused, unless "
    "its result is a constant.",
    bad="return Tensor(np.exp(x))",
    good="return ops.exp(x)",
    find=_find_foreign_call_on_tensor,
)
