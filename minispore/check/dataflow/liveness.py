"""Determine which values of a function reach its result; differences in others are harmless."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from minispore.check.dataflow.folding import (
    evaluate_condition,
    find_outcome,
    find_outcome_in_run,
    is_in_untaken_branch,
)
from minispore.check.dataflow.items import find_container_name, find_unpack_targets, follow_items
from minispore.check.dataflow.origins import have_one_origin
from minispore.check.source import TracedFunction, get_called_name


class Liveness:
    """Determines which expressions, names and changed objects of a function affect its results.

    Args:
        function: the function.
        decide: returns the outcome of a condition, or None if it is unknown; by default the
            outcome that is the same in every run, or in this run where the function says so.
        counts_unused: whether code that MindSpore compiles although it is unused counts as live:
            conditions whose outcome is known, and values of names that are never read.
        follows_gradient: whether only uses count through which a gradient flows back.
        keeps_changes: whether the question is what becomes of in-place changes, which MindSpore
            drops together with unread items of lists and tuples that are only read by index.
    """

    def __init__(
        self,
        function: TracedFunction,
        decide: Callable[[TracedFunction, ast.expr], bool | None] | None = None,
        counts_unused: bool = False,
        follows_gradient: bool = False,
        keeps_changes: bool = False,
    ) -> None:
        is_compiled = counts_unused or keeps_changes
        follows_run = function.assumes_branches and not is_compiled
        self._function = function
        self._decide = decide or (find_outcome_in_run if follows_run else find_outcome)
        self._counts_unused, self._follows_gradient = counts_unused, follows_gradient
        self._keeps_changes = keeps_changes
        self._nodes_in_progress: set[ast.AST] = set()  # ends cycles

    def reaches_result(self, node: ast.AST) -> bool:
        """Whether the value of an expression may have an effect other than being printed.

        A value that is computed and dropped has no effect. MindSpore compiles what is printed.
        """
        function = self._function
        child, parent = node, function.parents.get(node)
        while isinstance(parent, ast.expr | ast.keyword | ast.comprehension):
            if (
                isinstance(parent, ast.Call)
                and parent.func is not child
                and getattr(parent.func, "id", "") == "print"
            ):
                return self._counts_unused or self._decide is decide_as_parser
            if isinstance(parent, ast.IfExp) and self._is_skipped(parent, child):
                return False
            if self._follows_gradient and _stops_gradient(parent):
                return False
            if function.assumes_branches and _is_times_zero(function, parent, child):
                return False
            readers = self._find_item_readers(child)
            if readers is not None:
                return self._is_item_live(child, readers)
            child, parent = parent, function.parents.get(parent)
        readers = self._find_item_readers(child)
        if readers is not None:
            return self._is_item_live(child, readers)
        if isinstance(parent, ast.Expr):
            if self._decide is not decide_as_parser and self._has_idle_hook(child, node):
                return False
            return isinstance(child, ast.Call) and child is not node
        if isinstance(getattr(child, "ctx", None), ast.Store) and child is not node:
            return False  # writes into a container, whose reads are judged separately
        if parent is None or parent in self._nodes_in_progress:
            return parent is None
        if self._is_unreachable(child):
            return False
        self._nodes_in_progress.add(parent)
        try:
            if isinstance(parent, ast.Return):
                return self._is_returned_value_live(parent)
            if isinstance(parent, ast.If | ast.While | ast.For):
                is_test = isinstance(parent, ast.If | ast.While) and child is parent.test
                if is_test and self._is_decided_by_tensor(child):
                    return False
                return any(map(self._has_effect, ast.walk(parent)))
            targets = getattr(parent, "targets", None) or [getattr(parent, "target", parent)]
            return any(map(self._is_target_live, targets))
        finally:
            self._nodes_in_progress.discard(parent)

    def _has_idle_hook(self, call: ast.AST, node: ast.AST) -> bool:
        """Whether a call registers a hook on ``node`` in a function that computes no gradient."""
        if not isinstance(call, ast.Call) or get_called_name(call) != "register_hook":
            return False
        return not self._function.is_differentiated and node in ast.walk(call.func)

    def is_dropped(self, node: ast.AST) -> bool:
        """Whether ``node`` is a value, or a change of a local container, that does not reach a
        result.
        """
        function = self._function
        is_statement = isinstance(function.parents.get(node), ast.Expr)
        is_value = isinstance(node, ast.expr) and not is_statement
        receiver: Any = getattr(getattr(node, "func", None), "value", None)
        is_local_literal = function.resolve_literal(receiver) is not receiver if receiver else False
        if is_local_literal and not is_value:
            other_reads = (n for n in function.loads if n.id == receiver.id and n is not receiver)
            return not any(map(self.reaches_result, other_reads))
        changes_list = any(get_called_name(n) in _CHANGING_METHODS for n in ast.walk(node))
        return is_value and not changes_list and not self.reaches_result(node)

    def is_read_after(
        self, name: str, node: ast.AST, returned_unchanged: bool = False, keys: Collection[Any] = ()
    ) -> bool:
        """Whether a result depends on ``name`` after a statement, or in the next iteration of an
        enclosing loop.

        With ``returned_unchanged`` only reads count whose value is returned without an op applied
        to it; with ``keys``, indices or keys of a container, only reads of these items.
        """
        function = self._function
        loops = [p for p in function.iterate_ancestors(node) if isinstance(p, ast.For | ast.While)]
        repeated = {part for p in loops for part in [getattr(p, "test", None), *p.body]}
        end = _get_last_line(node)
        reads = self._find_reads_of_items(name, node, keys)
        if reads is None:
            loads = [n for n in function.loads if n.id == name]
            reads = [n for n in loads if not self._is_rebound_between(node, n)]
        return any(
            self._is_reader_live(n)
            for n in reads
            if n.lineno > end or any(p in repeated for p in function.iterate_ancestors(n))
            if not returned_unchanged or function.is_returned_unchanged(n)
        )

    def _find_reads_of_items(
        self, name: str, node: ast.AST, keys: Collection[Any]
    ) -> list[ast.expr] | None:
        """Return the reads of what a container has at ``keys`` before a statement; None where they
        can't be told.
        """
        flow = follow_items(self._function, name) if keys else None
        slots = flow.slots_before.get(node) if flow is not None else None  # type: ignore[call-overload]
        if flow is None or slots is None or not slots.keys() >= {*keys}:
            return None
        return [reader for k in keys for item in slots[k] for reader in flow.readers[item]]

    def _is_skipped(self, choice: ast.If | ast.IfExp, child: ast.AST) -> bool:
        """Whether a branch of a choice, or its condition, has no effect because the outcome is
        known.
        """
        if self._decide is find_outcome_in_run and child is choice.test:
            return self._is_decided_by_tensor(choice.test) or (
                isinstance(choice, ast.IfExp)
                and have_one_origin(self._function, [choice.body, choice.orelse])
            )
        outcome = self._decide(self._function, choice.test)
        is_compiled = self._counts_unused or self._decide is decide_as_parser
        if isinstance(choice, ast.IfExp) and child is choice.test and not is_compiled:
            return outcome is not None or have_one_origin(
                self._function, [choice.body, choice.orelse]
            )
        if outcome is None or child is choice.test:
            return outcome is not None and not self._counts_unused
        chosen = choice.body if outcome else choice.orelse
        return child not in chosen if isinstance(chosen, list) else child is not chosen

    def _is_decided_by_tensor(self, test: Any) -> bool:
        """Whether elements of a tensor decided a condition in the run that is judged.

        With other elements the outcome, and so the result, may be the same.
        """
        function = self._function
        if self._decide is not find_outcome_in_run or find_outcome(function, test) is not None:
            return False
        parts = (n for n in ast.walk(test) if isinstance(n, ast.expr))
        return any(function.get_outcome(part) is not None for part in parts)

    def _find_item_readers(self, item: ast.AST) -> list[ast.expr] | None:
        """Return the expressions that may read an item of a local container; None if it is not an
        item of one, or its readers are not known.

        MindSpore's parser follows the items only of lists to which others are appended. All items
        are compiled.
        """
        if self._counts_unused:
            return None
        is_parsed = self._decide is decide_as_parser
        targets = find_unpack_targets(self._function, item)
        if targets and not is_parsed and not self._keeps_changes:
            return targets
        name = find_container_name(self._function, item)
        flow = follow_items(self._function, name) if name else None
        if flow is None or item not in flow.readers:
            return None
        is_appended = flow.is_indexed and flow.is_changed
        if (is_parsed and not is_appended) or (self._keeps_changes and not flow.is_indexed):
            return None
        return flow.readers[item]

    def _is_item_live(self, item: ast.AST, readers: list[ast.expr]) -> bool:
        """Whether a result depends on an item of a container through one of its readers."""
        if item in self._nodes_in_progress or self._is_unreachable(item):
            return False
        self._nodes_in_progress.add(item)
        try:
            return any(map(self._is_reader_live, readers))
        finally:
            self._nodes_in_progress.discard(item)

    def _is_reader_live(self, reader: ast.expr) -> bool:
        """Whether a result depends on an expression, or on a name that an item is unpacked to."""
        is_target = isinstance(getattr(reader, "ctx", None), ast.Store)
        return self._is_target_live(reader) if is_target else self.reaches_result(reader)

    def _is_unreachable(self, node: ast.AST) -> bool:
        """Whether a statement is in a branch that no run takes."""
        child = node
        for ancestor in self._function.iterate_ancestors(node):
            if isinstance(ancestor, ast.If) and self._is_skipped(ancestor, child):
                return True
            if isinstance(ancestor, ast.While) and child in ancestor.body:
                return self._decide(self._function, ancestor.test) is False
            child = ancestor
        return False

    def _is_returned_value_live(self, statement: ast.Return) -> bool:
        """Whether the function's result depends on the return value of a ``return`` in it or in an
        inner function.
        """
        function = self._function
        for owner in function.iterate_ancestors(statement):
            if isinstance(owner, ast.FunctionDef) and owner is not function.node:
                return any(n.id == owner.name and self.reaches_result(n) for n in function.loads)
        return True

    def _is_name_live(self, target: ast.Name) -> bool:
        """Whether a result depends on the value that a statement binds to a name."""
        reads = [n for n in self._function.loads if n.id == target.id]
        if isinstance(target.ctx, ast.Store):  # otherwise the statement changes its object
            if self._counts_unused and not reads:
                return True
            reads = [n for n in reads if not self._is_rebound_between(target, n)]
        return any(map(self.reaches_result, reads))

    def _is_rebound_between(self, node: ast.AST, read: ast.Name) -> bool:
        """Whether every path from ``node`` to a later read of a name rebinds the name.

        False in functions with a break or continue, and for reads in inner functions, which happen
        when these are called.
        """
        function, child = self._function, node
        scopes = (ast.FunctionDef, ast.Lambda)
        owners = [p for p in function.iterate_ancestors(read) if isinstance(p, scopes)]
        if owners[:1] != [function.node] or any(function.walk(ast.Break, ast.Continue)):
            return False
        for ancestor in function.iterate_ancestors(node):
            for block in (getattr(ancestor, "body", None), getattr(ancestor, "orelse", None)):
                if isinstance(block, list) and child in block:
                    later = (s for s in block if _get_last_line(child) < s.lineno)
                    if any(
                        _get_last_line(s) < read.lineno and self._binds(s, read.id) for s in later
                    ):
                        return True
            child = ancestor
        return False

    def _binds(self, statement: ast.stmt, name: str) -> bool:
        """Whether a statement rebinds a name on all paths, given the known outcomes of its
        conditions.
        """
        if isinstance(statement, ast.If):
            outcome = self._decide(self._function, statement.test)
            blocks = [statement.body, statement.orelse]
            chosen = blocks if outcome is None else blocks[:1] if outcome else blocks[1:]
            return all(any(self._binds(s, name) for s in block) for block in chosen)
        is_binding = isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value
        targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
        return bool(is_binding) and any(getattr(t, "id", "") == name for t in targets)

    def _has_effect(self, node: ast.AST) -> bool:
        """Whether a node of a block ends the function, binds a live name or changes an object."""
        if isinstance(node, ast.Return | ast.Raise | ast.Assert | ast.Yield):
            return True
        if isinstance(node, ast.AugAssign) and node.lineno in self._function.outside_writes:
            return True
        if isinstance(node, ast.Name):
            is_bound = isinstance(node.ctx, ast.Store) and not self._is_rebinding_idle(node)
            return is_bound and self._is_name_live(node)
        is_written = isinstance(getattr(node, "ctx", None), ast.Store)
        if is_written and isinstance(node, ast.Attribute | ast.Subscript):
            return self._is_target_live(node)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            receiver = getattr(node.value.func, "value", None)
            return get_called_name(node.value) != "print" and self._is_base_live(receiver)
        return False

    def _is_rebinding_idle(self, store: ast.Name) -> bool:
        """Whether a statement binds a name to the value that it has anyway."""
        bindings = [self._function.parents.get(s) for s in self._function.stores[store.id]]
        is_plain = all(isinstance(b, ast.Assign) and len(b.targets) == 1 for b in bindings)
        values = [b.value for b in bindings if isinstance(b, ast.Assign)]
        arguments = {store.id} & {*self._function.arguments}
        return is_plain and have_one_origin(self._function, values, arguments)

    def _is_target_live(self, target: ast.expr) -> bool:
        """Whether a result depends on a name, item or attribute that a statement sets."""
        if isinstance(target, ast.Tuple | ast.List):
            return any(map(self._is_target_live, target.elts))
        if not isinstance(target, ast.Subscript):
            return self._is_base_live(target)
        stores = self._function.stores.get(getattr(target.value, "id", ""), ())
        values = [getattr(self._function.parents.get(s), "value", None) for s in stores]
        is_alias = any(isinstance(v, ast.Name) for v in values)
        return is_alias or self._is_base_live(target.value)

    def _is_base_live(self, base: Any) -> bool:
        """Whether a result uses an object that is bound or changed, or code outside the function
        may use it.
        """
        is_local = isinstance(base, ast.Name) and base.id in self._function.stores
        return not is_local or self._is_name_live(base)


def _is_times_zero(function: TracedFunction, product: ast.AST, factor: ast.AST) -> bool:
    """Whether the other factor of a product is the number 0, also as an attribute that stays 0."""
    if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.Mult):
        return False
    other = product.right if factor is product.left else product.left
    if isinstance(other, ast.Attribute) and function.is_attribute_changed(other.attr):
        return False
    values = (function.evaluate(other), function.resolve_value(other))
    return any(isinstance(value, int | float) and value == 0 for value in values)


def _stops_gradient(node: ast.AST) -> bool:
    """Whether no gradient comes back through an expression, as it stops it or reads a shape."""
    reads_shape = getattr(node, "attr", "") in ("shape", "ndim", "size", "dtype")
    return reads_shape or get_called_name(node) in _GRADIENT_STOPS


def _get_last_line(node: ast.AST) -> int:
    """Return the number of the last line of a node."""
    return getattr(node, "end_lineno", 0) or 0


def decide_as_parser(function: TracedFunction, test: ast.expr) -> bool | None:
    """Return the outcome of a condition if MindSpore's parser decides it, otherwise None."""
    is_statement = isinstance(function.parents.get(test), ast.If)
    return evaluate_condition(function, test) if is_statement else None


def is_folded_away(function: TracedFunction, node: ast.AST) -> bool:
    """Whether MindSpore drops a value uncompiled, because a constant condition removes all its
    uses.

    A value without any use is compiled, because the parser attaches it to the result.
    """
    return (
        isinstance(node, ast.expr)
        and not isinstance(getattr(node, "ctx", None), ast.Store)
        and Liveness(function, decide_as_parser).reaches_result(node)
        and not Liveness(function, counts_unused=True).reaches_result(node)
    )


@contextmanager
def assume_branches_of_run(*functions: TracedFunction) -> Iterator[None]:
    """Let rules find inside the ``with`` block only what a result of this run depends on, given the
    branches that it took.
    """
    for function in functions:
        function.assumes_branches = True
    try:
        yield
    finally:
        for function in functions:
            function.assumes_branches = False


def has_effect(function: TracedFunction, node: ast.AST) -> bool:
    """Whether a result depends on a value, or a change by an in-place operator.

    An operator that changed no element in this run has no effect.
    """
    line = getattr(node, "lineno", 0)
    is_seen_in_place = isinstance(node, ast.AugAssign) and line in function.in_place_lines
    if is_seen_in_place and line not in function.changing_lines:
        return False
    is_run = not is_in_untaken_branch(function, node, of_this_run=True)
    return is_run and not Liveness(function).is_dropped(node)


def is_result_dropped(
    function: TracedFunction,
    callers: Iterable[TracedFunction],
    decide: Callable[[TracedFunction, ast.expr], bool | None] | None = None,
) -> bool:
    """Whether a function changes no object and no result depends on its return value in
    ``callers``, given the outcomes of conditions that ``decide`` returns.

    False if none of the callers reads its name.
    """
    if any(map(_may_change_object, function.walk())):
        return False
    reads = list(find_reads(function.name, callers))
    return bool(reads) and not any(Liveness(f, decide).reaches_result(n) for f, n in reads)


def _may_change_object(node: ast.AST) -> bool:
    """Whether a node sets an attribute or item, or is a statement executed for its effect."""
    is_store = isinstance(getattr(node, "ctx", None), ast.Store)
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    is_write = is_store and isinstance(node, ast.Attribute | ast.Subscript)
    return is_write or is_call or isinstance(node, ast.AugAssign)


def find_reads(
    name: str, functions: Iterable[TracedFunction]
) -> Iterator[tuple[TracedFunction, ast.AST]]:
    """Yield the functions and nodes that read a variable or an attribute of this name."""
    for function in functions:
        for node in function.walk(ast.Name, ast.Attribute):
            has_name = name in (getattr(node, "id", ""), getattr(node, "attr", ""))
            if has_name and isinstance(node.ctx, ast.Load):
                yield function, node


_GRADIENT_STOPS = ("stop_gradient", "asnumpy", "item", "tolist")
_CHANGING_METHODS = ("append", "extend", "insert", "pop", "clear", "update", "reverse", "remove")

__all__ = [
    "Liveness",
    "assume_branches_of_run",
    "decide_as_parser",
    "find_reads",
    "has_effect",
    "is_folded_away",
    "is_result_dropped",
]
