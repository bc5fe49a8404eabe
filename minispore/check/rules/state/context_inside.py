"""The context can't be read or set in construct."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source

NAMES = (
    "set_context", "get_context", "set_auto_parallel_context", "get_auto_parallel_context",
    "reset_auto_parallel_context", "set_seed", "set_device",
)  # fmt: skip


def _find(function: Source) -> Iterator[Found]:
    yield from function.calls(*NAMES)


RULE = Rule(
    name="context",
    says="set_context, get_context and their kin are refused inside of construct.",
    bad="""if ms.get_context("mode") == 0:
    return x
return x * 2""",
    good="""if self.is_graph:  # asked in __init__
    return x
return x * 2""",
    lax=REFUSED,
    around=construct("self.is_graph = True"),
    find=_find,
)
