"""Report random numbers and clocks of Python, which a graph reads only once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.dataflow.liveness import Liveness
from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction

MODULES = {"random", "time", "numpy.random", "numpy.random.mtrand", "numpy.random._generator"}


def _find_random_or_time_call(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of functions and generators of ``random``, ``numpy.random`` and ``time``.

    They run once, while the graph is traced, and every call gets that value, in LAX and STRICT.
    Values that are dropped or printed are left out.
    """
    for call in function.walk(ast.Call):
        callee = function.resolve_value(call.func)
        module = getattr(callee, "__module__", None) or ""
        class_module = type(getattr(callee, "__self__", None)).__module__
        is_frozen = module in MODULES or class_module in MODULES
        if is_frozen and Liveness(function).reaches_result(call):
            yield call


RULE = Rule(
    name="random-time",
    says="random, numpy.random and time are evaluated only once, when the graph is compiled. "
    "Every call gets the same value.",
    bad="return x * random.random()",
    good="return x * ops.rand(1)",
    lax=OTHER,
    strict=OTHER,
    around=make_construct_template(head="import random"),
    find=_find_random_or_time_call,
)
