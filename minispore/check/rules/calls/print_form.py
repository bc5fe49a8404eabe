"""Report ``print`` calls whose output in a graph differs from Python's."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, POSSIBLE, Rule, RuleMatch
from minispore.check.source import TracedFunction, get_called_name

REFORMATTED_KINDS = {"tensor", "parameter", "tuple", "list", "dict", "number", "bool"}


def _is_printed_by_python(function: TracedFunction, call: ast.Call) -> bool:
    """Whether Python executes ``print``, because an argument contains an array or a written
    attribute.
    """
    written_attributes = {
        n.attr for n in function.walk(ast.Attribute) if isinstance(n.ctx, ast.Store)
    }
    return any(
        function.infer_kind(n) == "array"
        or (isinstance(n, ast.Attribute) and n.attr in written_attributes)
        for argument in call.args
        for n in ast.walk(argument)
        if isinstance(n, ast.expr)
    )


def _is_reformatted(function: TracedFunction, value: ast.expr) -> bool:
    """Whether a graph prints this value differently even if it is the only argument."""
    if isinstance(value, ast.Tuple) and len(value.elts) > 1:
        return any(_is_reformatted(function, item) for item in value.elts)
    if isinstance(value, ast.Call) and get_called_name(value) == "float" and value.args:
        return function.infer_kind(value.args[0]) == "tensor"
    return function.infer_kind(value) in REFORMATTED_KINDS


def _find_reformatted_print(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``print`` calls and ``Print`` operators whose output differs in a graph.

    A graph writes each str, number and tensor on its own line, a tensor with shape and dtype, in
    LAX and STRICT.
    """
    for call in function.walk(ast.Call):
        is_print_op = type(function.resolve_value(call.func)).__name__ == "Print"
        if not (is_print_op or (isinstance(call.func, ast.Name) and call.func.id == "print")):
            continue
        if call.keywords or not call.args or _is_printed_by_python(function, call):
            continue
        is_single = len(call.args) == 1 and not isinstance(call.args[0], ast.Starred)
        if is_print_op:
            is_different = any(function.infer_kind(a) == "tensor" for a in call.args)
        else:
            is_different = not is_single or _is_reformatted(function, call.args[0])
        if is_different:
            yield call


RULE = Rule(
    name="print-form",
    says="In a graph print writes each text, number and tensor on its own line, and adds a "
    "tensor's shape and dtype.",
    bad='print("x is", x)\nreturn x',
    good="return x  # and print what comes back",
    lax=OTHER,
    strict=OTHER,
    sure=POSSIBLE,  # the results are the same
    find=_find_reformatted_print,
)
