"""Trees: nested tuples, named tuples, lists and dicts, walked in one way everywhere.

A leaf is whatever is none of these. Leaves come in the order in which they are written, those of a
dict in the order of its keys. What is made of a tree is of the same kinds, subclasses of list and
dict included, so that a graph gives back what the function itself returns.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable
from typing import Any

from minispore.core.tensor import Tensor


def leaves(tree: Any) -> list[Any]:
    """The leaves of ``tree``, in order.

    >>> leaves({"a": (1, [2]), "b": None})
    [1, 2, None]
    """
    if isinstance(tree, tuple | list):
        return [leaf for part in tree for leaf in leaves(part)]
    if isinstance(tree, dict):
        return [leaf for part in tree.values() for leaf in leaves(part)]
    return [tree]


def mapped(f: Callable[[Any], Any], tree: Any) -> Any:
    """``tree`` with ``f(leaf)`` for each leaf.

    >>> mapped(str, {"a": (1, [2]), "b": None})
    {'a': ('1', ['2']), 'b': 'None'}
    """
    if isinstance(tree, tuple):
        made = [mapped(f, part) for part in tree]
        return type(tree)._make(made) if hasattr(tree, "_fields") else tuple(made)  # type: ignore[attr-defined]
    if isinstance(tree, list):
        made = [mapped(f, part) for part in tree]
        if tree.__class__ is list:
            return made
        twin = copy.copy(tree)
        twin[:] = made
        return twin
    if isinstance(tree, dict):
        pairs = {key: mapped(f, part) for key, part in tree.items()}
        if tree.__class__ is dict:
            return pairs
        same = copy.copy(tree)
        same.update(pairs)
        return same
    return f(tree)


def numbered(tree: Any) -> tuple[Any, list[Any]]:
    """``tree`` with a number in place of each leaf, and the leaves by number.

    >>> numbered((3.5, ["a", "b"]))
    ((0, [1, 2]), [3.5, 'a', 'b'])
    """
    numbers = itertools.count()
    return mapped(lambda _: next(numbers), tree), leaves(tree)


def tensors_in(tree: Any) -> list[Tensor]:
    """The tensors among the leaves of ``tree``, in order."""
    if isinstance(tree, Tensor):
        return [tree]
    return [leaf for leaf in leaves(tree) if isinstance(leaf, Tensor)]


def map_tensors(f: Callable[[Tensor], Any], tree: Any) -> Any:
    """``tree`` with ``f`` applied to each tensor; all other leaves as they are."""
    return mapped(lambda leaf: f(leaf) if isinstance(leaf, Tensor) else leaf, tree)


def refilled(tree: Any, tensors: Iterable[Any]) -> Any:
    """``tree`` with its tensors, in order, replaced by ``tensors``."""
    new = iter(tensors)
    return map_tensors(lambda _: next(new), tree)
