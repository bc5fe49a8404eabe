"""Report a derivative that is called with keyword arguments, which graphs refuse."""

from __future__ import annotations

from minispore.check.rule import REFUSED, Rule

RULE = Rule(
    name="grad-keyword",
    says="Calling a derivative with keyword arguments is refused. Pass the arguments by position.",
    bad="ms.grad(f)(Tensor([1.0, 2.0]), k=5)",
    good="ms.grad(f)(Tensor([1.0, 2.0]), 5)",
    lax=REFUSED,
    around="""def f(x, k=2):
    return (x * k).sum()


LINES
""",
)
