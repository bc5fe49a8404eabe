"""A __call__ of one's own is skipped inside of a graph."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source, kind_of


def _find(function: Source) -> Iterator[Found]:
    if function.name == "__call__" and kind_of(function.owner) == "cell":
        yield function.node


RULE = Rule(
    name="call-own",
    says="A Cell inside of a graph computes its construct: a __call__ that its class brings is "
    "skipped.",
    bad="return self.more(x)  # whose class has a __call__",
    good="return self.plain(x) + 1",
    lax=OTHER,
    strict=OTHER,
    around=construct(
        "self.more, self.plain = More(), nn.ReLU()",
        head="class More(nn.ReLU):\n    def __call__(self, x):\n"
        "        return super().__call__(x) + 1",
    ),
    find=_find,
)
