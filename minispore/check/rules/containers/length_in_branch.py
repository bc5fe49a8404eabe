"""A list whose length a tensor decides does not come back as it was made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Found, Rule
from minispore.check.rules.containers.grown_in_branch import decided
from minispore.check.rules.containers.list_changed import returned
from minispore.check.source import NUMBERS, Source


def _lengths(body: list[ast.stmt]) -> dict[str, int]:
    """How long the tuples and lists are that statements bind to names."""
    return {
        statement.targets[0].id: len(statement.value.elts)
        for statement in body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and isinstance(statement.value, ast.Tuple | ast.List)
    }


def _of_numbers(function: Source, name: str) -> bool:
    """Whether all that is appended to a list is numbers, which come back as they are."""
    given = [
        function.kind(call.args[0])
        for call in function.calls("append")
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == name
    ]
    return bool(given) and NUMBERS.issuperset(given)


def _find(function: Source) -> Iterator[Found]:
    for test, names in decided(function):
        left, right = _lengths(test.body), _lengths(test.orelse)
        other = {name for name in left.keys() & right.keys() if left[name] != right[name]}
        looped = function.within(test, ast.For, ast.While)
        for name in sorted(other if looped else names | other):
            if returned(function, name) and not _of_numbers(function, name):
                yield test, name


RULE = Rule(
    name="length-in-branch",
    says="A list or tuple that a condition on a tensor makes longer or shorter comes back with a "
    "stack of its tensors in it.",
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
    find=_find,
)
