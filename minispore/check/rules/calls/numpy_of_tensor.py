"""Functions of other packages can't take a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from minispore.check.rule import Found, Rule
from minispore.check.source import UNKNOWN, Source

FOREIGN = ("numpy", "functools", "_functools", "itertools")


def holds_tensor(function: Source, node: ast.AST) -> bool:
    """Whether an expression is a tensor, or a list or tuple that is seen to hold one."""
    made = function.made(node)
    parts = made.elts if isinstance(made, ast.List | ast.Tuple) else [node]
    return any(function.kind(part) == "tensor" for part in parts)


def _find(function: Source) -> Iterator[Found]:
    for call in function.walk(ast.Call):
        held = function.value(call.func)
        if held is UNKNOWN or (isinstance(held, type) and held.__module__ != "itertools"):
            continue
        said = getattr(held, "__module__", None) or type(held).__module__  # before NumPy 2: np.exp
        module = said.partition(".")[0]
        if (
            isinstance(held, partial)
            or module == "json"
            or (module in FOREIGN and any(holds_tensor(function, a) for a in call.args))
        ):
            yield call


RULE = Rule(
    name="numpy-of-tensor",
    says="Under STRICT a function of NumPy, json or another package is refused unless its result "
    "is a constant.",
    bad="return Tensor(np.exp(x))",
    good="return ops.exp(x)",
    find=_find,
)
