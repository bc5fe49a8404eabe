"""Report ``Map`` and ``HyperMap`` over lists, whose result is a list only in a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_map_over_list(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``construct`` returning a ``Map`` or ``HyperMap`` over lists.

    A graph returns a list in LAX and STRICT; PYNATIVE_MODE returns a tuple.
    """
    for statement in function.walk(ast.Return):
        call = statement.value
        stores = function.stores.get(call.id, []) if isinstance(call, ast.Name) else []
        if stores:
            call = getattr(function.parents.get(stores[-1]), "value", call)
        if function.name == "construct" and isinstance(call, ast.Call):
            is_map = type(function.resolve_value(call.func)).__name__ in ("Map", "HyperMap")
            if is_map and any(function.infer_kind(a) == "list" for a in call.args[1:]):
                yield statement


RULE = Rule(
    name="map-list",
    says="Map and HyperMap over lists return a list in a graph, but a tuple in PYNATIVE_MODE. "
    "Over tuples both return a tuple.",
    bad="return self.map(ops.tanh, [x, x])",
    good="return self.map(ops.tanh, (x, x))",
    lax=OTHER,
    strict=OTHER,
    around=make_construct_template("self.map = ops.HyperMap()"),
    find=_find_map_over_list,
)
