"""Report methods that inspect or configure a Cell, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction

REFUSED_METHODS = (
    "cells", "cells_and_names", "trainable_params", "untrainable_params",
    "get_parameters", "parameters_and_names", "parameters_dict", "set_train", "set_grad",
    "__call__", "add_flags", "get_flags", "state_dict",
)  # fmt: skip


def _find_cell_method_call(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find calls of methods that inspect or configure a Cell, such as ``cells`` and ``set_train``.

    They belong to the Python object, which does not exist in a graph; MindSpore refuses them in LAX
    and STRICT.
    """
    for call in function.find_calls(*REFUSED_METHODS):
        if isinstance(call.func, ast.Attribute) and function.infer_kind(call.func.value) == "cell":
            yield call


RULE = Rule(
    name="cell-method",
    says="cells(), trainable_params() and similar methods of a Cell are refused, and so is an "
    "explicit call of __call__.",
    bad="""for cell in self.cells():
    x = cell(x)
return x""",
    good="""for cell in self.layers:  # a CellList made in __init__
    x = cell(x)
return x""",
    lax=REFUSED,
    around=make_construct_template("self.layers = nn.CellList([nn.ReLU()])"),
    find=_find_cell_method_call,
)
