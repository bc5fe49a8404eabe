"""Report lambdas after a statement with only an effect and before a block, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction, get_called_name

_BLOCKS = ast.If | ast.For | ast.While | ast.Assert | ast.Try | ast.With


def find_lambdas_after_effects(
    function: TracedFunction,
) -> Iterator[tuple[ast.Lambda, list[ast.stmt], bool]]:
    """Yield each lambda with the preceding statements that only have an effect, and whether a block
    of statements follows.

    MindSpore's parser ends the function at the first lambda after a call or attribute assignment
    that is a statement of the same list, with no block between them.
    """
    for body in _iterate_statement_lists(function):
        effects: list[ast.stmt] = []
        for index, statement in enumerate(body):
            lambdas = [n for n in ast.walk(statement) if isinstance(n, ast.Lambda)]
            if effects and lambdas and not isinstance(statement, ast.For | ast.While):
                yield lambdas[0], effects, any(isinstance(s, _BLOCKS) for s in body[index:])
                break
            if isinstance(statement, _BLOCKS):
                effects = []
            elif _is_effect(function, statement):
                effects.append(statement)


def _iterate_statement_lists(function: TracedFunction) -> Iterator[list[ast.stmt]]:
    """Yield the body of a function, and the bodies of its blocks."""
    if not isinstance(function.node, ast.Lambda):
        yield function.node.body
    for block in function.walk(ast.If, ast.For, ast.While):
        yield from (body for body in (block.body, block.orelse) if body)


def _is_effect(function: TracedFunction, statement: ast.stmt) -> bool:
    """Whether a statement only sets an attribute of self, or is a call made for its effect."""
    if isinstance(statement, ast.Assign | ast.AugAssign):
        targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
        return any(isinstance(t, ast.Attribute) for t in targets)
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    receiver = getattr(statement.value.func, "value", None)
    is_local_container = function.infer_kind(receiver) in ("list", "dict") if receiver else False
    is_own = isinstance(receiver, ast.Name) and receiver.id in function.stores
    return not (is_local_container and is_own) and get_called_name(statement.value) not in _HOOKS


_HOOKS = ("register_hook",)


def _find_lambda_before_block(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find lambdas after an effect, in or before a block; MindSpore refuses them at each level."""
    for inner, _, has_block in find_lambdas_after_effects(function):
        if has_block:
            yield inner


RULE = Rule(
    name="lambda-after-effect",
    says="A lambda after a side effect (print, assign, self.w = y) is refused in or before an if, "
    "a loop or an assert. Move it before the side effect.",
    bad="""print(x.shape)
f = lambda a: a * 2
if x.sum() > 0:
    return f(x)
return x""",
    good="""f = lambda a: a * 2
print(x.shape)
if x.sum() > 0:
    return f(x)
return x""",
    lax=REFUSED,
    find=_find_lambda_before_block,
)

__all__ = ["RULE", "find_lambdas_after_effects"]
