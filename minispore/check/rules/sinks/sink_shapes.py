"""Report a data sink whose batches differ in shape."""

from minispore.check.example import make_training_template
from minispore.check.rule import POSSIBLE, SINKS, Rule

RULE = Rule(
    name="sink-shapes",
    says="A sink is compiled for one shape of each column. A batch of another shape, such as a "
    "smaller last one, ends the training.",
    bad="model.train(1, data.batch(32), dataset_sink_mode=True)  # 100 rows",
    good="model.train(1, data.batch(32, drop_remainder=True), dataset_sink_mode=True)",
    strict="",
    sure=POSSIBLE,
    about=SINKS,
    around=make_training_template(),
)
