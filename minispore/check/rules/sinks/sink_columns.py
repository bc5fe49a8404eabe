"""A column that the device queue does not take."""

from minispore.check.example import training
from minispore.check.rule import SINKS, Rule

RULE = Rule(
    name="sink-columns",
    says="Strings and dicts never go to the device: a sink of them ends with Invalid datatype.",
    bad="model.train(1, data.batch(8), dataset_sink_mode=True)  # a column of names",
    good='model.train(1, data.project(["x", "y"]).batch(8), dataset_sink_mode=True)',
    strict="",
    about=SINKS,
    around=training(
        'names = ["a"] * 100\n'
        'data = ds.NumpySlicesDataset((x, y, names), ["x", "y", "name"], shuffle=False)\nLINES'
    ),
)
