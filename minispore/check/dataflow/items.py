"""Follow the items of a function's lists, tuples and dicts by their constant index or key."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Iterable
from typing import Any

from minispore.check.dataflow.folding import find_outcome
from minispore.check.source import UNKNOWN, TracedFunction, get_called_name

#: The expressions whose values may be at each index or key. ``_TAIL`` is the key of all indices
#: after the others, if the length is not known.
Slots = dict[Any, frozenset[ast.expr]]

_TAIL = ...
_READING_METHODS = ("get", "keys", "values", "items", "index", "count", "copy")
_FLOWS: weakref.WeakKeyDictionary[TracedFunction, dict[str, ItemFlow | None]] = (
    weakref.WeakKeyDictionary()
)


class _UnfollowableError(Exception):
    """Raised by an ItemFlow at a use of its container that it does not understand."""


def follow_items(function: TracedFunction, name: str) -> ItemFlow | None:
    """Return the flow of the items of the container that a local name is bound to, cached; None
    if the source does not determine it.
    """
    flows = _FLOWS.setdefault(function, {})
    if name not in flows:
        try:
            flows[name] = ItemFlow(function, name)
        except _UnfollowableError:
            flows[name] = None
    return flows[name]


def find_container_name(function: TracedFunction, item: ast.AST) -> str:
    """Return the local name of the container that an expression becomes an item of; "" if none.

    The expression is in the literal that the name is bound to, is assigned to an item of it, or is
    an argument of ``append`` or ``insert``.
    """
    parent: Any = function.parents.get(item)
    if isinstance(parent, ast.List | ast.Tuple | ast.Dict):
        binding: Any = function.parents.get(parent)
        is_bound = isinstance(binding, ast.Assign) and len(binding.targets) == 1
        return getattr(binding.targets[0], "id", "") if is_bound else ""
    container: Any = None
    if isinstance(parent, ast.Assign | ast.AugAssign) and parent.value is item:
        target = getattr(parent, "target", None) or parent.targets[0]  # type: ignore[union-attr]
        container = target.value if isinstance(target, ast.Subscript) else None
    elif get_called_name(parent) in ("append", "insert") and item in parent.args:
        container = getattr(parent.func, "value", None)
    return getattr(container, "id", "")


def find_unpack_targets(function: TracedFunction, item: ast.AST) -> list[ast.expr]:
    """Return the name that an item of a literal is unpacked to, as in ``a, b = x, y``, in a list;
    empty for another expression.
    """
    literal: Any = function.parents.get(item)
    binding: Any = function.parents.get(literal)
    if not isinstance(literal, ast.List | ast.Tuple) or not isinstance(binding, ast.Assign):
        return []
    targets = getattr(binding.targets[0], "elts", [])
    is_plain = all(isinstance(n, ast.Name) for n in targets) and len(binding.targets) == 1
    is_even = len(targets) == len(literal.elts)
    pairs = zip(targets, literal.elts, strict=True) if is_plain and is_even else ()
    return [target for target, element in pairs if element is item]


class ItemFlow:
    """The items of the container that a local name is bound to once, by a literal.

    The statements after the literal are interpreted on ``Slots``: both branches of a condition,
    and a loop until its slots no longer change.

    Args:
        function: the function.
        name: the local name.

    Raises:
        _UnfollowableError: if a use of the name is not understood.
    """

    def __init__(self, function: TracedFunction, name: str) -> None:
        self._function, self._name = function, name
        self.is_changed = False  # whether a statement changes the container
        self.is_indexed = True  # whether it is a list or tuple, only read by index or appended to
        self.readers: dict[ast.expr, list[ast.expr]] = {}  # of each item; a Store is an unpacking
        self.slots_before: dict[ast.stmt, Slots] = {}
        self._escapes: list[ast.expr] = []  # uses that may read any later item, too
        self._followed_loads: set[ast.AST] = set()
        stores = function.stores.get(name, [])
        binding = function.parents.get(stores[0]) if len(stores) == 1 else None
        declares_scope = any(name in n.names for n in function.walk(ast.Global, ast.Nonlocal))
        if not isinstance(binding, ast.Assign) or binding.targets != stores or declares_scope:
            raise _UnfollowableError
        self._run_after(binding, self._make_slots(binding.value))
        if any(n.id == name and n not in self._followed_loads for n in function.loads):
            raise _UnfollowableError

    def find_items(self, reader: ast.AST) -> list[ast.expr]:
        """Return the items that an expression may read."""
        return [item for item, readers in self.readers.items() if reader in readers]

    # -- statements --------------------------------------------------------------------------------

    def _make_slots(self, literal: ast.expr) -> Slots:
        """Return the slots of a literal, and register its items."""
        keys: Iterable[Any]
        if isinstance(literal, ast.Dict):
            values = literal.values
            keys = [UNKNOWN if k is None else self._function.evaluate(k) for k in literal.keys]
        elif isinstance(literal, ast.List | ast.Tuple):
            values, keys = literal.elts, range(len(literal.elts))
        else:
            raise _UnfollowableError
        if any(isinstance(v, ast.Starred) for v in values):
            raise _UnfollowableError
        self._is_dict = isinstance(literal, ast.Dict)
        self.is_indexed = not self._is_dict
        return {self._check_key(k): self._put(v) for k, v in zip(keys, values, strict=True)}

    def _run_after(self, binding: ast.stmt, slots: Slots) -> None:
        """Run the statements that follow ``binding`` in its block and in the blocks around it."""
        child: ast.AST = binding
        for ancestor in self._function.iterate_ancestors(binding):
            if isinstance(ancestor, ast.Try | ast.Match):
                raise _UnfollowableError
            for block in (getattr(ancestor, field, None) for field in ("body", "orelse")):
                if isinstance(block, list) and child in block:
                    slots = self._run_block(block[block.index(child) + 1 :], slots)
            if isinstance(ancestor, ast.FunctionDef):
                return
            child = ancestor

    def _run_block(self, statements: list[ast.stmt], slots: Slots) -> Slots:
        """Run statements one after the other, and return the slots after them."""
        for statement in statements:
            before = self.slots_before.get(statement)
            self.slots_before[statement] = slots if before is None else self._join(before, slots)
            slots = self._run_statement(statement, slots)
        return slots

    def _run_statement(self, statement: ast.stmt, slots: Slots) -> Slots:
        """Run a statement of any kind, and return the slots after it."""
        if isinstance(statement, ast.If):
            self._run_expressions(statement.test, slots)
            outcome = find_outcome(self._function, statement.test)
            if outcome is not None:
                self._run_block(statement.orelse if outcome else statement.body, slots)
                return self._run_block(statement.body if outcome else statement.orelse, slots)
            after_body = self._run_block(statement.body, slots)
            return self._join(after_body, self._run_block(statement.orelse, slots))
        if isinstance(statement, ast.For | ast.While):
            return self._run_loop(statement, slots)
        return self._run_expressions(statement, slots)

    def _run_loop(self, loop: ast.For | ast.While, slots: Slots) -> Slots:
        """Run the body of a loop until the slots stay the same."""
        header = loop.iter if isinstance(loop, ast.For) else loop.test
        self._run_expressions(header, slots)
        is_changed, self.is_changed = self.is_changed, False
        iterable = self._function.evaluate(header)
        if isinstance(loop, ast.For) and iterable is not UNKNOWN and iterable:  # runs at least once
            slots = self._run_block(loop.body, slots)
        previous_slots: Slots | None = None
        while slots != previous_slots:  # ends, as slots only get more items and fewer keys
            previous_slots = slots
            slots = self._join(slots, self._run_block(loop.body, slots))
            self._run_expressions(header, slots)
        leaves_body = any(isinstance(n, ast.Break | ast.Continue) for n in ast.walk(loop))
        if self.is_changed and leaves_body:
            raise _UnfollowableError
        self.is_changed |= is_changed
        return self._run_block(loop.orelse, slots)

    def _run_expressions(self, node: ast.AST, slots: Slots) -> Slots:
        """Note the reads of a statement or expression, then apply its change of the container.

        A statement of another kind, such as a function in this one, may read, but not change it.
        """
        loads = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == self._name]
        changes = [n for n in loads if self._is_changing(n)]
        is_simple = isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.Return)
        is_pop = any(getattr(self._function.parents[n], "attr", "") == "pop" for n in changes)
        if changes and (len(changes) > 1 or not is_simple or (is_pop and len(loads) > 1)):
            raise _UnfollowableError
        self._followed_loads.update(loads)
        for load in loads:
            if load not in changes:
                self._note_read(load, slots)
        if not changes:
            return slots
        parent = self._function.parents[changes[0]]
        self.is_changed = True
        self.is_indexed &= getattr(parent, "attr", "") == "append"
        if isinstance(parent, ast.Subscript):
            return self._write_item(node, parent, slots)
        return self._call_method(self._function.parents[parent], slots)

    def _is_changing(self, load: ast.Name) -> bool:
        """Whether a use of the name sets or deletes an item, or calls a method that may."""
        parent = self._function.parents[load]
        if isinstance(parent, ast.Subscript) and parent.value is load:
            return not isinstance(parent.ctx, ast.Load)
        return isinstance(parent, ast.Attribute) and parent.attr not in _READING_METHODS

    # -- changes -----------------------------------------------------------------------------------

    def _write_item(self, statement: Any, target: ast.Subscript, slots: Slots) -> Slots:
        """Return the slots after an assignment, plain or augmented, to an item."""
        key = self._find_key(self._function.evaluate(target.slice), slots)
        is_augmented = isinstance(statement, ast.AugAssign)
        targets = [statement.target] if is_augmented else getattr(statement, "targets", [])
        if targets != [target] or (key not in slots and not self._is_dict):
            raise _UnfollowableError
        if is_augmented:
            self._note_readers(slots.get(key, frozenset()), statement.value)
        return {**slots, key: self._put(statement.value)}

    def _call_method(self, call: Any, slots: Slots) -> Slots:
        """Return the slots after a call of ``append``, ``insert`` or ``pop`` with constant
        indices.
        """
        name, arguments = get_called_name(call), getattr(call, "args", [])
        if name == "append" and len(arguments) == 1:
            end, items = _TAIL if _TAIL in slots else len(slots), self._put(arguments[0])
            return {**slots, end: slots.get(end, frozenset()) | items}
        if name == "insert" and len(arguments) == 2 and _TAIL not in slots:
            index, values = self._function.evaluate(arguments[0]), list(slots.values())
            if isinstance(index, int):
                values.insert(index, self._put(arguments[1]))
                return dict(enumerate(values))
        if name == "pop" and len(arguments) <= 1:
            index = self._function.evaluate(arguments[0]) if arguments else len(slots) - 1
            key = self._find_key(index, slots)
            self._note_readers(slots.get(key, frozenset()), call)
            return self._remove(key, slots)
        raise _UnfollowableError

    def _remove(self, key: Any, slots: Slots) -> Slots:
        """Return the slots without one of them; those after it in a list move up."""
        if key not in slots or _TAIL in slots:
            raise _UnfollowableError
        others = {k: items for k, items in slots.items() if k != key}
        return others if self._is_dict else dict(enumerate(others.values()))

    def _join(self, a: Slots, b: Slots) -> Slots:
        """Return slots with the items of both; what only the longer of two lists has, is its
        tail.
        """
        empty: frozenset[ast.expr] = frozenset()
        if self._is_dict or a.keys() == b.keys():
            return {k: a.get(k, empty) | b.get(k, empty) for k in {**a, **b}}
        common_keys = [k for k in a if k in b and k is not _TAIL]
        tail = [items for slots in (a, b) for k, items in slots.items() if k not in common_keys]
        return {**{k: a[k] | b[k] for k in common_keys}, _TAIL: empty.union(*tail)}

    def _put(self, item: ast.expr) -> frozenset[ast.expr]:
        """Register an item, and return it as the content of a slot."""
        readers = self.readers.setdefault(item, [])
        readers += [escape for escape in self._escapes if escape not in readers]
        return frozenset({item})

    # -- reads -------------------------------------------------------------------------------------

    def _note_read(self, load: ast.Name, slots: Slots) -> None:
        """Note which items a use of the name reads, by constant indices, slices and methods."""
        function = self._function
        node: Any = load
        parent: Any = function.parents[load]
        if self._find_scope(load) is not self._find_scope(function.stores[self._name][0]):
            self._escapes.append(load)  # it takes place at the calls
            self._note_readers(frozenset().union(*slots.values()), load)
            return
        while isinstance(parent, ast.Subscript) and parent.value is node:
            if not isinstance(parent.slice, ast.Slice):
                self._note_indexed_read(parent, slots)
                return
            bounds = [
                None if bound is None else function.evaluate(bound)
                for bound in (parent.slice.lower, parent.slice.upper, parent.slice.step)
            ]
            if UNKNOWN in bounds or _TAIL in slots:
                break
            slots = dict(enumerate([*slots.values()][slice(*bounds)]))
            node, parent = parent, function.parents[parent]
            self.is_indexed = False
        self.is_indexed = False
        if isinstance(parent, ast.Attribute):
            node, parent = parent, function.parents[parent]
        method = getattr(node, "attr", "")
        if method == "get" and self._is_dict and isinstance(parent, ast.Call) and parent.args:
            key = function.evaluate(parent.args[0])
            if key is not UNKNOWN and UNKNOWN not in slots:
                self._note_readers(slots.get(key, frozenset()), parent)
                return
        is_test = isinstance(parent, ast.Compare) and isinstance(parent.ops[0], ast.In | ast.NotIn)
        if get_called_name(parent) == "len" or method == "keys" or (is_test and self._is_dict):
            return
        if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Tuple):
            targets = parent.targets[0].elts
            is_plain = len(targets) == len(slots) and all(isinstance(t, ast.Name) for t in targets)
            if is_plain and _TAIL not in slots and not self._is_dict:
                for target, items in zip(targets, slots.values(), strict=True):
                    self._note_readers(items, target)
                return
        is_iterated = isinstance(parent, ast.For | ast.comprehension)
        if node is load and not is_iterated:
            self._escapes.append(load)
        reader = parent if method and isinstance(parent, ast.Call) else node
        self._note_readers(frozenset().union(*slots.values()), reader)

    def _find_scope(self, node: ast.AST) -> ast.AST | None:
        """Return the innermost function or lambda around a node."""
        ancestors = self._function.iterate_ancestors(node)
        return next((a for a in ancestors if isinstance(a, ast.FunctionDef | ast.Lambda)), None)

    def _note_indexed_read(self, subscript: ast.Subscript, slots: Slots) -> None:
        """Note a read at a constant index or key, or at an unknown one."""
        value = self._function.evaluate(subscript.slice)
        key = value if value is UNKNOWN else self._find_key(value, slots)
        if key is UNKNOWN:
            self._note_readers(frozenset().union(*slots.values()), subscript)
        elif key in slots or _TAIL in slots:
            self._note_readers(slots.get(key, slots.get(_TAIL, frozenset())), subscript)

    def _note_readers(self, items: Iterable[ast.expr], reader: ast.expr) -> None:
        """Note that an expression may read these items."""
        for item in items:
            if reader not in self.readers[item]:
                self.readers[item].append(reader)

    def _find_key(self, value: Any, slots: Slots) -> Any:
        """Return the key of a slot for a constant index or key; a negative index counts from the
        end.
        """
        key = self._check_key(value)
        if self._is_dict or not isinstance(key, int) or key >= 0:
            return key
        if _TAIL in slots:
            raise _UnfollowableError
        return key + len(slots)

    def _check_key(self, value: Any) -> Any:
        """Return a key of a slot after a check that it is a constant number or text."""
        if value is UNKNOWN or not isinstance(value, int | float | str):
            raise _UnfollowableError
        return value


__all__ = ["ItemFlow", "Slots", "find_container_name", "find_unpack_targets", "follow_items"]
