"""Find branches that MindSpore's parser leaves out, as attributes of self decide the condition."""

from __future__ import annotations

import ast
import copy
import math
import operator
from enum import Enum
from types import ModuleType
from typing import Any

from minispore.check.source import UNKNOWN, TracedFunction, classify_object, get_called_name
from minispore.core.tensor import Tensor

_COMPARISONS: dict[type, Any] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def is_in_untaken_branch(
    function: TracedFunction, node: ast.AST, of_this_run: bool = False
) -> bool:
    """Whether attributes of self rule out that any object of the run executes ``node``; with
    ``of_this_run`` whether this run did not, as far as its conditions tell.

    Then it is in a branch that is not taken, or after an ``if`` whose taken branch returns.
    """
    decide = find_outcome_in_run if of_this_run else evaluate_condition
    child = node
    for ancestor in function.iterate_ancestors(node):
        if isinstance(ancestor, ast.If) and child is not ancestor.test:
            outcome = decide(function, ancestor.test)
            if outcome is not None and (child in ancestor.orelse) == outcome:
                return True
        body = getattr(ancestor, "body", None)
        block = body if isinstance(body, list) and child in body else []
        if any(
            _surely_returns(s, decide(function, s.test))
            for s in block
            if isinstance(s, ast.If) and s.lineno < getattr(child, "lineno", 0)
        ):
            return True
        child = ancestor
    return False


def _surely_returns(statement: ast.If, outcome: bool | None) -> bool:
    """Whether the branch of an ``if`` that always runs, by ``outcome``, returns or raises."""
    if outcome is None:
        return False
    selected_body = statement.body if outcome else statement.orelse
    return bool(selected_body) and isinstance(selected_body[-1], ast.Return | ast.Raise)


def evaluate_condition(function: TracedFunction, test: ast.expr) -> bool | None:
    """Return the outcome of a condition on attributes of self if it is the same for all objects of
    the run.

    Returns:
        None if the objects differ, the outcome can't be determined, or the function or a call
        changes one of the attributes.
    """
    attributes = [n for n in ast.walk(test) if isinstance(n, ast.Attribute)]
    written = {n.attr for n in function.walk(ast.Attribute) if isinstance(n.ctx, ast.Store)}
    if any(n.attr in written or function.is_attribute_changed(n.attr) for n in attributes):
        return None
    outcomes = {
        _evaluate_test(function, test, instance) for instance in function.instances.values()
    }
    return outcomes.pop() if len(outcomes) == 1 else None


def find_outcome(function: TracedFunction, test: ast.expr) -> bool | None:
    """Return the outcome of a condition if it is the same in every run of the graph, otherwise
    None.

    The condition may depend on attributes of self, on constants, and on the shapes of the graph's
    inputs.
    """
    outcome = evaluate_condition(function, test)
    if outcome is not None:
        return outcome
    condition = _RunConstants(function).visit(copy.deepcopy(test))
    if any(getattr(n, "id", "") in function.arguments for n in ast.walk(condition)):
        return None  # the next call may pass a different argument
    value = function.evaluate(condition)
    return None if value is UNKNOWN else bool(value)


def find_outcome_in_run(function: TracedFunction, test: ast.expr) -> bool | None:
    """Return the outcome of a condition if it was the same throughout this run, otherwise None.

    The condition may also depend on the elements of tensors.
    """
    outcome = find_outcome(function, test)
    if outcome is not None:
        return outcome
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        outcome = find_outcome_in_run(function, test.operand)
        return None if outcome is None else not outcome
    if isinstance(test, ast.BoolOp):
        outcomes = [find_outcome_in_run(function, value) for value in test.values]
        decisive = isinstance(test.op, ast.Or)  # the outcome of an operand that decides the whole
        if decisive in outcomes:
            return decisive
        return None if None in outcomes else not decisive
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is | ast.IsNot):
        is_none = _is_none_in_run(function, test)
        return None if is_none is None else is_none == isinstance(test.ops[0], ast.Is)
    return function.get_outcome(test)


def _is_none_in_run(function: TracedFunction, test: ast.Compare) -> bool | None:
    """Return whether the name that a test compares with None was None in this run; None if unknown.

    It is known if plain assignments before the test, under known conditions, bind the name.
    """
    stores = function.stores.get(getattr(test.left, "id", ""), [])
    stores = [store for store in stores if store.lineno < test.lineno]
    if ast.unparse(test.comparators[0]) != "None" or not stores:
        return None
    is_none: bool | None = None
    for store in stores:
        binding = function.parents.get(store)
        choices = [a for a in function.iterate_ancestors(store) if isinstance(a, ast.If)]
        is_decided = all(find_outcome_in_run(function, c.test) is not None for c in choices)
        is_in_loop = function.is_inside(store, ast.For, ast.While)
        if not isinstance(binding, ast.Assign) or is_in_loop or not is_decided:
            return None
        if not is_in_untaken_branch(function, store, of_this_run=True):
            is_none = isinstance(binding.value, ast.Constant) and binding.value.value is None
            if not is_none and function.infer_kind(binding.value) not in ("tensor", "parameter"):
                return None
    return is_none


class _RunConstants(ast.NodeTransformer):
    """Replaces shapes and classes of tensors, and tests of keys and attributes, by constants."""

    def __init__(self, function: TracedFunction) -> None:
        self._function = function

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Return the shape, ndim or size of a tensor as a constant; any other node unchanged."""
        shape = self._function.get_local_kind(getattr(node.value, "id", ""))[1]
        if shape is None or node.attr not in ("shape", "ndim", "size"):
            return self.generic_visit(node)
        value: Any = {"shape": shape, "ndim": len(shape), "size": math.prod(shape)}[node.attr]
        return ast.copy_location(ast.Constant(value), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Return as a constant whether a tensor is an instance of a class, or whether self has an
        attribute; any other node unchanged.
        """
        if get_called_name(node) == "isinstance" and len(node.args) == 2:
            kind = self._function.get_local_kind(getattr(node.args[0], "id", ""))[0]
            class_ = self._function.resolve_value(node.args[1])
            if kind == "tensor" and isinstance(class_, type):
                return ast.copy_location(ast.Constant(issubclass(Tensor, class_)), node)
        is_test_of_self = len(node.args) == 2 and ast.unparse(node.args[0]) == "self"
        if get_called_name(node) == "hasattr" and is_test_of_self:
            name = self._function.resolve_value(node.args[1])
            outcomes = {hasattr(i, str(name)) for i in self._function.instances.values()}
            if name is not UNKNOWN and len(outcomes) == 1:
                return ast.copy_location(ast.Constant(outcomes.pop()), node)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Return True as a constant if a dict's literal has a key; any other node unchanged."""
        literal = self._function.resolve_literal(node.comparators[0])
        is_single = len(node.ops) == 1  # a chain, as in `a in b in c`, tests more than that
        if is_single and isinstance(node.ops[0], ast.In) and isinstance(literal, ast.Dict):
            key = ast.unparse(node.left)
            if any(key == ast.unparse(k) for k in literal.keys if k is not None):
                return ast.copy_location(ast.Constant(True), node)
        return self.generic_visit(node)


def _evaluate_test(function: TracedFunction, test: ast.expr, instance: Any) -> bool | None:
    """Return the outcome of a condition for one object; None if it can't be determined.

    Understands ``and``, ``or``, ``not`` and one comparison of constants and constant attributes.
    """
    if isinstance(test, ast.BoolOp):
        outcomes = {_evaluate_test(function, value, instance) for value in test.values}
        deciding = isinstance(test.op, ast.Or)  # an operand with this outcome decides alone
        if deciding in outcomes:
            return deciding
        return None if None in outcomes else not deciding
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        outcome = _evaluate_test(function, test.operand, instance)
        return None if outcome is None else not outcome
    if isinstance(test, ast.Compare):
        operands = [
            _resolve_constant(function, x, instance) for x in (test.left, *test.comparators)
        ]
        compare = _COMPARISONS.get(type(test.ops[0]))
        if len(operands) > 2 or compare is None or UNKNOWN in map(_mark_unknown, operands):
            return None
        try:
            return bool(compare(*operands))
        except TypeError:
            return None
    constant = _resolve_constant(function, test, instance)
    if constant is UNKNOWN:
        return None
    return classify_object(constant) == "cell" or bool(constant)


def _mark_unknown(x: Any) -> str:
    """Return ``UNKNOWN`` for this value and "" for others, since ``in`` would call the operands'
    ``==``.
    """
    return UNKNOWN if x is UNKNOWN else ""


def _resolve_constant(function: TracedFunction, node: ast.AST, instance: Any) -> Any:
    """Return the value of a constant, or of an attribute that counts as one, otherwise ``UNKNOWN``.

    Such an attribute belongs to self, a class or a module, and its value is a number, a str, None,
    a Cell or a member of an Enum.
    """
    if isinstance(node, ast.Constant):
        return node.value
    if not isinstance(node, ast.Attribute):
        return UNKNOWN
    if isinstance(node.value, ast.Name) and node.value.id == "self":
        value = getattr(instance, node.attr, UNKNOWN)
    else:
        base = function.resolve_value(node.value)
        value = function.resolve_value(node) if isinstance(base, type | ModuleType) else UNKNOWN
    is_constant = (
        isinstance(value, bool | int | float | str | Enum | type(None))
        or classify_object(value) == "cell"
    )
    return value if is_constant else UNKNOWN


__all__ = ["evaluate_condition", "find_outcome", "find_outcome_in_run", "is_in_untaken_branch"]
