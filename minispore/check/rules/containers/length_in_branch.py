"""Report returned lists whose length depends on a tensor: graphs return a different structure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.rules.containers.grown_in_branch import find_one_sided_growth
from minispore.check.rules.containers.list_changed import is_returned
from minispore.check.source import NUMBER_KINDS, TracedFunction


def _find_literal_lengths(body: list[ast.stmt]) -> dict[str, int]:
    """Return the lengths of the tuple and list literals that these statements bind to names."""
    return {
        statement.targets[0].id: len(statement.value.elts)
        for statement in body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and isinstance(statement.value, ast.Tuple | ast.List)
    }


def _appends_only_numbers(function: TracedFunction, name: str) -> bool:
    """Whether numbers, and nothing else, are appended to a list: they are returned unchanged."""
    kinds = [
        function.infer_kind(call.args[0])
        for call in function.find_calls("append")
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == name
    ]
    return bool(kinds) and NUMBER_KINDS.issuperset(kinds)


def _find_tensor_dependent_length(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find returned lists and tuples whose length depends on a condition on a tensor.

    A graph returns one structure for both branches: the result contains a stack of its tensors, in
    LAX and STRICT.
    """
    for test, names in find_one_sided_growth(function):
        then_lengths, else_lengths = (
            _find_literal_lengths(test.body),
            _find_literal_lengths(test.orelse),
        )
        differing = {
            name
            for name in then_lengths.keys() & else_lengths.keys()
            if then_lengths[name] != else_lengths[name]
        }
        is_in_loop = function.is_inside(test, ast.For, ast.While)
        for name in sorted(differing if is_in_loop else names | differing):
            if is_returned(function, name) and not _appends_only_numbers(function, name):
                yield test, name


RULE = Rule(
    name="length-in-branch",
    says="If a condition on a tensor changes the length of a list or tuple, the returned one "
    "contains a stack of its tensors.",
    bad="""r = [x]
if x.sum() > 0:
    r.append(x * 2)
return r""",
    good="""r = [x, x]
if x.sum() > 0:
    r[1] = x * 2
return r""",
    lax=OTHER,
    strict=OTHER,
    find=_find_tensor_dependent_length,
)
