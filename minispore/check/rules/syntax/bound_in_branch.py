"""Report names that only one branch of an ``if`` binds and that are read after it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import ModuleType

from minispore.check.dataflow.folding import evaluate_condition
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _is_decided_by_parser(function: TracedFunction, test: ast.AST) -> bool:
    """Whether MindSpore's parser decides a condition: attributes of self, alone or compared with
    constants.
    """
    if isinstance(test, ast.BoolOp):
        return all(_is_decided_by_parser(function, value) for value in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_decided_by_parser(function, test.operand)
    if isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        has_no_membership = not any(isinstance(op, ast.In | ast.NotIn) for op in test.ops)
        attribute_count = sum(_is_attribute_of_self(function, s) for s in sides)
        are_sides_decided = all(
            _is_attribute_of_self(function, s) or _is_constant(function, s) for s in sides
        )
        return (
            has_no_membership
            and are_sides_decided
            and attribute_count < 2
            and any(isinstance(s, ast.Attribute) for s in sides)
        )
    return _is_attribute_of_self(function, test)


def _is_attribute_of_self(function: TracedFunction, node: ast.AST) -> bool:
    """Whether ``node`` is an attribute of self."""
    return isinstance(node, ast.Attribute) and _is_unassigned_name(function, node.value, "self")


def _is_constant(function: TracedFunction, node: ast.AST) -> bool:
    """Whether ``node`` is a constant or an attribute of a module."""
    is_module_attribute = isinstance(node, ast.Attribute) and isinstance(
        function.resolve_value(node.value), ModuleType
    )
    return isinstance(node, ast.Constant) or is_module_attribute


def _is_unassigned_name(function: TracedFunction, node: ast.AST, name: str) -> bool:
    """Whether ``node`` is the name ``name``, and the function never assigns it."""
    return isinstance(node, ast.Name) and node.id == name and name not in function.stores


def _find_bound_names(body: list[ast.stmt]) -> set[str]:
    """Return the names that these statements bind anywhere."""
    return {
        n.id
        for statement in body
        for n in ast.walk(statement)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _find_surely_bound_names(body: list[ast.stmt]) -> set[str]:
    """Return the names that every path through ``body`` binds."""
    names: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.If):
            sides = [
                _find_surely_bound_names(b)
                for b in (statement.body, statement.orelse)
                if not _leaves_block(b)
            ]
            names |= set.intersection(*sides) if sides else set()
        elif not isinstance(statement, ast.For | ast.While | ast.Try):
            names |= _find_bound_names([statement])
    return names


def _leaves_block(body: list[ast.stmt]) -> bool:
    """Whether a block ends with ``return``, ``raise``, ``continue`` or ``break``."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def _is_read_after(function: TracedFunction, name: str, end: int) -> bool:
    """Whether ``name`` is read after line ``end``, before it is bound again.

    A statement that binds it, such as ``y = y + 1``, reads it first. A comprehension's
    variable of that name does not count.
    """
    stores = function.stores.get(name, ())
    later = [
        n
        for n in function.walk(ast.Name)
        if n.id == name
        and n.lineno > end
        and not any(function.is_comprehension_variable(s, n) for s in stores)
    ]
    first_line = min((n.lineno for n in later), default=0)
    return any(isinstance(n.ctx, ast.Load) for n in later if n.lineno == first_line)


def _find_reads_of_untaken_side(
    function: TracedFunction, conditional: ast.If
) -> Iterator[RuleMatch]:
    """Yield reads of names that only the untaken branch of a decided ``if`` binds.

    The parser leaves that branch out. Reads in that branch or in another decided ``if`` do not
    count.
    """
    outcome = evaluate_condition(function, conditional.test)
    if outcome is None or _leaves_block(conditional.body):
        return
    skipped_body, chosen_body = (
        (conditional.orelse, conditional.body)
        if outcome
        else (conditional.body, conditional.orelse)
    )
    skipped_nodes = {n for statement in skipped_body for n in ast.walk(statement)}
    for name in sorted(
        _find_bound_names(skipped_body) - _find_bound_names(chosen_body) - {*function.arguments}
    ):
        if all(s in skipped_nodes for s in function.stores[name]):
            reads = (n for n in function.loads if n.id == name and n not in skipped_nodes)
            for read in reads:
                if not _is_in_decided_branch(function, read):
                    yield read, name
                    break


def _is_in_decided_branch(function: TracedFunction, node: ast.AST) -> bool:
    """Whether ``node`` is in an ``if`` whose condition the parser decides."""
    return any(
        isinstance(ancestor, ast.If) and _is_decided_by_parser(function, ancestor.test)
        for ancestor in function.iterate_ancestors(node)
    )


def _find_name_bound_in_branch(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find names that only one branch of an ``if`` binds and that are read after it.

    MindSpore compiles both branches, and after one of them the name has no value, so it refuses the
    name in LAX and STRICT. If its parser decides the condition, only reads elsewhere count.
    """
    for conditional in function.walk(ast.If):
        if _is_decided_by_parser(function, conditional.test):
            yield from _find_reads_of_untaken_side(function, conditional)
            continue
        sides = conditional.body, conditional.orelse
        if any(map(_leaves_block, sides)):
            continue
        bound = set.union(*map(_find_bound_names, sides))
        surely_bound = set.intersection(*map(_find_surely_bound_names, sides))
        for name in sorted(bound - surely_bound):
            is_bound_before = any(
                s.lineno < conditional.lineno for s in function.stores.get(name, ())
            )
            if is_bound_before or name in function.arguments:
                continue
            if _is_read_after(function, name, conditional.end_lineno or conditional.lineno):
                yield conditional, name


RULE = Rule(
    name="bound-in-branch",
    says="A name that only one branch of an if binds can't be read after it. If the condition is "
    "an attribute of self, alone or compared with a constant, it can, provided this branch is "
    "taken.",
    bad="""if x.sum() > 0:
    y = x
return y""",
    good="""y = x * 0
if x.sum() > 0:
    y = x
return y""",
    lax=REFUSED,
    find=_find_name_bound_in_branch,
)
