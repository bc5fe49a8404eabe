"""vmap: a function of one sample, mapped over an axis of many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore import context
from minispore.core import interpreter
from minispore.core.tape import Tape
from minispore.core.tensor import Tensor
from minispore.ops.shape.join import Stack, pick


def vmap(fn: Any, in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """``fn`` applied to each slice of its inputs, the results stacked.

    Args:
        fn: a function or Cell; or a list of Cells, the i-th for the i-th slices.
        in_axes: the axis to slice: an int for all inputs, or a tuple with an int, None (the input
            goes whole to every call) or nested tuple for each.
        out_axes: where the new axis goes in the outputs: an int, or a tuple with one for each.

    Raises:
        RuntimeError: an axis is not an int; when called: no input is sliced, lengths differ, an
            axis is out of range, or an output with the axis None depends on a slice.
        ValueError: when called: there are not as many Cells in the list as slices.

    >>> def times(x, y):
    ...     return x * y
    >>> print(vmap(times, in_axes=(0, None))(Tensor([1, 2]), Tensor([3, 4])))
    [[3 4]
     [6 8]]
    """
    for axes in (in_axes, out_axes):
        _check_axes(axes)
    fns = None if callable(fn) and not hasattr(fn, "__iter__") else list(fn)

    def mapped(*inputs: Any) -> Any:
        axes = in_axes if isinstance(in_axes, tuple | list) else (in_axes,) * len(inputs)
        if len(axes) != len(inputs):
            raise RuntimeError(
                f"vmap: in_axes must have one entry for each of the {len(inputs)} inputs, got "
                f"{in_axes}."
            )
        lengths: set[int] = set()
        for x, axis in zip(inputs, axes, strict=True):
            _lengths(x, axis, lengths)
        if fns is not None:
            lengths.add(len(fns))
        if len(lengths) != 1:
            raise (RuntimeError if fns is None else ValueError)(
                f"vmap: sliced axes must be of one length, got {sorted(lengths) or 'none at all'}."
            )
        n = lengths.pop()
        tape = Tape()  # knows what depends on a slice

        def once(i: int) -> Any:
            given = [_slice(x, axis, i, tape) for x, axis in zip(inputs, axes, strict=True)]
            return (fn if fns is None else fns[i])(*given)

        results = []
        if _has_none(out_axes):
            tapes = (*interpreter.tapes(), tape)
            with interpreter.recording_on(tapes), context.op_by_op():
                results.append(once(0))
        results += [once(i) for i in range(len(results), n)]
        return _stacked(results, _of_one(out_axes, results[0]), tape)

    return mapped


def _of_one(axes: Any, output: Any) -> Any:
    """The axis of an output that stands alone, which may be given as a tuple of one."""
    alone = not isinstance(output, tuple | list) and isinstance(axes, tuple | list)
    return axes[0] if alone and len(axes) == 1 else axes


def _check_axes(axes: Any) -> None:
    if isinstance(axes, tuple | list):
        for a in axes:
            _check_axes(a)
    elif axes is not None and (isinstance(axes, bool) or not isinstance(axes, int)):
        raise RuntimeError(f"vmap: an axis must be an int, a tuple of axes or None, got {axes!r}.")


def _has_none(axes: Any) -> bool:
    return any(map(_has_none, axes)) if isinstance(axes, tuple | list) else axes is None


def _lengths(x: Any, axis: Any, found: set[int]) -> None:
    if axis is None:
        return
    if isinstance(x, Tensor):
        if isinstance(axis, tuple | list) or not -x.ndim <= axis < x.ndim:
            raise RuntimeError(f"vmap: in_axes must fit an input of shape {x.shape}, got {axis}.")
        found.add(x.shape[axis])
    elif isinstance(x, tuple | list):
        for each, a in zip(x, axis if isinstance(axis, tuple | list) else (axis,) * len(x)):
            _lengths(each, a, found)


def _slice(x: Any, axis: Any, i: int, tape: Tape) -> Any:
    if axis is None:
        return x
    if isinstance(x, Tensor):
        slice = pick(x, axis, i)
        if i == 0:
            tape.watch(slice.value_)
        return slice
    if isinstance(x, tuple | list):
        axes = axis if isinstance(axis, tuple | list) else (axis,) * len(x)
        return tuple(_slice(each, a, i, tape) for each, a in zip(x, axes, strict=True))
    return x


def _stacked(results: list[Any], axis: Any, tape: Tape) -> Any:
    first = results[0]
    if isinstance(first, tuple | list):
        axes = axis if isinstance(axis, tuple | list) else (axis,) * len(first)
        if len(axes) != len(first):
            raise RuntimeError(
                f"vmap: out_axes must have one entry for each of the {len(first)} outputs, got "
                f"{axis}."
            )
        return tuple(_stacked([r[k] for r in results], a, tape) for k, a in enumerate(axes))
    if axis is None:
        if isinstance(first, Tensor) and tape.reaches(first.value_):
            raise RuntimeError(
                "vmap: out_axes must say where the slices of an output go, got None for one that "
                "depends on them."
            )
        return first
    tensors = [r if isinstance(r, Tensor) else Tensor(r) for r in results]
    ndim = tensors[0].ndim + 1
    if isinstance(axis, tuple | list) or not -ndim <= axis < ndim:
        raise RuntimeError(
            f"vmap: out_axes must fit an output with {ndim} axes, that of the slices among them, "
            f"got {axis}."
        )
    return Stack(axis)(tensors)


__all__ = [
    "vmap",
]
