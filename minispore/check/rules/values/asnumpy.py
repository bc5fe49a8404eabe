"""A tensor's values can't be taken out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls("asnumpy", "numpy", "tolist"):
        if not isinstance(call.func, ast.Attribute) or call.args:
            continue
        if function.kind(call.func.value) in ("tensor", "parameter", "unknown"):
            yield call


RULE = Rule(
    name="asnumpy",
    says="Under STRICT asnumpy, numpy and tolist are refused; LAX allows them and cuts the "
    "gradient there to zero.",
    bad="return x * float(x.asnumpy().sum())",
    good="return x * x.sum()",
    find=_find,
)
