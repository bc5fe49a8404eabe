"""Report Parameters that a graph run sets to a different shape or a wider dtype."""

from __future__ import annotations

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule

RULE = Rule(
    name="parameter-type",
    says="A Parameter keeps its shape and dtype: assigning a tensor of another shape or a wider "
    "dtype is refused. PYNATIVE_MODE allows it.",
    bad="self.w = x.sum()\nreturn self.w + 1",
    good="total = x.sum()\nreturn total + 1",
    lax=REFUSED,
    around=make_construct_template('self.w = ms.Parameter(Tensor([1.0, 1.0]), name="w")'),
)
