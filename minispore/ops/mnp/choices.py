"""Element-wise choices between values, functions applied along axes, and set operations."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype
from minispore.ops.mnp.creation import all_to_tensors, check_sequence, to_tensor
from minispore.ops.support.arguments import check_axis


def choose(a: Any, choices: Any, mode: str = "clip") -> Tensor:
    """Return choices[a] element by element; indices out of range are clipped or wrapped around.

    ``a`` and the choices are broadcast to one shape. ``mode`` is "clip" or "wrap".

    >>> print(choose([0, 1], [[1, 2], [3, 4]]))
    [1 4]
    """
    if mode not in ("clip", "wrap"):
        raise ValueError(f"choose: mode must be 'clip' or 'wrap', got {mode!r}.")
    a = to_tensor(a)
    candidates = [to_tensor(c) for c in choices]
    shape = np.broadcast_shapes(a.shape, *[c.shape for c in candidates])
    table = ops.stack([ops.broadcast_to(c, shape) for c in candidates])
    index = ops.broadcast_to(ops.cast(a, mstype.int64), shape)
    n = len(candidates)
    index = ops.clamp(index, 0, n - 1) if mode == "clip" else ops.floor_mod(index, n)
    return ops.gather_elements(table, 0, ops.expand_dims(index, 0))[0]


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """Return, for each element, the choice of the first condition that is true, else ``default``.

    ``default`` is cast to the dtype of the first choice. Raises ValueError unless there are as many
    choices as conditions.

    >>> print(select([[True, False]], [[1.0, 2.0]], default=9))
    [1. 9.]
    """
    conditions = all_to_tensors("select", "condlist", condlist)
    choices = all_to_tensors("select", "choicelist", choicelist)
    if len(conditions) != len(choices):
        raise ValueError(
            f"select: condlist and choicelist must be of one length, got {len(conditions)} and "
            f"{len(choices)}."
        )
    shape = np.broadcast_shapes(*[t.shape for t in (*conditions, *choices)])
    output = ops.full(shape, default, dtype=choices[0].dtype)
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        output = ops.where(ops.cast(condition, mstype.bool_), choice, output)
    return output


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Tensor:
    """Return, for each x, the function value or number of the first condition that is true.

    An extra function applies where no condition is true; without it, the result there is 0. Each
    function is called with all of ``x`` and the other arguments, and results are cast to the dtype
    of ``x``. Raises ValueError if the number of functions does not fit.

    >>> x, where = Tensor([1.0, -2.0]), Tensor([[True, False], [False, True]])
    >>> print(piecewise(x, where, [lambda x: x * 2, lambda x: x * 0 + 7]))
    [2. 7.]
    """
    x = to_tensor(x)
    if isinstance(condlist, Tensor | bool):
        is_single = to_tensor(condlist).ndim <= x.ndim
    else:
        is_single = not isinstance(
            check_sequence("piecewise", "condlist", condlist)[0], Tensor | list | tuple
        )
    conditions = [
        ops.cast(to_tensor(c), mstype.bool_) for c in ([condlist] if is_single else condlist)
    ]
    functions = list(funclist)
    if len(functions) == len(conditions) + 1:
        is_unmatched = ops.logical_not(conditions[0])
        for condition in conditions[1:]:
            is_unmatched = ops.logical_and(is_unmatched, ops.logical_not(condition))
        conditions.append(is_unmatched)
    if len(functions) != len(conditions):
        raise ValueError(
            f"piecewise: funclist must hold {len(conditions)} or {len(conditions) + 1} functions, "
            f"got {len(functions)}."
        )
    output = ops.zeros_like(x)
    for condition, function in zip(reversed(conditions), reversed(functions)):
        value = function(x, *args, **kw) if callable(function) else ops.full_like(x, function)
        output = ops.where(condition, ops.cast(to_tensor(value), x.dtype), output)
    return output


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Tensor:
    """Apply ``func1d`` to each vector of ``arr`` along ``axis``; the results replace the vectors.

    The axes of a result, none for a number, stand in place of ``axis``. The other arguments are
    passed to each call.

    >>> print(apply_along_axis(lambda v: v.sum(), 0, Tensor([[1.0, 2.0], [3.0, 4.0]])))
    [4. 6.]
    """
    arr = to_tensor(arr)
    axis = check_axis("apply_along_axis", axis, arr.ndim)
    outer_lengths = [n for i, n in enumerate(arr.shape) if i != axis]
    results = []
    for index in itertools.product(*[range(n) for n in outer_lengths]):
        vector_index = (*index[:axis], slice(None), *index[axis:])
        results.append(to_tensor(func1d(arr[vector_index], *args, **kwargs)))
    result_ndim = results[0].ndim
    stacked = ops.reshape(ops.stack(results), (*outer_lengths, *results[0].shape))
    order = [
        *range(axis),
        *range(len(outer_lengths), len(outer_lengths) + result_ndim),
        *range(axis, len(outer_lengths)),
    ]
    return ops.transpose(stacked, tuple(order)) if stacked.ndim > 1 else stacked


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Tensor:
    """Apply ``func(a, axis)`` for one axis after another, keeping each with length 1.

    Raises ValueError if ``func`` neither keeps the axes nor drops the one passed.

    >>> print(apply_over_axes(lambda a, axis: a.sum(axis), [[1.0, 2.0], [3.0, 4.0]], [0, 1]))
    [[10.]]
    """
    a = to_tensor(a)
    for position in axes if isinstance(axes, list | tuple) else (axes,):
        axis = check_axis("apply_over_axes", position, a.ndim)
        result = to_tensor(func(a, axis))
        if result.ndim not in (a.ndim, a.ndim - 1):
            raise ValueError("apply_over_axes: func must keep the axes, or drop the one it is for.")
        a = ops.expand_dims(result, axis) if result.ndim == a.ndim - 1 else result
    return a


# -- set operations --------------------------------------------------------------------------------


def isin(element: Any, test_elements: Any, invert: bool = False) -> Tensor:
    """Return a bool tensor: whether each element is among ``test_elements``; with ``invert``,
    whether it is not.

    >>> print(isin([1, 2], [1]))
    [ True False]
    """
    x, candidates = to_tensor(element), ops.reshape(to_tensor(test_elements), (-1,))
    is_member = ops.any(ops.equal(ops.expand_dims(x, -1), candidates), -1)
    return ops.logical_not(is_member) if invert else is_member


def in1d(ar1: Any, ar2: Any, invert: bool = False) -> Tensor:
    """Return a bool tensor: whether each element of the flattened ``ar1`` is in ``ar2``; with
    ``invert``, whether it is not.
    """
    return isin(ops.reshape(to_tensor(ar1), (-1,)), ar2, invert)


def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """Return the sorted distinct common values of the flattened ``ar1`` and ``ar2``.

    With ``return_indices``, also return the int32 indices of their first occurrences in ``ar1`` and
    in ``ar2``. ``assume_unique`` skips the search for duplicates. It cannot be part of a graph.
    """
    x, y = to_tensor(ar1), to_tensor(ar2)
    dtype = mstype.promote(mstype.to_numpy(x.dtype), mstype.to_numpy(y.dtype))
    a, b = x.asnumpy().astype(dtype), y.asnumpy().astype(dtype)
    values, x_indices, y_indices = np.intersect1d(a, b, assume_unique, return_indices=True)
    if not return_indices:
        return Tensor(values)
    return Tensor(values), Tensor(x_indices, mstype.int32), Tensor(y_indices, mstype.int32)


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Tensor:
    """Return the sorted distinct values of ``ar1`` that are not in ``ar2``.

    With ``assume_unique``, return all such values in the order of ``ar1``. It cannot be part of a
    graph.
    """
    return Tensor(np.setdiff1d(to_tensor(ar1).asnumpy(), to_tensor(ar2).asnumpy(), assume_unique))


def array_equiv(a1: Any, a2: Any) -> Tensor:
    """Whether both tensors are equal after one is broadcast to the other, as a 0-d bool tensor.

    False if the shapes do not fit.
    """
    a, b = to_tensor(a1), to_tensor(a2)
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return Tensor(False)
    if shape not in (a.shape, b.shape):
        return Tensor(False)
    return ops.all(ops.equal(a, b))


def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "clip", order: str = "C") -> Tensor:
    """Convert multi-dimensional indices for an array of shape ``dims`` to flat indices, as float32.

    ``multi_index`` holds one array per axis. Indices out of range are clipped, or wrapped around
    with ``mode`` "wrap"; ``order`` "F" counts in column-major order.

    >>> print(ravel_multi_index(([1, 2], [1, 2]), (3, 4)))
    [ 5. 10.]
    """
    if mode not in ("clip", "wrap") or order not in ("C", "F"):
        raise ValueError(
            "ravel_multi_index: mode must be 'clip' or 'wrap' and order 'C' or 'F', got "
            f"{mode!r} and {order!r}."
        )
    indices_by_axis = [ops.cast(to_tensor(m), mstype.int64) for m in multi_index]
    if len(indices_by_axis) != len(dims):
        raise ValueError(
            f"ravel_multi_index: multi_index must hold {len(dims)} arrays, got "
            f"{len(indices_by_axis)}."
        )
    flat_index: Any = 0
    axes = list(zip(indices_by_axis, dims))
    for axis_index, n in axes if order == "C" else reversed(axes):
        if mode == "clip":
            axis_index = ops.clamp(axis_index, 0, n - 1)
        else:
            axis_index = ops.floor_mod(axis_index, n)
        flat_index = flat_index * n + axis_index
    return ops.cast(flat_index, mstype.float32)


__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "array_equiv",
    "choose",
    "in1d",
    "intersect1d",
    "isin",
    "piecewise",
    "ravel_multi_index",
    "select",
    "setdiff1d",
]
