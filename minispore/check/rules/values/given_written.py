"""Report an argument that a graph writes into and that its caller reads afterwards."""

from __future__ import annotations

from minispore.check.rule import OTHER, Rule

RULE = Rule(
    name="given-written",
    says="A graph's write into a tensor argument, such as t[i] = v, does not change the caller's "
    "tensor. Return the new tensor instead.",
    bad="net(x)\nprint(x)",
    good="x = net(x)\nprint(x)",
    lax=OTHER,
    strict=OTHER,
    around="""class Net(nn.Cell):
    def construct(self, x):
        x[0] = 9
        return x


net, x = Net(), Tensor([1.0, 2.0])
LINES
""",
)
