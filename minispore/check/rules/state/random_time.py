"""Python's random numbers and clocks are drawn once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source

MODULES = {"random", "time", "numpy.random", "numpy.random.mtrand", "numpy.random._generator"}


def _find(function: Source) -> Iterator[Found]:
    for call in function.walk(ast.Call):
        held = function.value(call.func)
        module = getattr(held, "__module__", None) or ""
        owner = type(getattr(held, "__self__", None)).__module__
        if module in MODULES or owner in MODULES:
            yield call


RULE = Rule(
    name="random-time",
    says="random, numpy.random and time give one value, at the trace, for all calls.",
    bad="return x * random.random()",
    good="return x * ops.rand(1)",
    lax=OTHER,
    strict=OTHER,
    around=construct(head="import random"),
    find=_find,
)
