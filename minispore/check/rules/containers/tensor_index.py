"""Report a tensor as the index of a tuple or list, which STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import Rule, RuleMatch
from minispore.check.source import TracedFunction, classify_object


def _holds_cells(function: TracedFunction, container: ast.expr) -> bool:
    """Whether a tuple or list, given as a literal or attribute, has a Cell as its first item."""
    literal, items = function.resolve_literal(container), function.resolve_value(container)
    if isinstance(literal, ast.Tuple | ast.List):
        return bool(literal.elts) and function.infer_kind(literal.elts[0]) == "cell"
    return isinstance(items, tuple | list) and classify_object(next(iter(items), None)) == "cell"


def _find_tensor_index(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find items of a tuple or list that are read with a tensor as the index.

    The item must be known while a graph is compiled, so MindSpore refuses the tensor under STRICT.
    """
    for node in function.walk(ast.Subscript):
        is_sequence = function.infer_kind(node.value) in ("tuple", "list")
        if (
            isinstance(node.ctx, ast.Load)
            and is_sequence
            and not _holds_cells(function, node.value)
            and function.infer_kind(node.slice) == "tensor"
        ):
            yield node


RULE = Rule(
    name="tensor-index",
    says="Under STRICT a tensor can't be the index of a tuple or list, unless the items are "
    "Cells. Stack the tensors first.",
    bad="""t = (x, x + 1)
return t[i]""",
    good="""t = ops.stack((x, x + 1))
return t[i]""",
    around=make_construct_template(head="i = Tensor(1)"),
    find=_find_tensor_index,
)
