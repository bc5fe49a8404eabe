"""Report ``locals``, ``globals``, ``iter``, ``next`` and some ``eval``, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_namespace_access(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of ``locals``, ``globals``, ``iter``, ``next``, and ``eval`` of a str that names
    locals.

    A compiled graph does not have Python's namespaces and iterators, so MindSpore refuses these
    calls in LAX and STRICT.
    """
    for call in function.find_calls("locals", "globals", "iter", "next"):
        if isinstance(call.func, ast.Name):
            yield call
    for call in function.find_calls("eval"):
        argument = call.args[0] if call.args else call
        if isinstance(argument, ast.Constant) and _names_local_variables(
            function, str(argument.value)
        ):
            yield call


def _names_local_variables(function: TracedFunction, text: str) -> bool:
    """Whether an expression in ``text`` names an argument or a local variable of the function."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return False
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    return bool(names & {*function.arguments, *function.stores})


RULE = Rule(
    name="namespace",
    says="locals(), globals(), iter(), next() and an eval() of local names are refused.",
    bad="""k = 3
return x * locals()["k"]""",
    good="""k = 3
return x * k""",
    lax=REFUSED,
    find=_find_namespace_access,
)
