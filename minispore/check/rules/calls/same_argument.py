"""Report a derivative called with a tensor as two arguments, whose gradients differ in a graph."""

from __future__ import annotations

from minispore.check.rule import OTHER, Rule

RULE = Rule(
    name="same-argument",
    says="If the same tensor is passed as two arguments, PYNATIVE_MODE adds up their gradients. A "
    "graph keeps the two arguments apart.",
    bad="x = Tensor([1.0, 2.0])\nms.grad(f)(x, x)",
    good="x = Tensor([1.0, 2.0])\nms.grad(f)(x, x.copy())",
    lax=OTHER,
    strict=OTHER,
    around="""def f(x, y):
    return (x * y).sum()


LINES
""",
)
