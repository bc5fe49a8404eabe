"""A step that the device's memory does not hold."""

from minispore.check.example import training
from minispore.check.rule import FITS, Rule

RULE = Rule(
    name="memory",
    says="The step needs more memory than the device gives a program: Out of Memory, before the "
    "first step ends.",
    bad="model.train(1, data.batch(4096))",
    good="model.train(1, data.batch(256))",
    strict="",
    about=FITS,
    around=training("ms.set_context(max_device_memory='0.005GB')\nLINES", rows=8192),
)
