"""vmap: maps a function of one sample over an axis of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore import context
from minispore.core import interpreter
from minispore.core.tape import Tape
from minispore.core.tensor import Tensor
from minispore.ops.shape.join import Stack, pick


def vmap(fn: Any, in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """Return a function that applies ``fn`` to each slice of its inputs and stacks the
    results.

    Args:
        fn: a function or Cell; or a list of Cells, of which the i-th gets the i-th slices.
        in_axes: the axis to slice: an int for all inputs, or a tuple with an entry for each: an
            int, None (every call gets the entire input) or a nested tuple.
        out_axes: the position of the new axis in the outputs: an int, or a tuple with an int for
            each.

    Raises:
        RuntimeError: an axis is not an int; when called: no input is sliced, lengths differ, an
            axis is out of range, or an output with the axis None depends on a slice.
        ValueError: when called: the number of Cells in the list differs from the number of slices.

    >>> def times(x, y):
    ...     return x * y
    >>> print(vmap(times, in_axes=(0, None))(Tensor([1, 2]), Tensor([3, 4])))
    [[3 4]
     [6 8]]
    """
    for axes in (in_axes, out_axes):
        _check_axes(axes)
    fns = None if callable(fn) and not hasattr(fn, "__iter__") else list(fn)

    def map_inputs(*inputs: Any) -> Any:
        """Call ``fn`` (or slice i's function) on each slice and stack the results along
        ``out_axes``.

        Raises:
            RuntimeError, ValueError: ``in_axes`` does not fit, or sliced axes differ in length.
        """
        axes = in_axes if isinstance(in_axes, tuple | list) else (in_axes,) * len(inputs)
        if len(axes) != len(inputs):
            raise RuntimeError(
                f"vmap: in_axes must have one entry for each of the {len(inputs)} inputs, got "
                f"{in_axes}."
            )
        lengths: set[int] = set()
        for x, axis in zip(inputs, axes, strict=True):
            _collect_lengths(x, axis, lengths)
        if fns is not None:
            lengths.add(len(fns))
        if len(lengths) != 1:
            raise (RuntimeError if fns is None else ValueError)(
                f"vmap: sliced axes must be of one length, got {sorted(lengths) or 'none at all'}."
            )
        slice_count = lengths.pop()
        tape = Tape()  # records which values depend on slice 0

        def call_on_slice(i: int) -> Any:
            """Call the function of slice ``i`` on slice ``i`` of each input."""
            slices = [_slice_inputs(x, axis, i, tape) for x, axis in zip(inputs, axes, strict=True)]
            return (fn if fns is None else fns[i])(*slices)

        results = []
        if _has_none(out_axes):
            tapes = (*interpreter.tapes(), tape)
            with interpreter.recording_on(tapes), context.op_by_op():
                results.append(call_on_slice(0))
        results += [call_on_slice(i) for i in range(len(results), slice_count)]
        return _stack_results(results, _unwrap_single_axis(out_axes, results[0]), tape)

    return map_inputs


def _unwrap_single_axis(axes: Any, output: Any) -> Any:
    """Return the axis for a single output, which may be given as a tuple of one."""
    is_single = not isinstance(output, tuple | list) and isinstance(axes, tuple | list)
    return axes[0] if is_single and len(axes) == 1 else axes


def _check_axes(axes: Any) -> None:
    """Check that an axis is an int, None, or a nested tuple of these.

    Raises:
        RuntimeError: an axis has another type.
    """
    if isinstance(axes, tuple | list):
        for a in axes:
            _check_axes(a)
    elif axes is not None and (isinstance(axes, bool) or not isinstance(axes, int)):
        raise RuntimeError(f"vmap: an axis must be an int, a tuple of axes or None, got {axes!r}.")


def _has_none(axes: Any) -> bool:
    """Whether an axis, or one in a nested tuple or list of axes, is None."""
    return any(map(_has_none, axes)) if isinstance(axes, tuple | list) else axes is None


def _collect_lengths(x: Any, axis: Any, lengths: set[int]) -> None:
    """Add to ``lengths`` the length of the mapped axis of each tensor in ``x``.

    Raises:
        RuntimeError: an axis does not fit its tensor.
    """
    if axis is None:
        return
    if isinstance(x, Tensor):
        if isinstance(axis, tuple | list) or not -x.ndim <= axis < x.ndim:
            raise RuntimeError(f"vmap: in_axes must fit an input of shape {x.shape}, got {axis}.")
        lengths.add(x.shape[axis])
    elif isinstance(x, tuple | list):
        for element, a in zip(x, axis if isinstance(axis, tuple | list) else (axis,) * len(x)):
            _collect_lengths(element, a, lengths)


def _slice_inputs(x: Any, axis: Any, i: int, tape: Tape) -> Any:
    """Return slice ``i`` of each tensor in ``x``; an input with axis None is returned unsliced.

    Slices of index 0 are watched on ``tape``, which finds the outputs that depend on them.
    """
    if axis is None:
        return x
    if isinstance(x, Tensor):
        slice = pick(x, axis, i)
        if i == 0:
            tape.watch(slice.value_)
        return slice
    if isinstance(x, tuple | list):
        axes = axis if isinstance(axis, tuple | list) else (axis,) * len(x)
        return tuple(_slice_inputs(element, a, i, tape) for element, a in zip(x, axes, strict=True))
    return x


def _stack_results(results: list[Any], axis: Any, tape: Tape) -> Any:
    """Stack each output of the calls along its axis in ``axis``; for axis None, keep the first
    result.

    Raises:
        RuntimeError: an axis does not fit, or is None for an output that depends on the slices.
    """
    sample = results[0]
    if isinstance(sample, tuple | list):
        axes = axis if isinstance(axis, tuple | list) else (axis,) * len(sample)
        if len(axes) != len(sample):
            raise RuntimeError(
                f"vmap: out_axes must have one entry for each of the {len(sample)} outputs, got "
                f"{axis}."
            )
        return tuple(
            _stack_results([result[k] for result in results], a, tape) for k, a in enumerate(axes)
        )
    if axis is None:
        if isinstance(sample, Tensor) and tape.reaches(sample.value_):
            raise RuntimeError(
                "vmap: out_axes must say where the slices of an output go, got None for one that "
                "depends on them."
            )
        return sample
    tensors = [result if isinstance(result, Tensor) else Tensor(result) for result in results]
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
