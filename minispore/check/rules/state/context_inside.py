"""Report reads and changes of the context in a graph, which graphs refuse."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction

CONTEXT_FUNCTIONS = (
    "set_context", "get_context", "set_auto_parallel_context", "get_auto_parallel_context",
    "reset_auto_parallel_context", "set_seed", "set_device",
)  # fmt: skip


def _find_context_access(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of ``set_context``, ``get_context`` and similar functions.

    The context belongs to the Python program and is fixed for a compiled graph; MindSpore refuses
    the calls in LAX and STRICT.
    """
    yield from function.find_calls(*CONTEXT_FUNCTIONS)


RULE = Rule(
    name="context",
    says="set_context, get_context and similar functions are refused inside construct.",
    bad="""if ms.get_context("mode") == 0:
    return x
return x * 2""",
    good="""if self.is_graph:  # asked in __init__
    return x
return x * 2""",
    lax=REFUSED,
    around=make_construct_template("self.is_graph = True"),
    find=_find_context_access,
)
