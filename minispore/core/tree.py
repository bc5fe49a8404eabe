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


class Mutable:
    """A tuple, list or dict that was said to be ``mutable``; ``dynamic``: of any length, too."""

    dynamic = False


class Valued:
    """What is no tensor but has the values of one, by which it can be differentiated: a sparse
    tensor.
    """

    values: Any

    def _with(self, values: Tensor) -> Any:
        """The same with other values."""
        raise NotImplementedError


class _Tuple(Mutable, tuple):
    pass


class _List(Mutable, list):
    pass


class _Dict(Mutable, dict):
    pass


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """``input_data`` as an input by which can be differentiated, also if it is a tuple, list or
    dict. (Tensors in containers are always inputs of a graph; gradients pass over other
    containers.)

    Raises:
        TypeError: ``input_data`` holds something else than tensors and numbers, or has no length
            with ``dynamic_len``.

    >>> from minispore import grad
    >>> pair = mutable((Tensor(2.0), Tensor(3.0)))
    >>> print(grad(lambda t: t[0] * t[1])(pair)[0])
    3.0
    """
    if not isinstance(dynamic_len, bool):
        raise TypeError(f"mutable: dynamic_len must be a bool, got {dynamic_len!r}.")
    if dynamic_len and not isinstance(input_data, tuple | list):
        raise TypeError(
            "mutable: input_data must be a tuple or list with dynamic_len, got "
            f"{type(input_data).__name__}."
        )
    _check(input_data)
    for kind, made in ((tuple, _Tuple), (list, _List), (dict, _Dict)):
        if isinstance(input_data, kind):
            result = made(input_data)
            result.dynamic = dynamic_len
            return result
    return input_data


def _check(data: Any) -> None:
    if isinstance(data, tuple | list | dict):
        for part in data.values() if isinstance(data, dict) else data:
            _check(part)
    elif not isinstance(data, Tensor | bool | int | float):
        raise TypeError(
            "mutable: input_data must hold tensors, numbers, tuples, lists and dicts of them, got "
            f"{data!r} ({type(data).__name__})."
        )


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
        if tree.__class__ is tuple:
            return tuple(made)
        if hasattr(tree, "_fields"):
            return type(tree)._make(made)  # type: ignore[attr-defined]
        return type(tree)(made)
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


def values_in(tree: Any) -> list[Tensor]:
    """The tensors among the leaves of ``tree``, and the values of sparse ones, in order."""
    if isinstance(tree, Tensor):
        return [tree]
    found = [leaf for leaf in leaves(tree) if isinstance(leaf, Tensor | Valued)]
    return [leaf.values if isinstance(leaf, Valued) else leaf for leaf in found]


def map_values(f: Callable[[Tensor], Any], tree: Any) -> Any:
    """``tree`` with ``f`` applied to each tensor, and to the values of each sparse one."""

    def over(leaf: Any) -> Any:
        if isinstance(leaf, Valued):
            return leaf._with(f(leaf.values))
        return f(leaf) if isinstance(leaf, Tensor) else leaf

    return mapped(over, tree)


def in_place_of_values(tree: Any, tensors: Iterable[Any]) -> Any:
    """``tree`` with its tensors, and its sparse ones, in order, replaced by ``tensors``."""
    new = iter(tensors)
    return mapped(lambda leaf: next(new) if isinstance(leaf, Tensor | Valued) else leaf, tree)


def refilled(tree: Any, tensors: Iterable[Any]) -> Any:
    """``tree`` with its tensors, in order, replaced by ``tensors``."""
    new = iter(tensors)
    return map_tensors(lambda _: next(new), tree)


def aux_apart(who: str, out: Any) -> tuple[Any, tuple[Any, ...]]:
    """What is differentiated of the outputs of a function with ``has_aux``, and the others.

    Raises:
        ValueError: there are no others.
    """
    if not isinstance(out, tuple) or len(out) < 2:
        found = f"one of {len(out)}" if isinstance(out, tuple) else type(out).__name__
        raise ValueError(
            f"{who}: with has_aux fn must return a tuple of at least two outputs, got {found}."
        )
    return out[0], out[1:]
