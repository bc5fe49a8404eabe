"""Report index assignments to a tensor that has another name, which keeps the old content."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.dataflow.liveness import Liveness
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import UNKNOWN, TracedFunction, get_called_name

VIEW_FUNCTIONS = ("reshape", "view", "transpose", "swapaxes", "flatten", "squeeze", "expand_dims")


def _find_viewed_name(function: TracedFunction, value: Any) -> str:
    """Return the name of the tensor or container of which an expression is a view or item;
    otherwise "".
    """
    if isinstance(value, ast.Name):
        return value.id if function.infer_kind(value) == "tensor" else ""
    if isinstance(value, ast.Subscript):
        if function.infer_kind(value.value) in ("tuple", "list", "dict"):
            return value.value.id if isinstance(value.value, ast.Name) else ""
        indices = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        if any(function.infer_kind(i) in ("tensor", "list") for i in indices):
            return ""
        return _find_viewed_name(function, value.value)
    if isinstance(value, ast.Attribute):
        return _find_viewed_name(function, value.value) if value.attr == "T" else ""
    if get_called_name(value) in VIEW_FUNCTIONS:
        is_function = function.resolve_value(value.func) is not UNKNOWN
        viewed = value.args[0] if is_function and value.args else getattr(value.func, "value", None)
        return _find_viewed_name(function, viewed)
    return ""


def _holds_tensor(function: TracedFunction, value: Any, name: str) -> bool:
    """Whether an expression is a view of the tensor ``name``, or a container that contains it."""
    items = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", [])
    return _find_viewed_name(function, value) == name or any(
        getattr(item, "id", "") == name for item in items
    )


def _is_returned(function: TracedFunction, name: str) -> bool:
    """Whether a ``return`` of the function returns exactly the variable ``name``."""
    return any(
        isinstance(function.parents.get(n), ast.Return) for n in function.loads if n.id == name
    )


def _find_write_to_shared_tensor(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find assignments to items of a tensor that is an argument, a view, or has another name.

    In a graph, LAX or STRICT, ``t[i] = v`` makes a new tensor for this name only; in PYNATIVE_MODE
    all names see the new item.
    """
    for node in function.walk(ast.Subscript):
        if not isinstance(node.ctx, ast.Store) or not isinstance(node.value, ast.Name):
            continue
        name = node.value.id
        if function.infer_kind(node.value) != "tensor":
            continue
        earlier_stores = [s for s in function.stores.get(name, ()) if s.lineno < node.lineno]
        if not earlier_stores:
            if (
                name in function.arguments
                and function.name != "construct"
                and not _is_returned(function, name)
            ):
                yield node
            continue
        binding: Any = function.parents.get(earlier_stores[-1])
        source_name = _find_viewed_name(function, getattr(binding, "value", None))
        if isinstance(binding, ast.For) and function.infer_kind(binding.iter) in ("list", "tuple"):
            source_name = getattr(binding.iter, "id", "")
        if source_name and Liveness(function).is_read_after(source_name, node):
            yield node
            continue
        for view_name, stores in function.stores.items():  # views that are read later
            last_store = next((s for s in reversed(stores) if s.lineno < node.lineno), None)
            if (
                view_name != name
                and last_store is not None
                and last_store.lineno > earlier_stores[-1].lineno
                and _holds_tensor(
                    function, getattr(function.parents.get(last_store), "value", None), name
                )
                and Liveness(function).is_read_after(view_name, node)
            ):
                yield node
                break


RULE = Rule(
    name="item-written",
    says="t[i] = v makes a new tensor for this name only. An argument, another name, a view or a "
    "global keeps the old values.",
    bad="""y = x
y[0] = 9
return x, y""",
    good="""y = x * 1
y[0] = 9
return y, y""",
    lax=OTHER,
    strict=OTHER,
    find=_find_write_to_shared_tensor,
)
