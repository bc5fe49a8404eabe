"""A name that MindSpore 2.10 has no longer."""

from minispore.check.rule import NAMES, REFUSED, Rule

RULE = Rule(
    name="name-gone",
    says="The MindSpore that is asked about has no such name, in either mode.",
    bad="return ops.control_depend(x, x)",
    good="return ops.depend(x, x)",
    lax=REFUSED,
    about=NAMES,
)
