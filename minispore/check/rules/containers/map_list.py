"""HyperMap over lists gives a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for made in function.walk(ast.Return):
        call = made.value
        stores = function.stores.get(call.id, []) if isinstance(call, ast.Name) else []
        if stores:
            call = getattr(function.parents.get(stores[-1]), "value", call)
        if function.name == "construct" and isinstance(call, ast.Call):
            maps = type(function.value(call.func)).__name__ in ("Map", "HyperMap")
            if maps and any(function.kind(a) == "list" for a in call.args[1:]):
                yield made


RULE = Rule(
    name="map-list",
    says="Map and HyperMap over lists give a list; in PYNATIVE_MODE a tuple.",
    bad="return self.map(ops.tanh, [x, x])",
    good="return self.map(ops.tanh, (x, x))",
    lax=OTHER,
    strict=OTHER,
    around=construct("self.map = ops.HyperMap()"),
    find=_find,
)
