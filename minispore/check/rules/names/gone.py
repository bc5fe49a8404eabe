"""Report a name that the chosen version of MindSpore does not have."""

from minispore.check.rule import NAMES, REFUSED, Rule

RULE = Rule(
    name="name-gone",
    says="The chosen MindSpore version does not have this name in either mode, or it is "
    "functional.scalar_to_array, whose calls fail.",
    bad="from mindspore import ms_function",
    good="from mindspore import jit",
    lax=REFUSED,
    about=NAMES,
    around="LINES\n",
)
