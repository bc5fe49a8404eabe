"""Report iterators that are used twice, which are tuples in a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction, get_called_name

ITERATORS = (zip, map, enumerate, filter)


def _find_uses(function: TracedFunction, name: str) -> list[ast.Name]:
    """Return the reads of ``name`` that consume it: by loops, comprehensions and calls."""
    uses = []
    for n in function.loads:
        parent = function.parents.get(n)
        is_loop = isinstance(parent, ast.For | ast.comprehension) and parent.iter is n
        if n.id == name and (is_loop or (isinstance(parent, ast.Call) and n in parent.args)):
            uses.append(n)
    return uses


def _find_iterator_used_twice(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find names bound to a ``zip``, ``map``, ``enumerate`` or ``filter`` that are iterated over
    twice.

    Python's iterator is empty the second time. A graph uses a tuple instead, in LAX and STRICT.
    """
    for assignment in function.walk(ast.Assign):
        target, value = assignment.targets[0], assignment.value
        is_name = isinstance(target, ast.Name) and len(function.stores[target.id]) == 1
        is_call = isinstance(value, ast.Call) and get_called_name(value) != ""
        if not (is_name and is_call and function.resolve_value(value.func) in ITERATORS):
            continue
        outer_loops = {*function.iterate_ancestors(assignment)}
        uses = _find_uses(function, target.id)
        is_repeated = any(
            isinstance(loop, ast.For | ast.While)
            and loop not in outer_loops
            and getattr(loop, "iter", None) is not n
            for n in uses
            for loop in function.iterate_ancestors(n)
        )
        if len(uses) > 1 or is_repeated:
            yield uses[-1], target.id


RULE = Rule(
    name="used-twice",
    says="In a graph zip, map, enumerate and filter return tuples. A second loop runs again, "
    "while Python's iterator is empty by then.",
    bad="""pairs = zip((1, 2), (3, 4))
for a, b in pairs:
    x = x + a * b
for a, b in pairs:
    x = x + a * b
return x""",
    good="""pairs = ((1, 3), (2, 4))
for a, b in pairs:
    x = x + a * b
for a, b in pairs:
    x = x + a * b
return x""",
    lax=OTHER,
    strict=OTHER,
    find=_find_iterator_used_twice,
)
