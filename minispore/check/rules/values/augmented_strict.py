"""Report in-place operators that only STRICT applies in place, on tensors of a changed list."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.rules.values.augmented import find_shared_in_place_update, is_left_to_python
from minispore.check.source import TracedFunction


def _find_update_in_strict(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find the in-place updates of a shared tensor that LAX leaves to Python."""
    updates = find_shared_in_place_update(function)
    yield from (node for node in updates if is_left_to_python(function, node))


RULE = Rule(
    name="augmented-strict",
    says="Under STRICT x += y writes into the tensor itself, even if x comes from a list that "
    "insert or pop changes, or becomes an item of one.",
    bad="v = [x]\nv.insert(0, x * 2)\ny = v[1]\ny += 1\nreturn y",
    good="v = [x]\nv.insert(0, x * 2)\ny = v[1] + 1\nreturn y",
    strict=OTHER,
    find=_find_update_in_strict,
)
