"""Find the expression that a value comes from unchanged, in Python and in a graph."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection
from typing import Any

from minispore.check.dataflow.folding import find_outcome
from minispore.check.dataflow.items import follow_items
from minispore.check.source import UNKNOWN, TracedFunction

Decide = Callable[[TracedFunction, ast.expr], bool | None]
_MAX_STEPS = 50


def have_one_origin(
    function: TracedFunction, values: list[ast.expr], arguments: Collection[str] = ()
) -> bool:
    """Whether expressions all give the same value, that of the argument in ``arguments`` if there
    is one; a name, an item or ``* 1`` passes a value on.
    """
    origins = {find_origin(function, value, decide_in_python) for value in values}
    return len({*origins, *arguments}) == 1 and None not in origins


def is_choice_idle(function: TracedFunction, choice: ast.IfExp, child: ast.AST) -> bool:
    """Whether a conditional expression has the same value in Python and in a graph, whatever
    ``child``, its condition or a side of it, is.

    A side counts as long as the value is an argument of the function.
    """
    origin = find_origin(function, choice, decide_in_python)
    if origin in (choice, None) or origin != find_origin(function, choice, decide_in_graph):
        return False
    return child is choice.test or isinstance(origin, str)


def find_origin(function: TracedFunction, value: ast.expr, decide: Decide) -> ast.expr | str | None:
    """Return the expression whose value ``value`` is, or the name of an argument.

    None if the expression stands in a loop, where it has several values.
    """
    for _ in range(_MAX_STEPS):
        source = _find_source(function, value, decide)
        if source is None or isinstance(source, str):
            is_repeated = function.is_inside(value, ast.For, ast.While, ast.comprehension)
            return None if source is None and is_repeated else source or value
        value = source
    return None


def _find_source(
    function: TracedFunction, value: ast.expr, decide: Decide
) -> ast.expr | str | None:
    """Return the expression or argument that passes its value on to ``value``, None if it has its
    own.
    """
    if isinstance(value, ast.Name) and isinstance(value.ctx, ast.Load):
        return _find_reaching_value(function, value, decide)
    if isinstance(value, ast.Subscript) and isinstance(value.ctx, ast.Load):
        return _find_item(function, value)
    if isinstance(value, ast.IfExp):
        outcome = decide(function, value.test)
        if outcome is not None:
            return value.body if outcome else value.orelse
        origins = [find_origin(function, side, decide) for side in (value.body, value.orelse)]
        return origins[0] if origins[0] == origins[1] else None  # None, too, in a loop
    if isinstance(value, ast.BinOp):
        neutral = 1 if isinstance(value.op, ast.Mult) else 0
        is_neutral = isinstance(value.op, ast.Mult | ast.Add | ast.Sub) and isinstance(
            value.right, ast.Constant
        )
        return value.left if is_neutral and ast.unparse(value.right) == str(neutral) else None
    return None


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


def _find_reaching_value(
    function: TracedFunction, read: ast.Name, decide: Decide
) -> ast.expr | str | None:
    """Return the value that a name was last bound to before ``read``, the node that binds it in
    other statements than a plain assignment, the name itself for an argument, or None.
    """
    if function.is_inside(read, ast.FunctionDef, ast.Lambda) and _is_in_inner_function(
        function, read
    ):
        return None
    for store in reversed(function.stores.get(read.id, [])):
        if function.is_inside(store, ast.For, ast.While, ast.Try, ast.comprehension):
            return None
        if store.lineno >= read.lineno:
            continue
        is_executed = _is_executed(function, store, read, decide)
        if is_executed is None:
            return None
        if is_executed:
            binding = function.parents.get(store)
            is_plain = isinstance(binding, ast.Assign) and binding.targets == [store]
            return binding.value if is_plain else store  # type: ignore[union-attr]
    return read.id if read.id in function.arguments else None


def _is_in_inner_function(function: TracedFunction, node: ast.AST) -> bool:
    """Whether a node stands in a function or lambda inside the function."""
    ancestors = function.iterate_ancestors(node)
    scopes = [a for a in ancestors if isinstance(a, ast.FunctionDef | ast.Lambda)]
    return scopes[:1] != [function.node]


def _is_executed(
    function: TracedFunction, store: ast.AST, read: ast.AST, decide: Decide
) -> bool | None:
    """Whether the run to ``read`` executes a statement before it, None if a condition is not
    known.
    """
    child, ancestors = store, [*function.iterate_ancestors(read)]
    for ancestor in function.iterate_ancestors(store):
        if isinstance(ancestor, ast.If) and child is not ancestor.test:
            blocks = [b for b in (ancestor.body, ancestor.orelse) if child in b]
            is_around_read = any(s in ancestors for s in blocks[0])
            outcome = True if is_around_read else decide(function, ancestor.test)
            if outcome is None:
                return None
            if not is_around_read and outcome != (child in ancestor.body):
                return False
        child = ancestor
    return True


def decide_in_python(function: TracedFunction, test: ast.expr) -> bool | None:
    """Return the outcome of a constant condition in Python, with formats in f-strings."""
    return _decide_with_formats(function, test, is_applied=True)


def decide_in_graph(function: TracedFunction, test: ast.expr) -> bool | None:
    """Return the outcome of a constant condition in a graph, which ignores formats."""
    return _decide_with_formats(function, test, is_applied=False)


def _decide_with_formats(function: TracedFunction, test: ast.expr, is_applied: bool) -> bool | None:
    """Return the outcome of a condition after its f-strings of constants became texts."""
    if not any(isinstance(n, ast.FormattedValue) for n in ast.walk(test)):
        return find_outcome(function, test)
    folded = _TextFolding(function, is_applied).visit(copy.deepcopy(test))
    value = function.evaluate(folded)
    return None if value is UNKNOWN else bool(value)


class _TextFolding(ast.NodeTransformer):
    """Replaces f-strings of constants by their texts, with formats applied or ignored."""

    def __init__(self, function: TracedFunction, is_applied: bool) -> None:
        self._function, self._is_applied = function, is_applied

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Return the text of an f-string as a constant, else the node."""
        texts = []
        for part in node.values:
            value = self._function.evaluate(
                part.value if isinstance(part, ast.FormattedValue) else part
            )
            spec = getattr(part, "format_spec", None)
            text = self._function.evaluate(spec) if spec is not None else ""
            if value is UNKNOWN or text is UNKNOWN or getattr(part, "conversion", -1) != -1:
                return node
            texts.append(format(value, text if self._is_applied else ""))
        return ast.copy_location(ast.Constant("".join(texts)), node)


__all__ = ["decide_in_graph", "find_origin", "have_one_origin", "is_choice_idle"]
