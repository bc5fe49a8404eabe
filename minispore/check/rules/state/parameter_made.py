"""Report Parameters that are created in a graph, which graphs refuse."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction
from minispore.core.parameter import Parameter


def _find_parameter_creation(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of ``Parameter`` and ``initializer``.

    The Parameters of a graph must exist before it is compiled, so MindSpore refuses new ones in LAX
    and STRICT.
    """
    for call in function.find_calls("Parameter", "initializer"):
        callee = function.resolve_value(call.func)
        if callee is Parameter or getattr(callee, "__name__", "") == "initializer":
            yield call


RULE = Rule(
    name="parameter-made",
    says="Calling Parameter() or initializer() inside construct is refused. Make Parameters in "
    "__init__.",
    bad="""w = ms.Parameter(x, name="w")
return x * w""",
    good="return x * self.w  # made in __init__",
    lax=REFUSED,
    around=make_construct_template('self.w = ms.Parameter(Tensor([1.0, 1.0]), name="w")'),
    find=_find_parameter_creation,
)
