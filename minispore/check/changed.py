"""Determine whether the Cells of a graph changed since its trace, and whether the graph reads the
changes.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable
from typing import Any

from minispore.check.dataflow.liveness import Liveness, find_reads, is_result_dropped
from minispore.check.source import (
    TracedFunction,
    collect_attributes,
    get_called_name,
    make_comparable,
)
from minispore.core.parameter import Parameter
from minispore.graph.cache import Entry
from minispore.nn.cell import Cell

Snapshot = dict[int, dict[str, Any]]  # attributes by name, by the id of their Cell
_HOOKS = "(hooks)"  # no attribute can have this name


def snapshot_attributes(entry: Entry) -> Snapshot:
    """Return the public attributes, training flags and hooks of the Cells that a trace visited, by
    id. A Parameter counts as itself, whatever it contains.
    """
    cells = {id(c): c for ref, _ in entry.cell_keys if (c := ref()) is not None}
    return {
        cell_id: {
            name: _identify_parameters(value)
            for name, value in collect_attributes(c).items()
            if not name.startswith("_")
        }
        | {"training": c.training, _HOOKS: _list_hooks(c)}
        for cell_id, c in cells.items()
    }


def _identify_parameters(value: Any) -> Any:
    """Return a comparable copy of an attribute, with the ids of Parameters in place of their
    content.
    """
    if isinstance(value, list | tuple):
        return [_identify_parameters(v) for v in value]
    return id(value) if isinstance(value, Parameter) else make_comparable(value)


def reads_changed_attribute(
    entry: Entry, old: Snapshot, current: Snapshot, functions: Iterable[TracedFunction]
) -> bool:
    """Whether a function of the graph reads an attribute that differs between two snapshots.

    Also True if this can't be determined: no difference is visible, or a function computes the
    names of the attributes that it reads. Cells that were created in the graph don't count.
    """
    changed_names = {
        name
        for cell_id, new in current.items()
        for name in old[cell_id].keys() | new.keys()
        if old[cell_id].get(name) != new.get(name)
    }
    if not changed_names:
        return True
    functions = list(functions)
    if changed_names == {_HOOKS}:
        changed_ids = {i for i, new in current.items() if old[i][_HOOKS] != new[_HOOKS]}
        return not all(_is_cell_dropped(cell_id, functions) for cell_id in changed_ids)
    if any(
        changed_names & _find_names_read(function) or _reads_computed_names(function)
        for function in functions
        if not is_result_dropped(function, functions)
    ):
        return True
    cell_classes = {type(c) for ref, _ in entry.cell_keys if (c := ref()) is not None}
    return any(changed_names & _find_names_read_by_layer(cell_class) for cell_class in cell_classes)


def _list_hooks(cell: Cell) -> list[int]:
    """Return the ids of a Cell's hooks."""
    hooks = cell._record_.hooks
    return [] if hooks is None else [id(fn) for fn in hooks.functions]


def _is_cell_dropped(cell_id: int, functions: list[TracedFunction]) -> bool:
    """Whether a Cell is an attribute of objects in the graph, and all reads of it are known to
    reach no result.
    """
    instances = [instance for f in functions for instance in f.instances.values()]
    names = {
        name
        for instance in instances
        for name, value in collect_attributes(instance).items()
        if id(value) == cell_id
    }
    reads = [read for name in names for read in find_reads(name, functions)]
    return bool(reads) and not any(Liveness(f).reaches_result(n) for f, n in reads)


def _find_names_read(function: TracedFunction) -> set[str]:
    """Return the attributes that reach a result, and the strings that are arguments of calls."""
    liveness = Liveness(function)
    constants = {
        n.value
        for n in function.walk(ast.Constant)
        if isinstance(n.value, str) and isinstance(function.parents[n], ast.Call)
    }
    attributes = {n.attr for n in function.walk(ast.Attribute) if liveness.reaches_result(n)}
    return attributes | constants


def reads_changed_object(reason: str, functions: Iterable[TracedFunction]) -> bool:
    """Whether a read of the changed object that a reason names reaches a result; True if no read of
    it is found.
    """
    name = reason.removesuffix(" changed").rpartition(" ")[2].rpartition(".")[2]
    functions = list(functions)
    reads = [
        (function, n)
        for function, n in find_reads(name, functions)
        if not _is_item_set_before(function, n)
    ]
    return not reads or any(
        Liveness(function).reaches_result(n) and not is_result_dropped(function, functions)
        for function, n in reads
    )


def _is_item_set_before(function: TracedFunction, read: ast.AST) -> bool:
    """Whether the function sets an item of the same object before ``read`` or on its line."""
    return any(
        ast.unparse(item.value) == ast.unparse(read) and item.lineno <= getattr(read, "lineno", 0)
        for item in function.walk(ast.Subscript)
        if isinstance(item.ctx, ast.Store)
    )


def _reads_computed_names(function: TracedFunction) -> bool:
    """Whether the function calls ``getattr`` with a name that is not a constant."""
    return any(
        get_called_name(call) == "getattr" and not isinstance(call.args[1], ast.Constant)
        for call in function.find_calls("getattr")
        if len(call.args) > 1
    )


def _find_names_read_by_layer(layer_class: type) -> set[str]:
    """Return the names in the code of the methods of a ``minispore.nn`` layer and its bases."""
    return {
        name
        for base in layer_class.__mro__
        if base.__module__.startswith("minispore.nn.") and base.__name__ != "Cell"
        for member in vars(base).values()
        if isinstance(member, types.FunctionType) and member.__name__ != "__init__"
        for name in member.__code__.co_names
    }


__all__ = ["Snapshot", "reads_changed_attribute", "reads_changed_object", "snapshot_attributes"]
