"""Report a loss scale by which the optimizer does not divide."""

from minispore.check.example import make_training_template
from minispore.check.rule import NUMERICS, Rule

RULE = Rule(
    name="loss-scale",
    says="The loss is multiplied by one scale and the optimizer divides by another, so each "
    "update is too large or too small.",
    bad="opt = nn.Momentum(params, 0.1, 0.9)  # and FixedLossScaleManager(1024, False)",
    good="opt = nn.Momentum(params, 0.1, 0.9, loss_scale=1024)",
    strict="",
    about=NUMERICS,
    around=make_training_template(
        """LINES
manager = ms.FixedLossScaleManager(1024, False)
model = ms.Model(net, loss, opt, loss_scale_manager=manager)
model.train(1, data.batch(50))"""
    ),
)
