"""Report a name that the chosen version of MindSpore does not have."""

from minispore.check.rule import NAMES, REFUSED, Rule

RULE = Rule(
    name="name-gone",
    says="The MindSpore that is asked about has no such name in either mode, or has "
    "functional.scalar_to_array, whose calls fail.",
    bad="from mindspore import ms_function",
    good="from mindspore import jit",
    lax=REFUSED,
    about=NAMES,
    around="LINES\n",
)
