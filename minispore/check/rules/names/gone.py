"""A name that MindSpore 2.10 has no longer."""

from minispore.check.rule import REFUSED, Rule

RULE = Rule(
    name="name-gone",
    says="MindSpore 2.10 has no such name, in either mode.",
    bad="return ops.control_depend(x, x)",
    good="return ops.depend(x, x)",
    lax=REFUSED,
)
