"""A step that the device's memory does not hold."""

from minispore.check.rule import FITS, Rule

RULE = Rule(
    name="memory",
    says="The step needs more memory than the device gives a program: Out of Memory, before the "
    "first step ends.",
    bad="data = data.batch(4096)",
    good="data = data.batch(256)",
    strict="",
    about=FITS,
)
