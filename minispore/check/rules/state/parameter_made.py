"""A Parameter can't be made in construct."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source
from minispore.core.parameter import Parameter


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls("Parameter", "initializer"):
        held = function.value(call.func)
        if held is Parameter or getattr(held, "__name__", "") == "initializer":
            yield call


RULE = Rule(
    name="parameter-made",
    says="Parameter() and initializer() inside of construct are refused.",
    bad="""w = ms.Parameter(x, name="w")
return x * w""",
    good="return x * self.w  # made in __init__",
    lax=REFUSED,
    around=construct('self.w = ms.Parameter(Tensor([1.0, 1.0]), name="w")'),
    find=_find,
)
