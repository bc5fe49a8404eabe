"""Report writes to globals, which happen once, while a graph is traced."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.rules.state.self_item import CHANGING_METHODS
from minispore.check.source import UNKNOWN, TracedFunction, parse_file
from minispore.core.tensor import Tensor


def _is_module_state(function: TracedFunction, node: ast.AST) -> bool:
    """Whether ``node`` names a list, dict, set or tensor of the module.

    A parameter whose default is a list, dict or set literal counts, too.
    """
    if not isinstance(node, ast.Name) or node.id in function.stores:
        return False
    if node.id in function.arguments:  # a default value, which all calls share
        defaults = function.node.args.defaults
        names = function.arguments[len(function.arguments) - len(defaults) :]
        return any(
            n == node.id and _is_mutable_literal(d) for n, d in zip(names, defaults, strict=True)
        )
    return isinstance(function.resolve_value(node), list | dict | set | Tensor)


def _is_mutable_literal(default: ast.AST) -> bool:
    """Whether a parameter's default is a list, dict or set literal."""
    return isinstance(default, ast.List | ast.Dict | ast.Set)


def _stores_constant(function: TracedFunction, item: ast.Subscript) -> bool:
    """Whether an item is set to a constant, which the graph itself has at each call."""
    statement: Any = function.parents.get(item)
    return isinstance(statement, ast.Assign) and function.evaluate(statement.value) is not UNKNOWN


def _is_read_elsewhere(function: TracedFunction, container: ast.expr) -> bool:
    """Whether code outside the function, in the same file, reads a global instead of only setting
    its items.
    """
    tree, name = parse_file(function.file), getattr(container, "id", "")
    inside = set(function.walk(ast.Name))
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Name) and node.id == name and node not in inside:
            is_set = isinstance(getattr(function.parents.get(node), "ctx", None), ast.Store)
            if isinstance(node.ctx, ast.Load) and not is_set:
                return True
    return False


def _find_global_write(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``global`` statements that assign, and changes of lists, dicts and sets of a module.

    They happen once, while the graph is traced, not at each call, in LAX and STRICT.
    """
    for statement in function.walk(ast.Global):
        if any(name in function.stores for name in statement.names):
            yield statement
    for node in function.walk(ast.Subscript):
        is_write = isinstance(node.ctx, ast.Store) and _is_module_state(function, node.value)
        if is_write and (
            not _stores_constant(function, node) or _is_read_elsewhere(function, node.value)
        ):
            yield node
    for call in function.find_calls(*CHANGING_METHODS):
        if isinstance(call.func, ast.Attribute) and _is_module_state(function, call.func.value):
            yield call


RULE = Rule(
    name="global",
    says="A global statement, or a change to a list, dict or set of the module, takes effect only "
    "once, when the graph is compiled.",
    bad="""global G
G = G + 1
return x * G""",
    good="""self.g = self.g + 1  # a Parameter made in __init__
return x * self.g""",
    lax=OTHER,
    strict=OTHER,
    around=make_construct_template('self.g = ms.Parameter(Tensor(1), name="g")', head="G = 1"),
    find=_find_global_write,
)
