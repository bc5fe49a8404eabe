"""Trees: nested tuples, named tuples, lists and dicts, traversed in the same way everywhere.

A leaf is any other object. Leaves are visited in the order in which they are written, those of a
dict in the order of its keys. A tree made from another one has the same container types, subclasses
of list and dict included, so that a graph returns the same types as the function itself.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable
from typing import Any

from minispore.core.tensor import Tensor


class Mutable:
    """Base of the containers that ``mutable`` returns; ``dynamic`` says whether their length may
    change.
    """

    dynamic = False


class HasValues:
    """Base of sparse tensors, which are differentiated by their tensor ``values``."""

    values: Any

    def with_values(self, values: Tensor) -> Any:
        """Return a new object with other values and the same shape and indices; subclasses
        override it.
        """
        raise NotImplementedError


class _MutableTuple(Mutable, tuple):
    pass


class _MutableList(Mutable, list):
    pass


class _MutableDict(Mutable, dict):
    pass


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """Mark ``input_data`` as differentiable, even if it is a tuple, list or dict. (Tensors in any
    container are inputs of a graph, but plain containers have no gradients.) Returns a marked copy
    of a container; a tensor or number itself.

    Raises:
        TypeError: ``input_data`` holds something other than tensors and numbers, or is not a tuple
            or list although ``dynamic_len`` is true.

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
    _check_mutable_data(input_data, ())
    for kind, mutable_type in ((tuple, _MutableTuple), (list, _MutableList), (dict, _MutableDict)):
        if isinstance(input_data, kind):
            result = mutable_type(input_data)
            result.dynamic = dynamic_len
            return result
    return input_data


def _check_mutable_data(data: Any, containers: tuple[Any, ...]) -> None:
    """Raise a TypeError unless ``data`` is a tree of tensors, bools, ints and floats.

    ``containers`` are those that ``data`` is in, to find one that contains itself.
    """
    if any(data is container for container in containers):
        raise TypeError(
            "mutable: input_data must have no self-reference, got a container in itself."
        )
    if isinstance(data, tuple | list | dict):
        for child in data.values() if isinstance(data, dict) else data:
            _check_mutable_data(child, (*containers, data))
    elif not isinstance(data, Tensor | bool | int | float):
        raise TypeError(
            "mutable: input_data must hold tensors, numbers, tuples, lists and dicts of them, got "
            f"{data!r} ({type(data).__name__})."
        )


def leaves(tree: Any) -> list[Any]:
    """Return the leaves of ``tree``, in order.

    >>> leaves({"a": (1, [2]), "b": None})
    [1, 2, None]
    """
    if isinstance(tree, tuple | list):
        return [leaf for child in tree for leaf in leaves(child)]
    if isinstance(tree, dict):
        return [leaf for child in tree.values() for leaf in leaves(child)]
    return [tree]


def map_leaves(f: Callable[[Any], Any], tree: Any) -> Any:
    """Return ``tree`` with ``f(leaf)`` in place of each leaf.

    >>> map_leaves(str, {"a": (1, [2]), "b": None})
    {'a': ('1', ['2']), 'b': 'None'}
    """
    if isinstance(tree, tuple):
        results = [map_leaves(f, child) for child in tree]
        if tree.__class__ is tuple:
            return tuple(results)
        if hasattr(tree, "_fields"):
            return type(tree)._make(results)  # type: ignore[attr-defined]
        return type(tree)(results)
    if isinstance(tree, list):
        results = [map_leaves(f, child) for child in tree]
        if tree.__class__ is list:
            return results
        new_list = copy.copy(tree)
        new_list[:] = results
        return new_list
    if isinstance(tree, dict):
        new_items = {key: map_leaves(f, child) for key, child in tree.items()}
        if tree.__class__ is dict:
            return new_items
        new_dict = copy.copy(tree)
        new_dict.update(new_items)
        return new_dict
    return f(tree)


def number_leaves(tree: Any) -> tuple[Any, list[Any]]:
    """Return ``tree`` with a number in place of each leaf, and the leaves by number.

    >>> number_leaves((3.5, ["a", "b"]))
    ((0, [1, 2]), [3.5, 'a', 'b'])
    """
    numbers = itertools.count()
    return map_leaves(lambda _: next(numbers), tree), leaves(tree)


def tensors_in(tree: Any) -> list[Tensor]:
    """Return the tensors among the leaves of ``tree``, in order."""
    if isinstance(tree, Tensor):
        return [tree]
    return [leaf for leaf in leaves(tree) if isinstance(leaf, Tensor)]


def map_tensors(f: Callable[[Tensor], Any], tree: Any) -> Any:
    """Return ``tree`` with ``f`` applied to each tensor; other leaves are unchanged."""
    return map_leaves(lambda leaf: f(leaf) if isinstance(leaf, Tensor) else leaf, tree)


def values_in(tree: Any) -> list[Tensor]:
    """Return the tensors among the leaves of ``tree``, and the values of sparse tensors, in
    order.
    """
    if isinstance(tree, Tensor):
        return [tree]
    differentiable = [leaf for leaf in leaves(tree) if isinstance(leaf, Tensor | HasValues)]
    return [leaf.values if isinstance(leaf, HasValues) else leaf for leaf in differentiable]


def map_values(f: Callable[[Tensor], Any], tree: Any) -> Any:
    """Return ``tree`` with ``f`` applied to each tensor, and to the values of each sparse
    tensor.
    """

    def map_leaf(leaf: Any) -> Any:
        """Apply ``f`` to a tensor, or to the values of a sparse one; return any other leaf
        unchanged.
        """
        if isinstance(leaf, HasValues):
            return leaf.with_values(f(leaf.values))
        return f(leaf) if isinstance(leaf, Tensor) else leaf

    return map_leaves(map_leaf, tree)


def replace_values(tree: Any, tensors: Iterable[Any]) -> Any:
    """Return ``tree`` with its tensors and sparse tensors replaced by ``tensors``, in order."""
    replacements = iter(tensors)
    return map_leaves(
        lambda leaf: next(replacements) if isinstance(leaf, Tensor | HasValues) else leaf, tree
    )


def replace_tensors(tree: Any, tensors: Iterable[Any]) -> Any:
    """Return ``tree`` with its tensors replaced by ``tensors``, in order."""
    replacements = iter(tensors)
    return map_tensors(lambda _: next(replacements), tree)


def split_aux(api_name: str, out: Any) -> tuple[Any, tuple[Any, ...]]:
    """Split the outputs of a function with ``has_aux`` into the first, which is differentiated, and
    a tuple of the others.

    Raises:
        ValueError: there are no other outputs.
    """
    if not isinstance(out, tuple) or len(out) < 2:
        description = f"one of {len(out)}" if isinstance(out, tuple) else type(out).__name__
        raise ValueError(
            f"{api_name}: with has_aux fn must return a tuple of at least two outputs, got "
            f"{description}."
        )
    return out[0], out[1:]
