"""Report uses of the text of an exception from a graph, where a script handles it."""

from __future__ import annotations

from minispore.check.rule import OTHER, Rule

RULE = Rule(
    name="exception-text",
    says="The text of an exception raised in construct reaches the handler in quotes, followed by "
    "its location in the graph.",
    bad="except ValueError as exc:\n    reason = str(exc)",
    good='except ValueError:\n    reason = "the batch is too large"',
    lax=OTHER,
    strict=OTHER,
    around="""class Net(nn.Cell):
    def construct(self, x):
        if x.shape[0] > 1:
            raise ValueError("too large")
        return x


try:
    Net()(Tensor([1.0, 2.0]))
LINES
""",
)
