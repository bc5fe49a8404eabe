"""Report ``defaultdict``, which is a plain dict in a graph."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_defaultdict(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of ``defaultdict``, whose missing keys a graph does not fill in."""
    for call in function.walk(ast.Call):
        if function.resolve_value(call.func) is defaultdict:
            yield call


RULE = Rule(
    name="defaultdict",
    says="In a graph a defaultdict has no defaults: reading a missing key is refused.",
    bad="""d = defaultdict(list)
d["a"].append(x)
return d["a"][0]""",
    good="""d = {"a": []}
d["a"].append(x)
return d["a"][0]""",
    lax=REFUSED,
    around=make_construct_template(head="from collections import defaultdict"),
    find=_find_defaultdict,
)
