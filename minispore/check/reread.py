"""Whether the code that called a graph reads a tensor again that the graph has written into."""

from __future__ import annotations

import ast
from types import FrameType
from typing import Any, TypeGuard

from minispore.check.source import tree_of


def reads_again(frame: FrameType, tensor: Any) -> bool:
    """Whether ``frame``, in the middle of a call, has a name for ``tensor`` that is read after it.

    In the statement of the call, in one behind it before the name is bound anew, or in another turn
    of a loop. A tensor without a name there is taken for one that nobody reads.
    """
    tree, line = tree_of(frame.f_code.co_filename), frame.f_lineno or 0
    around = [n for n in ast.walk(tree) if _holds(n, line)] if tree is not None else []
    if not around:
        return False
    here = max(around, key=lambda n: (n.lineno, -(n.end_lineno or 0)))
    loops = [n for n in around if isinstance(n, ast.For | ast.While)]
    scopes = [n for n in around if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    body = scopes[-1] if scopes else tree
    names = [name for name, held in frame.f_locals.items() if held is tensor]
    return any(_is_read(body, here, loops, name) for name in names)


def _holds(node: ast.AST, line: int) -> TypeGuard[ast.stmt]:
    return isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)


def _is_read(body: Any, here: ast.stmt, loops: list[ast.For | ast.While], name: str) -> bool:
    loads, stores = _lines(here, name)
    if len(loads) > 1 or stores:  # a store: x = net(x)
        return len(loads) > 1
    end = here.end_lineno or here.lineno
    loads, stores = ([n for n in lines if n > end] for lines in _lines(body, name))
    if loads and (not stores or loads[0] <= stores[0]):
        return True
    return any(not _lines(loop, name)[1] for loop in loops)


def _lines(node: ast.AST, name: str) -> tuple[list[int], list[int]]:
    """The lines that read a name, and those that bind it."""
    named = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name]
    loads = [n.lineno for n in named if isinstance(n.ctx, ast.Load)]
    return sorted(loads), sorted(n.lineno for n in named if isinstance(n.ctx, ast.Store))


__all__ = ["reads_again"]
