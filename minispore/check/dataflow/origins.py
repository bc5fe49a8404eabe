"""Find the expression that a value comes from unchanged."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Any

from minispore.check.dataflow.folding import find_outcome, find_outcome_in_run
from minispore.check.dataflow.items import follow_items
from minispore.check.source import TracedFunction


def have_one_origin(
    function: TracedFunction, values: list[ast.expr], arguments: Collection[str] = ()
) -> bool:
    """Whether expressions all give the same value, that of the argument in ``arguments`` if there
    is one; a name, an item or ``* 1`` passes a value on.
    """
    origins = {_find_origin(function, value) for value in values}
    return len({*origins, *arguments}) == 1 and None not in origins


def _find_origin(function: TracedFunction, value: ast.expr) -> ast.expr | str | None:
    """Return the expression whose value ``value`` is, or the name of an argument.

    None if the expression stands in a loop, where it has several values.
    """
    for _ in range(50):  # steps, far more than a function has
        source = _find_source(function, value)
        if source is None or isinstance(source, str):
            is_repeated = function.is_inside(value, ast.For, ast.While, ast.comprehension)
            return None if source is None and is_repeated else source or value
        value = source
    return None


def _find_source(function: TracedFunction, value: ast.expr) -> ast.expr | str | None:
    """Return the expression or argument that passes its value on to ``value``, None if it has its
    own.
    """
    if isinstance(value, ast.Name) and isinstance(value.ctx, ast.Load):
        return _find_reaching_value(function, value)
    if isinstance(value, ast.Subscript) and isinstance(value.ctx, ast.Load):
        return _find_item(function, value)
    if isinstance(value, ast.IfExp):
        outcome = _decide(function, value.test)
        if outcome is not None:
            return value.body if outcome else value.orelse
        origins = [_find_origin(function, side) for side in (value.body, value.orelse)]
        return origins[0] if origins[0] == origins[1] else None  # None, too, in a loop
    if isinstance(value, ast.BinOp):
        neutral_operand = _NEUTRAL_OPERANDS.get(type(value.op))
        is_idle = neutral_operand is not None and function.evaluate(value.right) == neutral_operand
        return value.left if is_idle else None
    return None


def _decide(function: TracedFunction, test: ast.expr) -> bool | None:
    """Return the outcome of a condition, that of this run where the function says so."""
    return (find_outcome_in_run if function.assumes_branches else find_outcome)(function, test)


def _find_item(function: TracedFunction, subscript: ast.Subscript) -> ast.expr | None:
    """Return the only item that a read of a local container by a constant index may give."""
    container: Any = subscript
    while isinstance(container, ast.Subscript):
        container = container.value
    flow = follow_items(function, container.id) if isinstance(container, ast.Name) else None
    items = flow.find_items(subscript) if flow is not None else []
    is_slice = isinstance(subscript.slice, ast.Slice)
    is_augmented = any(isinstance(function.parents.get(i), ast.AugAssign) for i in items)
    return items[0] if len(items) == 1 and not is_slice and not is_augmented else None


def _find_reaching_value(function: TracedFunction, read: ast.Name) -> ast.expr | str | None:
    """Return the value that a name was last bound to before ``read``, the node that binds it in
    other statements than a plain assignment, the name itself for an argument, or None.
    """
    scopes = (ast.FunctionDef, ast.Lambda)
    owners = [a for a in function.iterate_ancestors(read) if isinstance(a, scopes)]
    if owners[:1] != [function.node]:
        return None
    for store in reversed(function.stores.get(read.id, [])):
        if function.is_inside(store, ast.For, ast.While, ast.Try, ast.comprehension):
            return None
        if store.lineno >= read.lineno:
            continue
        is_executed = _is_executed(function, store, read)
        if is_executed is None:
            return None
        if is_executed:
            binding = function.parents.get(store)
            is_plain = isinstance(binding, ast.Assign) and binding.targets == [store]
            return binding.value if is_plain else store  # type: ignore[union-attr]
    return read.id if read.id in function.arguments else None


def _is_executed(function: TracedFunction, store: ast.AST, read: ast.AST) -> bool | None:
    """Whether the run to ``read`` executes a statement before it, None if a condition is not
    known.
    """
    child, ancestors = store, [*function.iterate_ancestors(read)]
    for ancestor in function.iterate_ancestors(store):
        if isinstance(ancestor, ast.If) and child is not ancestor.test:
            blocks = [b for b in (ancestor.body, ancestor.orelse) if child in b]
            is_around_read = any(s in ancestors for s in blocks[0])
            outcome = True if is_around_read else _decide(function, ancestor.test)
            if outcome is None:
                return None
            if not is_around_read and outcome != (child in ancestor.body):
                return False
        child = ancestor
    return True


#: The number that leaves a tensor as it is, by the operator to the right of which it stands.
_NEUTRAL_OPERANDS: dict[type, int] = {ast.Mult: 1, ast.Add: 0, ast.Sub: 0, ast.Pow: 1}

__all__ = ["have_one_origin"]
