"""How a new array lies in memory. Logical shapes are always MindSpore's; the strides are ours.

Both modes allocate through :func:`strides`, so a kernel meets the same memory order in PYNATIVE and
in a planned program, and sums in the same order: that is what makes the two agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.kernels import blas
from minispore.core.value import Spec

OLD_NUMPY = np.lib.NumpyVersion(np.__version__) < "2.0.0"

ROW_MAJOR = "row_major"  # C order
LIKE_INPUT = "like_input"  # the axis order of the first input of the same shape, or else rank
BATCH_LAST = "batch_last"  # axis 0 innermost: an NCHW array stored as C,H,W,N

_LINE, _PAGE = 64, 4096  # bytes
_LEAST, _MOST = 4096, 256  # elements of a matrix that BLAS turns more quickly, and how many of them
_LONGEST = 512  # bytes of an element; longer runs are as fast as they are
_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64, 16: np.complex128}


def axis_order(spec: Spec, rule: str, arrays: Sequence[object]) -> tuple[int, ...]:
    """The axes of ``spec`` from outermost to innermost in memory, by ``rule``."""
    ndim = len(spec.shape)
    if rule == LIKE_INPUT:
        like = _model(spec, arrays)
        if like is not None:
            # stable: ties (axes of length 1, broadcast axes) keep their logical order
            return tuple(sorted(range(ndim), key=_by_stride(like)))
    elif rule == BATCH_LAST and ndim > 1:
        return (*range(1, ndim), 0)
    return tuple(range(ndim))


def _model(spec: Spec, arrays: Sequence[object]) -> np.ndarray | None:
    """The array whose axis order ``LIKE_INPUT`` takes over; None for C order.

    One that is repeated along an axis has no order of its own there, so it is asked last.
    """
    shape, found = spec.shape, None
    for a in arrays:
        if isinstance(a, np.ndarray) and a.ndim == len(shape):
            if a.shape == shape:
                if a.flags.c_contiguous:
                    return None
                if not _repeated(a):
                    return a
            if found is None or (a.shape == shape != found.shape):
                found = a
    return None if found is None or found.flags.c_contiguous else found


def _repeated(a: np.ndarray) -> bool:
    return any(not s and n > 1 for s, n in zip(a.strides, a.shape))


def _by_stride(a: np.ndarray) -> Callable[[int], int]:
    return lambda axis: -abs(a.strides[axis])


def strides(spec: Spec, rule: str, arrays: Sequence[object]) -> tuple[int, ...]:
    """Byte strides of a dense array of ``spec`` laid out by ``rule``."""
    step, out = spec.dtype.itemsize, [0] * len(spec.shape)
    for axis in reversed(axis_order(spec, rule, arrays)):
        out[axis] = step
        step *= spec.shape[axis]
    return tuple(out)


def lying(a: np.ndarray) -> tuple[int, ...] | None:
    """Byte strides of an array in which kernels meet the elements as they do in ``a``: in the same
    order, with gaps at the same axes, each of one element, and repeated along the same axes; None
    if ``a`` is in C order.
    """
    if a.flags.c_contiguous:
        return None
    out, step, dense = [0] * a.ndim, a.itemsize, a.itemsize
    for axis in sorted(range(a.ndim), key=_by_stride(a))[::-1]:
        n, s = a.shape[axis], a.strides[axis]
        if n > 1 and not s:
            continue
        if n > 1 and abs(s) != dense:
            step += a.itemsize
        out[axis] = -step if s < 0 else step
        if n > 1:
            step, dense = step * n, abs(s) * n
    return tuple(out)


def span(spec: Spec, strides: tuple[int, ...]) -> tuple[int, int]:
    """How many bytes lie before the first element of an array, and all that it spreads over."""
    shape, before, behind = spec.shape, 0, spec.dtype.itemsize
    if 0 in shape:
        return 0, 0
    for step, n in zip(strides, shape):
        if step < 0:
            before -= step * (n - 1)
        else:
            behind += step * (n - 1)
    return before, before + behind


def empty(spec: Spec, rule: str = ROW_MAJOR, arrays: Sequence[object] = ()) -> np.ndarray:
    """A new uninitialised array of ``spec`` laid out by ``rule``."""
    shape = spec.shape
    if rule == ROW_MAJOR:
        return np.empty(shape, spec.dtype)
    if rule == LIKE_INPUT:
        like = _model(spec, arrays)
        if like is not None and 1 not in like.shape:  # NumPy's order K is the array's axis order
            return np.empty_like(like, spec.dtype, "K", False, shape)
        if like is not None:  # but of axes of length 1 NumPy thinks otherwise
            order = axis_order(spec, rule, arrays)
            held = np.empty([shape[i] for i in order], spec.dtype)
            return held.transpose(sorted(range(len(order)), key=order.__getitem__))
    elif rule == BATCH_LAST and len(shape) > 1:
        held = np.empty((*shape[1:], shape[0]), spec.dtype)
        return held.transpose(-1, *range(len(shape) - 1))
    return np.empty(shape, spec.dtype)


def aligned(a: np.ndarray) -> np.ndarray:
    """``a``, or a copy of it in C order, that begins where a cache line does, if it is not small.

    A large array of NumPy's begins 16 bytes behind: each vector of 64 bytes lies in two lines then,
    and a product with a weight of 64 KB takes a quarter more.
    """
    if a.nbytes < _PAGE or a.ctypes.data % _LINE == 0:
        return a
    room = np.empty(a.nbytes + _LINE, np.uint8)
    made = np.ndarray(a.shape, a.dtype, room.data, -room.ctypes.data % _LINE)
    np.copyto(made, a)
    return made


def like(a: np.ndarray, dtype: np.dtype | None = None) -> np.ndarray:
    """A new uninitialised array of ``dtype``, that of ``a`` if None, whose elements lie as those of
    ``a`` do: what it may be a view of is not there, but the room for it is.
    """
    dtype = a.dtype if dtype is None else dtype
    if not a.size:
        return np.empty(a.shape, dtype)
    strides = [s // a.itemsize * dtype.itemsize for s in a.strides]
    ends = [s * (n - 1) for s, n in zip(strides, a.shape, strict=True)]
    before = -sum(e for e in ends if e < 0)
    room = np.empty(before + sum(e for e in ends if e > 0) + dtype.itemsize, np.uint8)
    return np.ndarray(a.shape, dtype, room.data, before, strides)


def misread(seen: np.ndarray) -> bool:
    """Whether NumPy reduces a view to something else than a copy of it: before 2.0 it takes the
    largest and the smallest of reversed elements from among some of them.
    """
    return OLD_NUMPY and min(seen.strides, default=0) < 0


def copied(out: np.ndarray, x: np.ndarray) -> Callable[[], Any]:
    """``np.copyto(out, x)`` of arrays of one shape and dtype that share no memory, bound.

    What lies densely in both travels as one element: between two orders of axes NumPy goes run by
    run, and a run costs as much as some dozens of elements. Matrices are turned by BLAS.
    """
    if _dense_rows(out) and _dense_rows(x) and not (_goes_on(out) and _goes_on(x)):
        nbytes = out.shape[-1] * out.itemsize
        if out.dtype == x.dtype and out.itemsize < nbytes <= _LONGEST:
            kind = np.dtype(_WORDS.get(nbytes, f"V{nbytes}"))
            return partial(np.copyto, out.view(kind), x.view(kind))
    if out.size >= _LEAST and out.dtype == x.dtype and out.dtype.kind == "f":
        return _turned(out, x) or partial(np.copyto, out, x)
    return partial(np.copyto, out, x)


def _turned(out: np.ndarray, x: np.ndarray) -> Callable[[], Any] | None:
    """A copy as one of matrices that lie turned, or of a few of them; None if it is none."""
    axes = _merged(out, x)
    size = out.itemsize
    row = [axis for axis, (_, _, step) in enumerate(axes) if step == size]
    column = [axis for axis, (_, step, _) in enumerate(axes) if step == size]
    if not row or not column or row == column:
        return None
    at = row[0], column[0]
    rest = [axis for axis in range(len(axes)) if axis not in at]
    if axes[at[0]][0] * axes[at[1]][0] < _LEAST or prod(axes[i][0] for i in rest) > _MOST:
        return None
    order = *rest, *at
    into, of = (
        as_strided(a, [axes[i][0] for i in order], [axes[i][k] for i in order])
        for k, a in ((1, out), (2, x))
    )
    calls: list[Callable[[], object]] = []
    for index in np.ndindex(*into.shape[: len(rest)]):
        call = blas.turned_copy(into[index], of[index])
        if call is None:
            return None
        calls.append(call)
    return calls[0] if len(calls) == 1 else partial(_each, calls)


def _each(calls: Sequence[Callable[[], Any]]) -> None:
    for call in calls:
        call()


def _merged(out: np.ndarray, x: np.ndarray) -> list[tuple[int, int, int]]:
    """The axes of both, as length and steps, those as one that go on into each other in both."""
    found: list[tuple[int, int, int]] = []
    for axis in sorted(range(out.ndim), key=_by_stride(out)):
        n, to, of = out.shape[axis], out.strides[axis], x.strides[axis]
        if n == 1:
            continue
        if found and found[-1][1:] == (n * to, n * of):
            found[-1] = found[-1][0] * n, to, of
        else:
            found.append((n, to, of))
    return found


def _dense_rows(a: np.ndarray) -> bool:
    return a.ndim > 1 and a.size > 0 and a.strides[-1] == a.itemsize


def _goes_on(a: np.ndarray) -> bool:
    """Whether a row begins where the one before it ended, so that NumPy takes both as one."""
    return a.strides[-2] == a.shape[-1] * a.itemsize
