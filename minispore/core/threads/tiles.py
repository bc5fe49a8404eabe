"""Tiles: long calls, cut so that several threads run them at once.

A *tile* is a list of calls that touches nothing of what other tiles of its step write; the crew
(:mod:`minispore.core.threads.crew`) runs them. Bits do not depend on the number of threads, since
one thread runs the uncut call, and a cut is made only where it computes the same:

* a stack of products is cut between two of them, a ufunc or a copy anywhere;
* one product is cut by its rows or its columns where its parts have made the whole, bit for bit, of
  numbers drawn for that: BLAS has kernels of its own for small shapes.

Why only long calls: to call another thread and to wait for it takes some 60 us; what one core has
written comes to another at a third of the pace of its own cache; and the interpreter lock is handed
over after each call, which two threads with calls of 10 us do more slowly than one alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.threads import crew
from minispore.core.threads.crew import Calls

# What a call costs on paper, in microseconds.
BYTES_PER_US, _FLOPS_PER_US = 50e3, 80e3
HARD = 6  # exp and its kind cost so many times as much as a sum
_HARD_UFUNCS = {np.exp, np.log, np.tanh, np.sin, np.cos, np.power}
_WIDEST = 64  # bytes that a ufunc moves at most for each element: four of complex128
_EDGES = (32, 12)  # rows of a product in a tile are a multiple of one of them, as in BLAS


class Least:
    """What is not cut, since it is short.

    Attributes:
        us: of a call.
        rows_us: of one that is many calls, as kernels that compute rows are.
        nbytes: of an array of a pointwise run.
    """

    def __init__(self, us: float, rows_us: float, nbytes: int) -> None:
        self.us, self.rows_us, self.nbytes = us, rows_us, nbytes

    def __mul__(self, count: int) -> Least:
        return Least(self.us * count, self.rows_us * count, self.nbytes * count)


BY_THREADS = Least(300.0, 800.0, 512 << 10)
_LONG_US = 1200.0


def parts_of(us: float, threads: int, least: float) -> int:
    """Into how many tiles a step of ``us`` is cut, 1: it is not, as one below ``least``.

    Of a long one there are more than threads, for a thread that comes late.
    """
    if us < least:
        return 1
    return 2 * threads if us > _LONG_US else threads


def run(calls: Calls) -> None:
    """Run ``calls`` one after the other, each on several threads if that pays."""
    threads = crew.size()
    for call in calls:
        tiles = cut(call, threads) if threads > 1 else []
        if tiles:
            crew.run(tiles)
        else:
            call()


def arrays_of(call: partial[Any]) -> list[np.ndarray]:
    """The arrays that it is bound to; a function of BLAS is told where they lie."""
    given = (*call.args, *call.keywords.values(), *getattr(call, "keeps", ()))
    return [a for a in given if isinstance(a, np.ndarray)]


def call_us(call: Callable[[], Any]) -> float:
    """What a call costs on paper."""
    if not isinstance(call, partial):
        return 0.0
    arrays = arrays_of(call)
    if call.func is np.matmul:
        *_, out = arrays
        return 2 * out.size * arrays[0].shape[-1] / _FLOPS_PER_US
    us = sum(a.nbytes for a in arrays) / BYTES_PER_US
    hard = isinstance(call.func, np.ufunc) and call.func in _HARD_UFUNCS
    return us * (HARD if hard else 1)


def cut(call: Callable[[], Any], threads: int, least: Least | None = None) -> list[Calls]:
    """``call`` in tiles; [] if that does not pay: by threads, if it is not said who cuts."""
    if not isinstance(call, partial):
        return []
    function, out = call.func, call.keywords.get("out")
    tiles: list[Calls] = []
    short = (least or BY_THREADS).us
    if function is np.copyto:
        out = call.args[0]
    if not isinstance(out, np.ndarray):
        return []
    if function is np.matmul and len(call.args) == 2:
        us = call_us(call)
        if us >= short:
            tiles = _cut_product(call, out, parts_of(us, threads, short), threads)
    elif out.size * _WIDEST * HARD / BYTES_PER_US >= short and _elementwise(call):
        tiles = _cut_elements(call, out, threads, short)
    return tiles if len(tiles) > 1 else []


def _elementwise(call: partial[Any]) -> bool:
    """Whether it is a copy, or a ufunc on whole arrays with one result."""
    function = call.func
    if function is np.copyto:
        return call.keywords.keys() <= {"casting"}
    plain = isinstance(function, np.ufunc) and function.signature is None and function.nout == 1
    return plain and call.keywords.keys() <= {"out", "casting", "dtype"}


def _cut_elements(call: partial[Any], out: np.ndarray, threads: int, least: float) -> list[Calls]:
    """A ufunc or a copy in tiles of its outermost axis that is long enough."""
    moved = sum(a.nbytes for a in (*call.args, out) if isinstance(a, np.ndarray))
    us = moved / BYTES_PER_US * (HARD if call.func in _HARD_UFUNCS else 1)
    parts = parts_of(us, threads, least)
    long = [i for i in range(out.ndim) if out.shape[i] >= threads]
    if parts == 1 or not long or any(_shifted(a, out) for a in call.args):
        return []
    axis = max(long, key=lambda i: out.strides[i])
    return [[_part(call, axis, some, out.shape)] for some in cuts(out.shape[axis], parts)]


def _shifted(a: Any, out: np.ndarray) -> bool:
    """Whether ``a`` shares memory with ``out`` and is not the same elements."""
    if not isinstance(a, np.ndarray) or not np.may_share_memory(a, out):
        return False
    return (a.ctypes.data, a.shape, a.strides) != (out.ctypes.data, out.shape, out.strides)


def _part(call: partial[Any], axis: int, some: slice, shape: tuple[int, ...]) -> partial[Any]:
    """``call`` on a slice of its result, which is of ``shape``."""
    behind = axis - len(shape)  # broadcasting counts axes from the last
    index = (..., some, *[slice(None)] * (-behind - 1))

    def part(a: Any) -> Any:
        long = isinstance(a, np.ndarray) and a.ndim >= -behind and a.shape[behind] > 1
        return a[index] if long else a

    keywords = {key: part(a) if key == "out" else a for key, a in call.keywords.items()}
    return partial(call.func, *map(part, call.args), **keywords)


def cuts(length: int, parts: int, multiple: int = 1) -> list[slice]:
    """``length`` in so many parts of about one size, which begin at multiples."""
    parts = max(1, min(parts, length // multiple))
    ends = [round(length * i / parts / multiple) * multiple for i in range(parts)] + [length]
    return [slice(a, b) for a, b in pairwise(ends)]


# -- products --------------------------------------------------------------------------------------


def _cut_product(call: partial[Any], out: np.ndarray, parts: int, threads: int) -> list[Calls]:
    """A stack of products between two of them; one product by its rows, or by its columns."""
    if min(a.ndim for a in (*call.args, out)) < 2:
        return []
    if any(np.may_share_memory(a, out) for a in call.args):
        return []
    stack = [i for i in range(out.ndim - 2) if out.shape[i] >= threads]
    if stack:
        axis = max(stack, key=lambda i: out.strides[i])
        return [[_part(call, axis, some, out.shape)] for some in cuts(out.shape[axis], parts)]
    if out.size != out.shape[-2] * out.shape[-1]:
        return []
    a, b, out = (x.reshape(x.shape[-2:]) for x in (*call.args, out))  # a stack of one
    axis, where = _alike(lie(a), lie(b), lie(out), threads)
    return [[_product(a, b, out, axis, some)] for some in where]


def _product(a: Any, b: Any, out: Any, axis: int, some: slice) -> partial[Any]:
    """Some rows (axis 0) or columns (1) of ``a @ b``."""
    if axis == 0:
        return partial(np.matmul, a[some], b, out=out[some])
    return partial(np.matmul, a, b[:, some], out=out[:, some])


# Which axis of an array has the rows of an op: None where each row needs all of the array, and
# (axis, n) where it needs n more behind its own.
Rows = int | tuple[int, int] | None


def rows_of(a: np.ndarray, rows: Rows, some: slice) -> np.ndarray:
    """What some rows need of ``a``."""
    if rows is None:
        return a
    axis, more = rows if isinstance(rows, tuple) else (rows, 0)
    return a[(*[slice(None)] * axis, slice(some.start, some.stop + more))]


Lie = tuple[tuple[int, ...], tuple[int, ...], str]  # shape, strides, dtype


def lie(a: np.ndarray) -> Lie:
    """How ``a`` lies in memory."""
    return a.shape, a.strides, a.dtype.str


def numbers(lie: Lie, rng: np.random.Generator) -> np.ndarray:
    """Numbers that lie so; integers as large as no length is."""
    shape, strides, kind = lie
    size = sum((n - 1) * abs(s) for n, s in zip(shape, strides, strict=True))
    dtype = np.dtype(kind)
    if dtype.kind == "i":
        return np.full(shape, np.iinfo(dtype).max, dtype)
    made = rng.random(size // dtype.itemsize + 1, np.float32).astype(dtype) - dtype.type(0.5)
    return as_strided(made, shape, strides)


@lru_cache(maxsize=1024)
def _alike(a: Lie, b: Lie, out: Lie, threads: int) -> tuple[int, list[slice]]:
    """Along which axis and where a product is cut: its parts have the bits of the whole; [] if
    nowhere.

    One part for each thread: BLAS packs all of the other operand for each of them.
    """
    if np.dtype(out[2]).kind != "f" or min(0, *a[1], *b[1], *out[1]) < 0:
        return 0, []
    rng = np.random.default_rng(0)
    left, right = numbers(a, rng), numbers(b, rng)
    whole, made = numbers(out, rng), numbers(out, rng)
    np.matmul(left, right, out=whole)
    wanted, (rows, columns) = whole.tobytes(), out[0]
    for axis in (0, 1) if rows >= columns else (1, 0):
        for multiple in _EDGES:
            where = cuts(out[0][axis], threads, multiple)
            if len(where) < threads:
                continue
            for some in where:
                _product(left, right, made, axis, some)()
            if made.tobytes() == wanted:
                return axis, where
    return 0, []


__all__ = [
    "BY_THREADS",
    "Calls",
    "Least",
    "Rows",
    "arrays_of",
    "call_us",
    "cut",
    "cuts",
    "lie",
    "numbers",
    "parts_of",
    "rows_of",
    "run",
]
