"""Report columns of strings or dicts in a data sink, which the device queue does not support."""

from minispore.check.example import make_training_template
from minispore.check.rule import SINKS, Rule

RULE = Rule(
    name="sink-columns",
    says="Strings and dicts can't be sent to the device, so a sink with such columns fails with "
    "Invalid datatype.",
    bad="model.train(1, data.batch(8), dataset_sink_mode=True)  # a column of names",
    good='model.train(1, data.project(["x", "y"]).batch(8), dataset_sink_mode=True)',
    strict="",
    about=SINKS,
    around=make_training_template(
        'names = ["a"] * 100\n'
        'data = ds.NumpySlicesDataset((x, y, names), ["x", "y", "name"], shuffle=False)\nLINES'
    ),
)
