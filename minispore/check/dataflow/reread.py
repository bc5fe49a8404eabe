"""Determine whether the caller of a graph reads a tensor after the graph has written into it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import FrameType
from typing import Any, TypeGuard

from minispore.check.source import parse_file


def is_read_after_call(frame: FrameType, tensor: Any) -> bool:
    """Whether the calling ``frame`` reads ``tensor`` under a local name after the current call.

    Reads count in the statement of the call itself, in later statements until the name is rebound,
    and in the next iteration of a loop. A tensor without a local name counts as not read.
    """
    names = [name for name, value in frame.f_locals.items() if value is tensor]
    return are_names_read_after_call(frame, names)


def are_names_read_after_call(frame: FrameType, names: Iterable[str]) -> bool:
    """Whether the calling ``frame`` reads one of its local ``names`` after the current call; False
    if its source is unknown.
    """
    tree, line = parse_file(frame.f_code.co_filename), frame.f_lineno or 0
    enclosing = [n for n in ast.walk(tree) if _contains_line(n, line)] if tree is not None else []
    if not enclosing:
        return False
    call_statement = max(enclosing, key=lambda n: (n.lineno, -(n.end_lineno or 0)))
    loops = [n for n in enclosing if isinstance(n, ast.For | ast.While)]
    scopes = [n for n in enclosing if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    scope = scopes[-1] if scopes else tree
    return any(_is_name_read_after(scope, call_statement, loops, name) for name in names)


def _contains_line(node: ast.AST, line: int) -> TypeGuard[ast.stmt]:
    """Whether ``node`` is a statement that spans the line."""
    return isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)


def _is_name_read_after(
    scope: Any, statement: ast.stmt, loops: list[ast.For | ast.While], name: str
) -> bool:
    """Whether ``scope`` reads ``name`` after ``statement``.

    A loop in ``loops``, which enclose the statement, counts as a read if it never binds the name.
    """
    loads, stores = _find_lines_of_name(statement, name)
    if len(loads) > 1 or stores:  # a store: x = net(x)
        return len(loads) > 1
    end = statement.end_lineno or statement.lineno
    loads, stores = ([n for n in lines if n > end] for lines in _find_lines_of_name(scope, name))
    if loads and (not stores or loads[0] <= stores[0]):
        return True
    return any(not _find_lines_of_name(loop, name)[1] for loop in loops)


def _find_lines_of_name(node: ast.AST, name: str) -> tuple[list[int], list[int]]:
    """Return the lines that read a name and the lines that bind it, each sorted."""
    name_nodes = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name]
    loads = [n.lineno for n in name_nodes if isinstance(n.ctx, ast.Load)]
    return sorted(loads), sorted(n.lineno for n in name_nodes if isinstance(n.ctx, ast.Store))


__all__ = ["are_names_read_after_call", "is_read_after_call"]
