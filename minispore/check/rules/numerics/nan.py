"""Report the op that made the NaN of a loss."""

from minispore.check.example import make_training_template
from minispore.check.rule import NUMERICS, Rule

RULE = Rule(
    name="nan",
    says="The loss is NaN. This op produces the NaN, or the infinity that turns into it.",
    bad="return ops.log(x)  # x below 0",
    good="return ops.log(ops.maximum(x, 1e-6))",
    strict="",
    about=NUMERICS,
    around=make_training_template("model.train(1, data.batch(50))", forward="x = x * 0 - 1\nLINES"),
)
