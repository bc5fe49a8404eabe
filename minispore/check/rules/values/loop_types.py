"""Report variables that change their type or shape in a loop on a tensor, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import NUMBER_KINDS, UNKNOWN, TracedFunction, get_called_name

GROWING_FUNCTIONS = ("concat", "cat", "stack", "hstack", "vstack", "tile", "repeat_interleave")


def _is_cast_to_other_dtype(function: TracedFunction, name: str, value: ast.AST) -> bool:
    """Whether the value casts the argument ``name`` to a dtype different from its own."""
    argument: Any = function.initial_values.get(name)
    is_cast = get_called_name(value) in ("astype", "cast", "to")
    if not is_cast or not hasattr(argument, "dtype"):
        return False
    cast_arguments = getattr(value, "args", [])
    dtype = function.resolve_value(cast_arguments[-1]) if cast_arguments else None
    return dtype is not UNKNOWN and argument.dtype != dtype


def _find_loop_type_change(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find variables that change type or shape in a ``while`` loop that depends on a tensor.

    A compiled loop keeps the type and shape of its variables, so MindSpore refuses in LAX and
    STRICT: Python counters, numbers that become tensors, tensors that grow, and casts.
    """
    for loop in function.walk(ast.While):
        kinds = {function.infer_kind(n) for n in ast.walk(loop.test) if isinstance(n, ast.expr)}
        if "tensor" not in kinds:
            continue
        for statement in loop.body:
            target = getattr(statement, "target", None) or getattr(statement, "targets", [None])[0]
            value = getattr(statement, "value", None)
            if not isinstance(target, ast.Name) or value is None:
                continue
            reads_itself = isinstance(statement, ast.AugAssign) or any(
                isinstance(n, ast.Name) and n.id == target.id for n in ast.walk(value)
            )
            earlier_stores = [s for s in function.stores[target.id] if s.lineno < loop.lineno]
            binding: Any = function.parents.get(earlier_stores[-1]) if earlier_stores else None
            is_assignment = isinstance(binding, ast.Assign)
            initial_kind = function.infer_kind(binding.value) if is_assignment else UNKNOWN
            is_mixed = isinstance(loop.test, ast.BoolOp)  # Python evaluates some of its operands
            becomes_tensor = initial_kind in NUMBER_KINDS and (
                is_mixed or function.infer_kind(value) == "tensor"
            )
            if reads_itself and (
                becomes_tensor
                or get_called_name(value) in GROWING_FUNCTIONS
                or _is_cast_to_other_dtype(function, target.id, value)
            ):
                yield statement, target.id


RULE = Rule(
    name="loop-types",
    says="In a while loop on a tensor, variables must keep their type and shape. Python counters "
    "in the condition, numbers that become tensors, casts to another dtype and growing shapes are "
    "refused.",
    bad="""i = 0
while i < 3 and x.sum() < 9:
    x = x * 2
    i = i + 1
return x""",
    good="""i = Tensor(0)
while i < 3 and x.sum() < 9:
    x = x * 2
    i = i + 1
return x""",
    lax=REFUSED,
    refuses_unused=False,
    find=_find_loop_type_change,
)
