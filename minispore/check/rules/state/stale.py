"""Report calls for which an outdated graph would run, because state changed after its trace."""

from __future__ import annotations

from minispore.check.rule import OTHER, Rule

RULE = Rule(
    name="stale",
    says="Calls with the same shapes reuse the graph of the first call. Changes since then have "
    "no effect: set_train(), an attribute, a list, a global, requires_grad.",
    bad="net(x)\nnet.scale = 2.0\nnet(x)",
    good="net.scale = 2.0  # before the first call, or a Parameter\nnet(x)",
    lax=OTHER,
    strict=OTHER,
    around="""class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = 1.0

    def construct(self, x):
        return x * self.scale


net, x = Net(), Tensor([1.0])
LINES
""",
)
