"""Memory order of new arrays. Logical shapes are always MindSpore's, strides are minispore's.

Both modes allocate through :func:`compute_strides`, so a kernel sees the same memory order in
PYNATIVE_MODE and in a planned program, and sums in the same order. So both agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.execution.kernels import blas
from minispore.ir.value import Spec

OLD_NUMPY = np.lib.NumpyVersion(np.__version__) < "2.0.0"

ROW_MAJOR = "row_major"  # C order
LIKE_INPUT = "like_input"  # axis order of the first input of equal shape, else of equal rank
BATCH_LAST = "batch_last"  # axis 0 innermost: an NCHW array stored as C,H,W,N

_MIN_MATRIX_ELEMENTS, _MAX_MATRICES = 4096, 256  # limits of a transposition by BLAS
_MAX_ELEMENT_BYTES = 512  # longer rows gain nothing from being one large element
_WORD_DTYPES = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64, 16: np.complex128}


class PrefersBatchLast:
    """Mixin of an op that reads its inputs without a copy if they are stored batch last."""


def compute_axis_order(spec: Spec, rule: str, arrays: Sequence[object]) -> tuple[int, ...]:
    """Return the axes of ``spec`` from outermost to innermost in memory, by ``rule``.

    ``rule`` is ROW_MAJOR, LIKE_INPUT or BATCH_LAST; ``arrays`` are the arguments of the op, which
    LIKE_INPUT looks at.
    """
    ndim = len(spec.shape)
    if rule == LIKE_INPUT:
        template = _find_layout_template(spec, arrays)
        if template is not None:
            # A stable sort: axes of length 1 and broadcast axes keep their logical order.
            return tuple(sorted(range(ndim), key=_make_stride_key(template)))
    elif rule == BATCH_LAST and ndim > 1:
        return (*range(1, ndim), 0)
    return tuple(range(ndim))


def _find_layout_template(spec: Spec, arrays: Sequence[object]) -> np.ndarray | None:
    """Return the array whose axis order ``LIKE_INPUT`` adopts; None for C order.

    A broadcast array has no order along its repeated axes, so it is the last choice.
    """
    shape, best = spec.shape, None
    for a in arrays:
        if isinstance(a, np.ndarray) and a.ndim == len(shape):
            if a.shape == shape:
                if a.flags.c_contiguous:
                    return None
                if not _is_broadcast(a):
                    return a
            if best is None or (a.shape == shape != best.shape):
                best = a
    return None if best is None or best.flags.c_contiguous else best


def _is_broadcast(a: np.ndarray) -> bool:
    """Whether an axis of ``a`` repeats its elements, by a stride of 0."""
    return any(not s and n > 1 for s, n in zip(a.strides, a.shape))


def _make_stride_key(a: np.ndarray) -> Callable[[int], int]:
    """Return a sort key of axes that puts axes of longer stride in ``a`` first."""
    return lambda axis: -abs(a.strides[axis])


def compute_strides(spec: Spec, rule: str, arrays: Sequence[object]) -> tuple[int, ...]:
    """Return the byte strides of a dense array of ``spec`` laid out by ``rule``, as
    :func:`compute_axis_order` explains.
    """
    step, strides = spec.dtype.itemsize, [0] * len(spec.shape)
    for axis in reversed(compute_axis_order(spec, rule, arrays)):
        strides[axis] = step
        step *= spec.shape[axis]
    return tuple(strides)


def normalize_strides(a: np.ndarray) -> tuple[int, ...] | None:
    """Return byte strides equivalent to those of ``a``: kernels read the elements in the same
    order.

    Gaps are at the same axes, but shortened to one element each; broadcast axes stay broadcast.

    Returns:
        None if ``a`` is in C order.
    """
    if a.flags.c_contiguous:
        return None
    strides, step, contiguous_step = [0] * a.ndim, a.itemsize, a.itemsize
    for axis in sorted(range(a.ndim), key=_make_stride_key(a))[::-1]:
        n, s = a.shape[axis], a.strides[axis]
        if n > 1 and not s:
            continue
        if n > 1 and abs(s) != contiguous_step:
            step += a.itemsize
        strides[axis] = -step if s < 0 else step
        if n > 1:
            step, contiguous_step = step * n, abs(s) * n
    return tuple(strides)


def compute_span(spec: Spec, strides: tuple[int, ...]) -> tuple[int, int]:
    """Return the bytes before the first element of an array, and its extent in bytes.

    There are bytes before it only if a stride is negative.
    """
    shape, before, after = spec.shape, 0, spec.dtype.itemsize
    if 0 in shape:
        return 0, 0
    for step, n in zip(strides, shape):
        if step < 0:
            before -= step * (n - 1)
        else:
            after += step * (n - 1)
    return before, before + after


def empty(spec: Spec, rule: str = ROW_MAJOR, arrays: Sequence[object] = ()) -> np.ndarray:
    """Return a new uninitialised array of ``spec`` laid out by ``rule``, as
    :func:`compute_axis_order` explains.
    """
    shape = spec.shape
    if rule == ROW_MAJOR:
        return np.empty(shape, spec.dtype)
    if rule == LIKE_INPUT:
        template = _find_layout_template(spec, arrays)
        if template is not None and 1 not in template.shape:  # NumPy's order K keeps the axis order
            return np.empty_like(template, spec.dtype, "K", False, shape)
        if template is not None:  # order K moves axes of length 1
            order = compute_axis_order(spec, rule, arrays)
            storage = np.empty([shape[i] for i in order], spec.dtype)
            return storage.transpose(sorted(range(len(order)), key=order.__getitem__))
    elif rule == BATCH_LAST and len(shape) > 1:
        storage = np.empty((*shape[1:], shape[0]), spec.dtype)
        return storage.transpose(-1, *range(len(shape) - 1))
    return np.empty(shape, spec.dtype)


def empty_like(a: np.ndarray, dtype: np.dtype | None = None) -> np.ndarray:
    """Return a new uninitialised array with the strides of ``a``, and with ``dtype`` if it is
    given.

    Gaps between the elements are allocated, too.
    """
    dtype = a.dtype if dtype is None else dtype
    if not a.size:
        return np.empty(a.shape, dtype)
    strides = [s // a.itemsize * dtype.itemsize for s in a.strides]
    extents = [s * (n - 1) for s, n in zip(strides, a.shape, strict=True)]
    offset = -sum(e for e in extents if e < 0)
    buffer = np.empty(offset + sum(e for e in extents if e > 0) + dtype.itemsize, np.uint8)
    return np.ndarray(a.shape, dtype, buffer.data, offset, strides)


def is_misread_by_numpy(view: np.ndarray) -> bool:
    """Whether NumPy may reduce this view to a result different from that of its copy.

    Before NumPy 2.0, max and min of reversed elements skip some of them.
    """
    return OLD_NUMPY and min(view.strides, default=0) < 0


def make_copy_call(out: np.ndarray, x: np.ndarray) -> Callable[[], Any]:
    """Return a bound ``np.copyto(out, x)`` of arrays of one shape and dtype that share no memory.

    A row that is dense in both is copied as one element: between two axis orders NumPy copies row
    by row, and each row costs as much as some dozens of elements. Matrices are transposed by BLAS.
    """
    if (
        _has_dense_rows(out)
        and _has_dense_rows(x)
        and not (_has_adjacent_rows(out) and _has_adjacent_rows(x))
    ):
        nbytes = out.shape[-1] * out.itemsize
        if out.dtype == x.dtype and out.itemsize < nbytes <= _MAX_ELEMENT_BYTES:
            row_dtype = np.dtype(_WORD_DTYPES.get(nbytes, f"V{nbytes}"))
            return partial(np.copyto, out.view(row_dtype), x.view(row_dtype))
    if out.size >= _MIN_MATRIX_ELEMENTS and out.dtype == x.dtype and out.dtype.kind == "f":
        return _make_transposing_copy(out, x) or partial(np.copyto, out, x)
    return partial(np.copyto, out, x)


def _make_transposing_copy(out: np.ndarray, x: np.ndarray) -> Callable[[], Any] | None:
    """Return a call that copies ``x`` to ``out`` by BLAS's transposition of matrices.

    Returns None if the copy does not transpose two axes, or if the matrices are too small or too
    many.
    """
    axes = _merge_axes(out, x)
    row_axes = [axis for axis in axes if axis.x_step == x.itemsize]
    column_axes = [axis for axis in axes if axis.out_step == out.itemsize]
    if not row_axes or not column_axes or row_axes == column_axes:
        return None
    matrix_axes = row_axes[0], column_axes[0]
    outer_axes = [axis for axis in axes if axis not in matrix_axes]
    matrix_size = prod(axis.length for axis in matrix_axes)
    matrix_count = prod(axis.length for axis in outer_axes)
    if matrix_size < _MIN_MATRIX_ELEMENTS or matrix_count > _MAX_MATRICES:
        return None
    lengths, out_steps, x_steps = zip(*outer_axes, *matrix_axes)
    targets, sources = as_strided(out, lengths, out_steps), as_strided(x, lengths, x_steps)
    calls: list[Callable[[], object]] = []
    for index in np.ndindex(*targets.shape[: len(outer_axes)]):
        call = blas.bind_transposed_copy(targets[index], sources[index])
        if call is None:
            return None
        calls.append(call)
    return calls[0] if len(calls) == 1 else partial(_run_calls, calls)


def _run_calls(calls: Sequence[Callable[[], Any]]) -> None:
    """Run calls one after the other."""
    for call in calls:
        call()


class _CopiedAxis(NamedTuple):
    """An axis of a copy, or several axes merged into one, with its byte strides in both arrays."""

    length: int
    out_step: int
    x_step: int


def _merge_axes(out: np.ndarray, x: np.ndarray) -> list[_CopiedAxis]:
    """Return the axes of a copy that are longer than 1, from the largest stride of ``out`` to the
    smallest, merged where both arrays allow it.
    """
    merged: list[_CopiedAxis] = []
    for axis in sorted(range(out.ndim), key=_make_stride_key(out)):
        n, out_step, x_step = out.shape[axis], out.strides[axis], x.strides[axis]
        if n == 1:
            continue
        if merged and merged[-1][1:] == (n * out_step, n * x_step):
            merged[-1] = _CopiedAxis(merged[-1].length * n, out_step, x_step)
        else:
            merged.append(_CopiedAxis(n, out_step, x_step))
    return merged


def _has_dense_rows(a: np.ndarray) -> bool:
    """Whether the last axis of ``a`` has no gaps, and ``a`` has two or more axes, none of them
    empty.
    """
    return a.ndim > 1 and a.size > 0 and a.strides[-1] == a.itemsize


def _has_adjacent_rows(a: np.ndarray) -> bool:
    """Whether each row begins where the previous row ends, so NumPy copies all rows as one."""
    return a.strides[-2] == a.shape[-1] * a.itemsize
