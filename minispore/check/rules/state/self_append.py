"""Report changes of a list or dict of self, which a graph makes once or not at all."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.dataflow.liveness import Liveness
from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.rules.state.self_item import CHANGING_METHODS, is_container_of_self
from minispore.check.source import TracedFunction


def _find_self_container_change(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of ``append``, ``pop`` and similar methods on a list, dict or deque of self.

    A graph, in LAX and STRICT, makes the change once, while it is traced, or not at all.
    """
    for call in function.find_calls(*CHANGING_METHODS):
        container = getattr(call.func, "value", None)
        if container is None or not is_container_of_self(function, container):
            continue
        reads = [
            n
            for n in function.walk(ast.Attribute)
            if n.attr == container.attr and n is not container
        ]
        if not reads or any(map(Liveness(function).reaches_result, reads)):
            yield call


RULE = Rule(
    name="self-append",
    says="append, pop and similar methods of a list or dict of self take effect only once, or not "
    "at all.",
    bad="self.seen.append(x)\nreturn x",
    good="return x, x  # and let the caller keep it",
    lax=OTHER,
    strict=OTHER,
    around=make_construct_template("self.seen = []"),
    find=_find_self_container_change,
)
