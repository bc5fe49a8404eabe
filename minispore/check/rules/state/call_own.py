"""Report a Cell class with its own ``__call__``, which a graph skips."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction, classify_object


def _find_custom_call(function: TracedFunction) -> Iterator[RuleMatch]:
    """Report the ``__call__`` of a Cell subclass that ran in a graph.

    Inside a graph MindSpore calls ``construct`` of a Cell and skips ``__call__``, in LAX and
    STRICT.
    """
    if function.name == "__call__" and classify_object(function.instance) == "cell":
        yield function.node


RULE = Rule(
    name="call-own",
    says="In a graph calling a Cell runs its construct. A __call__ that its class defines is "
    "skipped.",
    bad="return self.more(x)  # whose class has a __call__",
    good="return self.plain(x) + 1",
    lax=OTHER,
    strict=OTHER,
    around=make_construct_template(
        "self.more, self.plain = More(), nn.ReLU()",
        head="class More(nn.ReLU):\n    def __call__(self, x):\n"
        "        return super().__call__(x) + 1",
    ),
    find=_find_custom_call,
)
