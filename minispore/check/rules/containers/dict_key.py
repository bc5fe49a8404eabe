"""A tensor can't be the key of a dict."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for made in function.walk(ast.Dict):
        for key in made.keys:
            if key is not None and function.kind(key) == "tensor":
                yield key


RULE = Rule(
    name="dict-key",
    says="A dict with a traced tensor as key is refused.",
    bad="""d = {x: 1}
return x * d[x]""",
    good="return x * 1",
    lax=REFUSED,
    find=_find,
)
