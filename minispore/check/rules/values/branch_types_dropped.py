"""Report branches of different types that do not reach a result, which only STRICT refuses."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.rule import Rule, RuleMatch
from minispore.check.rules.values.branch_types import find_type_mismatches
from minispore.check.source import TracedFunction


def _find_dropped_mismatch(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find mismatches of ``branch-types`` on which no result depends; LAX leaves them out."""
    for match, is_read in find_type_mismatches(function):
        if not is_read:
            yield match


RULE = Rule(
    name="branch-types-dropped",
    says="Under STRICT two branches of different types are refused even if no result depends on "
    "them.",
    bad="y = x.sum() and 1\nz = x * y\nreturn x",
    good="return x",
    find=_find_dropped_mismatch,
)
