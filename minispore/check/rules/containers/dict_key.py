"""Report tensors as dict keys, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_tensor_dict_key(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find dict literals with a tensor as a key.

    A tensor has no value to hash while a graph is compiled, so MindSpore refuses the dict in LAX
    and STRICT.
    """
    for literal in function.walk(ast.Dict):
        for key in literal.keys:
            if key is not None and function.infer_kind(key) == "tensor":
                yield key


RULE = Rule(
    name="dict-key",
    says="A dict with a tensor as a key is refused.",
    bad="""d = {x: 1}
return x * d[x]""",
    good="return x * 1",
    lax=REFUSED,
    find=_find_tensor_dict_key,
)
