"""Report a training step that needs more memory than the device has."""

from minispore.check.example import make_training_template
from minispore.check.rule import FITS, Rule

RULE = Rule(
    name="memory",
    says="The step needs more memory than the device gives a program. MindSpore fails with Out of "
    "Memory before the first step ends.",
    bad="model.train(1, data.batch(4096))",
    good="model.train(1, data.batch(256))",
    strict="",
    about=FITS,
    around=make_training_template("ms.set_context(max_device_memory='0.005GB')\nLINES", rows=8192),
)
