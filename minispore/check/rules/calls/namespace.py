"""locals, globals and their kin are refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls("locals", "globals", "iter", "next"):
        if isinstance(call.func, ast.Name):
            yield call
    for call in function.calls("eval"):
        text = call.args[0] if call.args else call
        if isinstance(text, ast.Constant) and _local_names(function, str(text.value)):
            yield call


def _local_names(function: Source, text: str) -> bool:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return False
    named = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    return bool(named & {*function.arguments, *function.stores})


RULE = Rule(
    name="namespace",
    says="locals(), globals(), iter(), next() and an eval() that names locals are refused.",
    bad="""k = 3
return x * locals()["k"]""",
    good="""k = 3
return x * k""",
    lax=REFUSED,
    find=_find,
)
