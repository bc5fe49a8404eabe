"""Tiles: long calls, split so that several threads run them concurrently.

A *tile* is a list of calls that touches no memory that other tiles of its step write; the thread
pool (:mod:`minispore.execution.threads.thread_pool`) runs them. Bits do not depend on the number of
threads: one thread runs the unsplit call, and a call is split only where that gives the same bits:

* a stack of products is split between two products, a ufunc or a copy anywhere;
* one product is split by its rows or columns if the tiles gave the bits of the unsplit product on
  random samples, because BLAS has different kernels for small shapes.

Only long calls are split: waking another thread and waiting for it takes some 60 us; data that one
core has written reaches another at a third of the speed of its own cache; and the interpreter lock
changes hands after each call, so two threads with calls of 10 us are slower than one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.execution.threads import thread_pool
from minispore.ir.operator import Calls, Rows

# Estimated costs of calls, in microseconds.
BYTES_PER_US, _FLOPS_PER_US = 50e3, 80e3
TRANSCENDENTAL_COST = 6  # cost of exp and the like, relative to a sum
_TRANSCENDENTAL_UFUNCS = {np.exp, np.log, np.tanh, np.sin, np.cos, np.power}
_MAX_BYTES_PER_ELEMENT = 64  # in a ufunc: four operands of complex128
_TILE_MULTIPLES = (32, 12)  # for the rows of a product in a tile, as in BLAS kernels


class MinCost:
    """The minimum cost at which a call is split.

    Attributes:
        us: the time of a single call.
        rows_us: the time of a kernel of many calls that computes rows.
        nbytes: the size of an array of fused pointwise ops.
    """

    def __init__(self, us: float, rows_us: float, nbytes: int) -> None:
        self.us, self.rows_us, self.nbytes = us, rows_us, nbytes

    def __mul__(self, count: int) -> MinCost:
        """Return ``count`` times each cost."""
        return MinCost(self.us * count, self.rows_us * count, self.nbytes * count)


BY_THREADS = MinCost(300.0, 800.0, 512 << 10)
_LONG_US = 1200.0


def choose_tile_count(us: float, threads: int, min_us: float) -> int:
    """Return the number of tiles for a step of ``us`` microseconds: 1 if it is below ``min_us``,
    ``threads``, or twice as many for a long step.
    """
    if us < min_us:
        return 1
    return 2 * threads if us > _LONG_US else threads


def run(calls: Calls) -> None:
    """Run ``calls`` one after the other, each on several threads if that pays."""
    threads = thread_pool.get_thread_count()
    for call in calls:
        tiles = split_call(call, threads) if threads > 1 else []
        if tiles:
            thread_pool.run(tiles)
        else:
            call()


def get_bound_arrays(call: partial[Any]) -> list[np.ndarray]:
    """Return the arrays that a call is bound to; BLAS calls list theirs in ``keeps``."""
    operands = (*call.args, *call.keywords.values(), *getattr(call, "keeps", ()))
    return [a for a in operands if isinstance(a, np.ndarray)]


def estimate_call_us(call: Callable[[], Any]) -> float:
    """Return the estimated cost of a call in microseconds; 0 if it is not a partial."""
    if not isinstance(call, partial):
        return 0.0
    arrays = get_bound_arrays(call)
    if call.func is np.matmul:
        *_, out = arrays
        return 2 * out.size * arrays[0].shape[-1] / _FLOPS_PER_US
    us = sum(a.nbytes for a in arrays) / BYTES_PER_US
    is_transcendental = isinstance(call.func, np.ufunc) and call.func in _TRANSCENDENTAL_UFUNCS
    return us * (TRANSCENDENTAL_COST if is_transcendental else 1)


def split_call(
    call: Callable[[], Any], threads: int, min_cost: MinCost | None = None
) -> list[Calls]:
    """Split ``call`` into tiles for several threads; [] if that does not pay.

    Args:
        call: a partial of a ufunc, ``np.copyto`` or ``np.matmul``; other calls are not split.
        threads: the number of threads.
        min_cost: the minimum cost of a tile; by default that for threads.
    """
    if not isinstance(call, partial):
        return []
    function, out = call.func, call.keywords.get("out")
    tiles: list[Calls] = []
    min_us = (min_cost or BY_THREADS).us
    if function is np.copyto:
        out = call.args[0]
    if not isinstance(out, np.ndarray):
        return []
    if function is np.matmul and len(call.args) == 2:
        us = estimate_call_us(call)
        if us >= min_us:
            tiles = _split_product(call, out, choose_tile_count(us, threads, min_us), threads)
    elif (
        out.size * _MAX_BYTES_PER_ELEMENT * TRANSCENDENTAL_COST / BYTES_PER_US >= min_us
        and _is_elementwise(call)
    ):
        tiles = _split_elementwise(call, out, threads, min_us)
    return tiles if len(tiles) > 1 else []


def _is_elementwise(call: partial[Any]) -> bool:
    """Whether the call is a ``np.copyto`` or a ufunc with one output, without ``where``."""
    function = call.func
    if function is np.copyto:
        return call.keywords.keys() <= {"casting"}
    is_plain_ufunc = (
        isinstance(function, np.ufunc) and function.signature is None and function.nout == 1
    )
    return is_plain_ufunc and call.keywords.keys() <= {"out", "casting", "dtype"}


def _split_elementwise(
    call: partial[Any], out: np.ndarray, threads: int, min_us: float
) -> list[Calls]:
    """Split a ufunc or a copy into tiles along the axis of longest stride that is long enough;
    return [] if that does not pay.
    """
    nbytes = sum(a.nbytes for a in (*call.args, out) if isinstance(a, np.ndarray))
    us = nbytes / BYTES_PER_US * (TRANSCENDENTAL_COST if call.func in _TRANSCENDENTAL_UFUNCS else 1)
    tile_count = choose_tile_count(us, threads, min_us)
    long_axes = [i for i in range(out.ndim) if out.shape[i] >= threads]
    if tile_count == 1 or not long_axes or any(_overlaps_shifted(a, out) for a in call.args):
        return []
    axis = max(long_axes, key=lambda i: out.strides[i])
    return [
        [_slice_call(call, axis, section, out.shape)]
        for section in split_range(out.shape[axis], tile_count)
    ]


def _overlaps_shifted(a: Any, out: np.ndarray) -> bool:
    """Whether ``a`` shares memory with ``out`` without being the same elements."""
    if not isinstance(a, np.ndarray) or not np.may_share_memory(a, out):
        return False
    return (a.ctypes.data, a.shape, a.strides) != (out.ctypes.data, out.shape, out.strides)


def _slice_call(
    call: partial[Any], axis: int, section: slice, shape: tuple[int, ...]
) -> partial[Any]:
    """Return ``call`` restricted to a section of one axis of its result, which has ``shape``.

    Arguments that are broadcast along the axis are not sliced.
    """
    axis_from_end = axis - len(shape)  # broadcasting aligns the last axes
    index = (..., section, *[slice(None)] * (-axis_from_end - 1))

    def slice_array(a: Any) -> Any:
        """Return ``a`` sliced along the axis; unchanged if it is broadcast along the axis."""
        is_sliced = (
            isinstance(a, np.ndarray) and a.ndim >= -axis_from_end and a.shape[axis_from_end] > 1
        )
        return a[index] if is_sliced else a

    keywords = {key: slice_array(a) if key == "out" else a for key, a in call.keywords.items()}
    return partial(call.func, *map(slice_array, call.args), **keywords)


def split_range(length: int, count: int, multiple: int = 1) -> list[slice]:
    """Split ``range(length)`` into up to ``count`` slices that begin at multiples of
    ``multiple``.
    """
    count = max(1, min(count, length // multiple))
    ends = [round(length * i / count / multiple) * multiple for i in range(count)] + [length]
    return [slice(a, b) for a, b in pairwise(ends)]


# -- products --------------------------------------------------------------------------------------


def _split_product(
    call: partial[Any], out: np.ndarray, tile_count: int, threads: int
) -> list[Calls]:
    """Split a matrix product into tiles; return [] if bits would change or arrays overlap.

    A stack of products is split along the axis of longest stride, one product by its rows or
    columns.
    """
    if min(a.ndim for a in (*call.args, out)) < 2:
        return []
    if any(np.may_share_memory(a, out) for a in call.args):
        return []
    stack_axes = [i for i in range(out.ndim - 2) if out.shape[i] >= threads]
    if stack_axes:
        axis = max(stack_axes, key=lambda i: out.strides[i])
        return [
            [_slice_call(call, axis, section, out.shape)]
            for section in split_range(out.shape[axis], tile_count)
        ]
    if out.size != out.shape[-2] * out.shape[-1]:
        return []
    a, b, out = (x.reshape(x.shape[-2:]) for x in (*call.args, out))  # a stack of one
    axis, sections = _find_exact_cut(
        describe_layout(a), describe_layout(b), describe_layout(out), threads
    )
    return [[_make_product_call(a, b, out, axis, section)] for section in sections]


def _make_product_call(a: Any, b: Any, out: Any, axis: int, section: slice) -> partial[Any]:
    """Return the call for some rows (axis 0) or columns (axis 1) of ``a @ b``."""
    if axis == 0:
        return partial(np.matmul, a[section], b, out=out[section])
    return partial(np.matmul, a, b[:, section], out=out[:, section])


def slice_rows(a: np.ndarray, rows: Rows, section: slice) -> np.ndarray:
    """Return the slice of ``a`` that the kernel needs for a section of its rows; ``a`` itself if
    ``rows`` is None.

    ``rows`` is the axis of the rows, or a pair of this axis and the number of further rows that the
    kernel reads.
    """
    if rows is None:
        return a
    axis, extra = rows if isinstance(rows, tuple) else (rows, 0)
    return a[(*[slice(None)] * axis, slice(section.start, section.stop + extra))]


class MemoryLayout(NamedTuple):
    """Shape, byte strides and dtype of an array, which decide how BLAS multiplies it."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str


def describe_layout(a: np.ndarray) -> MemoryLayout:
    """Return shape, strides and dtype of ``a``."""
    return MemoryLayout(a.shape, a.strides, a.dtype.str)


def make_samples(layout: MemoryLayout, rng: np.random.Generator) -> np.ndarray:
    """Return random samples in [-0.5, 0.5) in this memory layout; for integers, the maximum of the
    dtype.
    """
    shape, strides, dtype = layout.shape, layout.strides, np.dtype(layout.dtype)
    span = sum((n - 1) * abs(s) for n, s in zip(shape, strides, strict=True))
    if dtype.kind == "i":
        return np.full(shape, np.iinfo(dtype).max, dtype)
    values = rng.random(span // dtype.itemsize + 1, np.float32).astype(dtype) - dtype.type(0.5)
    return as_strided(values, shape, strides)


@lru_cache(maxsize=1024)
def _find_exact_cut(
    a: MemoryLayout, b: MemoryLayout, out: MemoryLayout, threads: int
) -> tuple[int, list[slice]]:
    """Return an axis and its sections by which a product can be split without changing bits.

    The sections are [] if there is no such split. Each thread gets one section, since BLAS packs
    the entire other operand for each section.
    """
    if np.dtype(out.dtype).kind != "f" or min(0, *a.strides, *b.strides, *out.strides) < 0:
        return 0, []
    rng = np.random.default_rng(0)
    left, right = make_samples(a, rng), make_samples(b, rng)
    uncut, tiled = make_samples(out, rng), make_samples(out, rng)
    np.matmul(left, right, out=uncut)
    expected, (rows, columns) = uncut.tobytes(), out.shape
    for axis in (0, 1) if rows >= columns else (1, 0):
        for multiple in _TILE_MULTIPLES:
            sections = split_range(out.shape[axis], threads, multiple)
            if len(sections) < threads:
                continue
            for section in sections:
                _make_product_call(left, right, tiled, axis, section)()
            if tiled.tobytes() == expected:
                return axis, sections
    return 0, []


__all__ = [
    "BY_THREADS",
    "MinCost",
    "choose_tile_count",
    "describe_layout",
    "estimate_call_us",
    "get_bound_arrays",
    "make_samples",
    "run",
    "slice_rows",
    "split_call",
    "split_range",
]
