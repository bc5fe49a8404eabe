"""The boundary of a graph: conversion of nested inputs and results to lists of tensors and back."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from types import (
    BuiltinFunctionType,
    EllipsisType,
    FunctionType,
    ModuleType,
    NoneType,
    NotImplementedType,
)
from typing import Any

import numpy as np

from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.row_gradient import RowGradient
from minispore.core.tensor import Tensor, wrap
from minispore.core.tree import Mutable, map_leaves, map_tensors, tensors_in
from minispore.core.views import View, find_view, rebase, trace_to_root
from minispore.errors import GraphModeError
from minispore.graph.keys import is_cell
from minispore.graph.state.code_origin import is_user_code
from minispore.graph.trace import Untraceable, user_line
from minispore.ir.value import Value, make_no_content_error
from minispore.ops.methods.sparse_tensors import SparseTensor


class _RowGradientParts(tuple):
    """The three tensors of a RowGradient, as a tuple inside a tree.

    When the tree is mapped and the mapped parts are tensors, they become a RowGradient again.
    """

    def __new__(cls, parts: Any) -> Any:
        """Return a RowGradient of ``parts`` if these are tensors, else a tuple of this class."""
        return RowGradient(*parts) if isinstance(parts[1], Tensor) else super().__new__(cls, parts)


def expand_row_gradients(tree: Any) -> Any:
    """Return ``tree`` with each RowGradient replaced by its parts.

    A graph takes and returns these parts as separate tensors.
    """

    def expand_leaf(leaf: Any) -> Any:
        """Return the parts of a RowGradient; any other leaf unchanged."""
        if not isinstance(leaf, RowGradient):
            return leaf
        return tuple.__new__(_RowGradientParts, (leaf.indices, leaf.values, leaf.table_shape))

    return map_leaves(expand_leaf, tree)


class OutputSlot:
    """A placeholder for one output tensor in a Structure.

    An output that shares its content with an input, a Parameter or another output does so in each
    call: it is created as a view of that tensor.

    Args:
        root: the Parameter, or the index of the root tensor, whose content it shares; None if it
            shares no content.
        views: the views that lead from the root to the output.
    """

    def __init__(self, root: int | Parameter | None = None, views: tuple[View, ...] = ()) -> None:
        self.root, self.views = root, views

    def make_tensor(self, value: Value, roots: list[Tensor]) -> Tensor:
        """Return the output tensor for ``value``, which a call computed for this slot: a new
        tensor, the root, or a view of the root.
        """
        if self.root is None:
            return wrap(value)
        root = roots[self.root] if isinstance(self.root, int) else self.root
        return rebase(wrap(value), root, self.views) if self.views else root


_UNSHARED = OutputSlot()


class Structure:
    """The form of a function's result, with slots in place of its tensors.

    Args:
        tree: the result with an OutputSlot for each tensor.
        slot_count: the number of slots; the graph's outputs for them come first.
        root_count: the number of root tensors that several slots share; they are the last outputs.
    """

    def __init__(self, tree: Any, slot_count: int, root_count: int) -> None:
        self.tree, self.slot_count, self.root_count = tree, slot_count, root_count

    def rebuild_result(self, outputs: list[Value], inputs: list[Tensor]) -> Any:
        """Rebuild the function's result from the outputs of the graph and the inputs of a call."""
        roots = [*inputs, *map(wrap, outputs[len(outputs) - self.root_count :])]
        remaining = iter(outputs)
        return map_leaves(
            lambda leaf: (
                leaf.make_tensor(next(remaining), roots) if leaf.__class__ is OutputSlot else leaf
            ),
            self.tree,
        )


def make_structure(tree: Any, inputs: list[Tensor]) -> tuple[Structure, list[Tensor]]:
    """Return the structure of a result, and the new root tensors of which several of its tensors
    are views.

    Args:
        tree: the result; Parameters in it are kept as they are.
        inputs: the input tensors, which are roots, too.
    """
    base_and_views = {
        id(t): trace_to_root(t) for t in tensors_in(tree) if not isinstance(t, Parameter)
    }
    bases = [base_and_views[id(t)][0] for t in tensors_in(tree) if id(t) in base_and_views]
    uses_of_base = Counter(map(id, bases))
    # Roots are numbered as rebuild_result lists them: the inputs, then the new shared roots.
    root_numbers = {id(tensor): i for i, tensor in enumerate(inputs)}
    shared: list[Tensor] = []
    for base in bases:
        if (
            uses_of_base[id(base)] > 1
            and id(base) not in root_numbers
            and not isinstance(base, Parameter)
        ):
            root_numbers[id(base)] = len(inputs) + len(shared)
            shared.append(base)

    def make_slot(t: Tensor) -> Any:
        """Return the placeholder of a tensor in the structure of the outputs.

        It is the Parameter itself, an OutputSlot with root and views, or ``_UNSHARED``.
        """
        if isinstance(t, Parameter):
            return t
        base, views = base_and_views[id(t)]
        root = base if isinstance(base, Parameter) else root_numbers.get(id(base))
        if root is None:
            return _UNSHARED
        return OutputSlot(root, tuple([view.without_base() for view in views]))

    return Structure(map_tensors(make_slot, tree), len(bases), len(shared)), shared


def find_first_positions(tensors: list[Tensor]) -> tuple[int, ...]:
    """Return for each tensor the index of its first occurrence in the list."""
    positions: dict[int, int] = {}
    return tuple([positions.setdefault(id(t), i) for i, t in enumerate(tensors)])


def replace_inputs(tree: Any, inputs: list[Tensor]) -> Any:
    """Return ``tree`` with its tensors replaced by ``inputs``, in order.

    Parameters are not replaced. The replacement of a tensor gets its hooks, too.
    """
    remaining = iter(inputs)

    def take_next(tensor: Tensor) -> Tensor:
        """Return the next replacement, with the hooks of ``tensor``; a Parameter stays itself."""
        if isinstance(tensor, Parameter):
            return tensor
        replacement = next(remaining)
        if tensor.hooks_ is not None:
            replacement.hooks_ = tensor.hooks_
        return replacement

    return map_tensors(take_next, tree)


def get_array(t: Tensor) -> np.ndarray:
    """Return the array of a tensor that is an input of a graph.

    Raises:
        GraphModeError: the tensor belongs to a trace that has ended, or its initializer has not
            been run.
        ValueError: the tensor only declares an input of dynamic shape.
    """
    data = t._value.data
    if data is None:
        if t.has_init or any(n < 0 for n in t._value.spec.shape):
            raise make_no_content_error(t._value.spec)
        raise GraphModeError(
            f"Tensor: a traced tensor was passed to a graph at {user_line()}. Return it from "
            "construct instead of keeping it in a Python variable or attribute."
        )
    return data


_CONSTANTS = (
    *(int, float, complex, str, bytes, range, np.generic, np.dtype),
    *(NoneType, EllipsisType, NotImplementedType, ModuleType),
)


def check_return_value(out: Any) -> None:
    """Check that a result can be rebuilt at each call of a graph.

    It must consist of tensors and constants, possibly nested in tuples, lists and dicts.

    Raises:
        Untraceable: it contains something else.
    """
    if isinstance(out, tuple | list | dict):
        is_rebuildable = type(out) in (tuple, list, dict, ParameterTuple) or hasattr(out, "_fields")
        is_rebuildable = is_rebuildable or isinstance(out, Mutable)
        if not is_rebuildable:
            raise Untraceable(f"it returns a {type(out).__name__}", user_line())
        for x in out.values() if isinstance(out, dict) else out:
            check_return_value(x)
    elif not isinstance(out, Tensor) and not _is_constant(out):
        raise Untraceable(f"it returns a {type(out).__name__}", user_line())


def _is_constant(out: Any) -> bool:
    """Whether ``out`` certainly contains no tensor, so every call may return the same object."""
    cls = type(out)
    if isinstance(out, type | Enum) or is_cell(out):
        return True
    if isinstance(out, slice):
        return all(_is_constant(x) for x in (out.start, out.stop, out.step))
    if isinstance(out, FunctionType):
        return not (out.__closure__ or out.__defaults__ or out.__kwdefaults__)
    if isinstance(out, BuiltinFunctionType):
        return out.__self__ is None or isinstance(out.__self__, ModuleType)
    if cls.__module__.partition(".")[0] == __name__.partition(".")[0]:
        return not isinstance(out, Tensor | SparseTensor)
    return isinstance(out, _CONSTANTS) and not is_user_code(cls.__module__)


def have_shared_content(tensors: list[Tensor]) -> bool:
    """Whether any two of the tensors share their content, as views of one another or of a third."""
    if all(find_view(t) is None for t in tensors):
        return False
    return len({id(trace_to_root(t)[0]) for t in tensors}) < len(set(map(id, tensors)))


__all__ = [
    "Structure",
    "check_return_value",
    "expand_row_gradients",
    "find_first_positions",
    "get_array",
    "have_shared_content",
    "make_structure",
    "replace_inputs",
]
