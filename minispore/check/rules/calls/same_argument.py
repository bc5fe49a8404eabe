"""Report a derivative called with a tensor as two arguments, whose gradients differ in a graph."""

from __future__ import annotations

from minispore.check.rule import OTHER, Rule

RULE = Rule(
    name="same-argument",
    says="The derivative by an argument counts what another has to do with it in PYNATIVE_MODE, "
    "if one tensor is given for both; a graph tells them apart.",
    bad="x = Tensor([1.0, 2.0])\nms.grad(f)(x, x)",
    good="x = Tensor([1.0, 2.0])\nms.grad(f)(x, x.copy())",
    lax=OTHER,
    strict=OTHER,
    around="""def f(x, y):
    return (x * y).sum()


LINES
""",
)
