"""Report writes to Parameters that are dropped from the graph because of a later lambda."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.rules.lambdas.lambda_after_effect import find_lambdas_after_effects
from minispore.check.source import TracedFunction, get_called_name


def _find_dropped_write(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find assignments to Parameters before a lambda in the same list of statements.

    The parser attaches them to the end that it gives the function at the lambda, which is never
    reached.
    """
    for _, effects, has_block in find_lambdas_after_effects(function):
        for effect in effects if not has_block else ():
            target = getattr(effect, "target", None) or getattr(effect, "targets", [None])[0]
            if isinstance(effect, ast.Expr):
                is_write = get_called_name(effect.value) in ("assign", "assign_add", "assign_sub")
            else:
                is_write = function.attribute_kinds.get(getattr(target, "attr", "")) == "parameter"
            if is_write:
                yield effect


RULE = Rule(
    name="lambda-drops-effect",
    says="A lambda after an assignment to a Parameter drops the assignment: the Parameter keeps "
    "its old value. Define the lambda first.",
    bad="""self.w = self.w + x
f = lambda a: a * 2
return f(x)""",
    good="""f = lambda a: a * 2
self.w = self.w + x
return f(x)""",
    lax=OTHER,
    strict=OTHER,
    around=make_construct_template('self.w = ms.Parameter(Tensor([1.0, 2.0]), name="w")'),
    find=_find_dropped_write,
)
