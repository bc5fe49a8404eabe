"""A Cell can't be asked for its parts in construct."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source

NAMES = (
    "cells", "cells_and_names", "trainable_params", "untrainable_params",
    "get_parameters", "parameters_and_names", "parameters_dict", "set_train", "set_grad",
    "__call__", "add_flags", "get_flags", "state_dict",
)  # fmt: skip


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls(*NAMES):
        if isinstance(call.func, ast.Attribute) and function.kind(call.func.value) == "cell":
            yield call


RULE = Rule(
    name="cell-method",
    says="cells(), trainable_params() and their kin, and __call__ by name, are refused.",
    bad="""for cell in self.cells():
    x = cell(x)
return x""",
    good="""for cell in self.layers:  # a CellList made in __init__
    x = cell(x)
return x""",
    lax=REFUSED,
    around=construct("self.layers = nn.CellList([nn.ReLU()])"),
    find=_find,
)
