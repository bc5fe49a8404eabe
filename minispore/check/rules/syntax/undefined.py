"""Report undefined names, which graphs refuse even in a branch that is not taken."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_undefined_name(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find names that are read and that neither the function nor its module or Python defines.

    MindSpore resolves every name when it compiles, also in branches that are never taken, and
    refuses an undefined one in LAX and STRICT. Lambdas are left out, and so are functions without
    source, which are represented by an empty ``def _()``.
    """
    if isinstance(function.node, ast.FunctionDef) and function.name != "_":
        inner_names = {a.arg for a in function.walk(ast.arg)} | {
            n.name
            for n in function.walk(ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)
            if n.name
        }
        imported = {a.asname or a.name for a in function.walk(ast.alias)}
        outer_names = {*function.initial_values, *function.namespace}
        defined = {*function.stores, *inner_names, *imported, *outer_names}
        for name in function.loads:
            if name.id not in defined and not hasattr(builtins, name.id):
                yield name


RULE = Rule(
    name="undefined",
    says="Every name must exist when the function is compiled, even in a branch that never runs.",
    bad="""if x.ndim > 9:
    return nothing
return x""",
    good="return x",
    lax=REFUSED,
    find=_find_undefined_name,
)
