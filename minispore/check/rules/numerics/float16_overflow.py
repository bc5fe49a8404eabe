"""Report an op of the forward pass that overflows in float16."""

from minispore.check.example import make_training_template
from minispore.check.rule import NUMERICS, POSSIBLE, Rule

RULE = Rule(
    name="float16-overflow",
    says="The forward pass computes a float16 infinity from finite numbers. A loss scale does not "
    "help; compute this op in float32.",
    bad='return ops.exp(x)  # under amp_level="O2"',
    good="return ops.exp(x.astype(ms.float32))",
    strict="",
    sure=POSSIBLE,
    about=NUMERICS,
    around=make_training_template(
        "model.train(1, data.batch(50))",
        forward="x = x * 0 + 12\nLINES",
        options=', amp_level="O2"',
    ),
)
