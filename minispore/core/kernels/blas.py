"""What NumPy's own BLAS can do beside its products.

NumPy shows of the library that it was linked with what ``matmul`` needs. The rest is found through
NumPy's own module: on how many threads it computes, sums in one pass where ufuncs take three, and
copies that turn a matrix, and sums with a row or a column, several times as fast. Where they are
not, or say something else than NumPy's functions do, those do it: the bits are the same.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np

Calls = list[Callable[[], Any]]

LEAST = 4096  # elements below which a call of BLAS takes longer than three of NumPy

# How the library that NumPy brings, or was built with, calls what sets and tells its threads.
_THREADS = (
    ("scipy_openblas_set_num_threads64_", "scipy_openblas_get_num_threads64_"),
    ("openblas_set_num_threads64_", "openblas_get_num_threads64_"),
    ("openblas_set_num_threads", "openblas_get_num_threads"),
    ("MKL_Set_Num_Threads", "MKL_Get_Max_Threads"),
)
# Multiply-adds up to which OpenBLAS has kernels for products of float32, on AVX-512, that copy none
# of the operands first. How it calls what tells the machine that its kernels are for, and which do.
SMALL = 1_000_000
_CORES = (
    "scipy_openblas_get_corename64_",
    "openblas_get_corename64_",
    "openblas_get_corename",
)
_WITH_SMALL = ("SkylakeX", "Cooperlake", "SapphireRapids")
# How it calls its other functions, and what counts their elements.
_NAMES = (
    ("scipy_cblas_{}64_", ctypes.c_int64),
    ("cblas_{}64_", ctypes.c_int64),
    ("cblas_{}", ctypes.c_int),
)
_NUMBERS = {np.dtype(np.float32): ctypes.c_float, np.dtype(np.float64): ctypes.c_double}
_ROWS, _PLAIN, _TURNED = 101, 111, 112  # how its arguments lie, as cblas counts


def _library(kind: Any) -> Any:
    """What NumPy's own module was linked with is found through it."""
    core = getattr(np, "_core", None) or np.core
    try:
        return kind(core._multiarray_umath.__file__)
    except (AttributeError, OSError):
        return None


def threads() -> tuple[Callable[[int], object], Callable[[], int]] | None:
    """What sets and what tells on how many threads BLAS computes, if it is known."""
    library = _library(ctypes.PyDLL)
    for setter, getter in _THREADS:
        if hasattr(library, setter) and hasattr(library, getter):
            return getattr(library, setter), getattr(library, getter)
    return None


@cache
def small_products() -> int:
    """Up to how many multiply-adds a product of float32 copies none of its operands before it
    multiplies them; 0 where BLAS has no kernels for that, or it is not known.
    """
    library = _library(ctypes.PyDLL)
    for name in _CORES:
        if hasattr(library, name):
            core = getattr(library, name)
            core.restype = ctypes.c_char_p
            return SMALL if core().decode() in _WITH_SMALL else 0
    return 0


def scaled_sum(
    a: np.ndarray | None,
    x: np.ndarray,
    b: np.ndarray | None,
    y: np.ndarray,
    out: np.ndarray,
    work: np.ndarray,
) -> Calls:
    """Calls that make a x + b y in ``out``, each product and the sum rounded once.

    Args:
        a, b: writable arrays without axes, of the dtype of ``out``, which each run reads; or None,
            for 1.
        x, y: arrays of the shape of ``out``, which may be ``y``.
        work: what may be overwritten, of the shape and dtype of ``out``; it may be ``x``.
    """
    given, run = (a, x, b, y, out, work), None
    if out.size >= LEAST and x.dtype == y.dtype == out.dtype:
        run = _function("axpby", out.dtype)
    at, of_x = (None, None) if run is None else (_address(out), _address(x))
    if run is None or at is None or of_x is None or (y is not out and _address(y) != at):
        return _by_ufuncs(*given)
    number = run.argtypes[1]
    by_x, by_y = [number(1) if v is None else number.from_buffer(v) for v in (a, b)]
    on_them = partial(run, out.size, by_x, of_x, 1, by_y, at, 1)
    return [partial(_scaled_sum, by_x, by_y, on_them, given)]


def _scaled_sum(a: Any, b: Any, run: Callable[[], object], given: tuple[Any, ...]) -> None:
    if a.value and b.value:
        run()
        return
    for call in _by_ufuncs(*given):  # 0 times nan is nan, and BLAS would not look
        call()


def _by_ufuncs(a: Any, x: Any, b: Any, y: Any, out: Any, work: Any) -> Calls:
    calls: Calls = []
    if a is not None:
        calls.append(partial(np.multiply, x, a, work))
        x = work
    if b is not None:
        calls.append(partial(np.multiply, y, b, out))
        y = out
    return [*calls, partial(np.add, y, x, out)]


def _address(a: np.ndarray) -> int | None:
    """Where an array begins whose elements lie one behind the other; None of others."""
    if not a.flags.c_contiguous:
        return None
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(a.data))  # sooner than a.ctypes.data
    except (TypeError, ValueError):  # nobody may write it, or it has no elements
        return int(a.ctypes.data)


def row_added(out: np.ndarray, row: np.ndarray) -> Callable[[], object]:
    """``out += row`` of (R, C) and (C,), bound."""
    found = _outer_added(1, None, row, out)
    return found or partial(np.add, out, row, out, casting="same_kind")


def column_taken(out: np.ndarray, column: np.ndarray) -> Callable[[], object]:
    """``out -= column[:, None]`` of (R, C) and (R,), bound."""
    found = _outer_added(-1, column, None, out)
    return found or partial(np.subtract, out, column[:, None], out, casting="same_kind")


def _outer_added(
    a: int, x: np.ndarray | None, y: np.ndarray | None, out: np.ndarray
) -> Callable[[], object] | None:
    """What adds a x y' to ``out``, where one of x and y is None: 1 everywhere, so that each sum is
    rounded once. None if BLAS has nothing for them.
    """
    run = _function("ger", out.dtype) if out.size >= LEAST else None
    one = ones(max(out.shape), out.dtype)
    x, y = one if x is None else x, one if y is None else y
    if run is None or not all(v.dtype == out.dtype and v.flags.c_contiguous for v in (x, y, out)):
        return None
    of_x, of_y, of_out = map(_address, (x, y, out))
    found = partial(run, _ROWS, *out.shape, a, of_x, 1, of_y, 1, of_out, out.shape[1])
    found.keeps = x, y, out  # type: ignore[attr-defined]
    return found


@lru_cache(maxsize=64)
def ones(count: int, dtype: np.dtype) -> np.ndarray:
    """As many ones, which nobody may change."""
    made = np.ones(count, dtype)
    made.flags.writeable = False
    return made


def turned_copy(out: np.ndarray, x: np.ndarray) -> Callable[[], object] | None:
    """``np.copyto(out, x)`` of two matrices (R, C), bound, of which out has dense rows and x dense
    columns; None if BLAS has nothing for them.
    """
    found = _function("omatcopy", out.dtype) if out.dtype == x.dtype else None
    if found is None:
        return None
    of_out, of_x = _lying(out), _lying(x)
    if of_out is None or of_x is None or (of_out[0], of_x[0]) != (_PLAIN, _TURNED):
        return None
    run = partial(found, _ROWS, _TURNED, *x.shape[::-1], 1, *of_x[1:], *of_out[1:])
    run.keeps = out, x  # type: ignore[attr-defined]
    return run


def copier(out: np.ndarray) -> Callable[[np.ndarray], object]:
    """What copies arrays of its shape and dtype into ``out``: ``np.copyto``, or BLAS, if the first
    axis lies innermost there, so that each copy turns a matrix.
    """
    plain, found = partial(np.copyto, out), _function("omatcopy", out.dtype)
    matrix = np.moveaxis(out, 0, -1) if out.ndim > 1 else out.T
    if found is None or out.size < LEAST or out.ndim < 2 or not matrix.flags.c_contiguous:
        return plain
    rows, columns = len(out), out.size // len(out)
    head = partial(found, _ROWS, _TURNED, rows, columns, 1)
    at = matrix.ctypes.data

    def turned(x: np.ndarray) -> None:
        if x.flags.c_contiguous and x.dtype == out.dtype:
            head(_address(x), columns, at, rows)
        else:
            plain(x)

    return turned


def _lying(a: np.ndarray) -> Any:
    """How BLAS finds a matrix: turned or not, where, and how many elements from a row of it to the
    next; None if neither its rows nor its columns lie densely.
    """
    (rows, columns), size = a.strides, a.itemsize
    for way, step, dense, length in (
        (_PLAIN, rows, columns, a.shape[1]),
        (_TURNED, columns, rows, a.shape[0]),
    ):
        if dense == size and step >= length * size and not step % size:
            return way, a.ctypes.data, step // size
    return None


@lru_cache(maxsize=16)
def _function(name: str, dtype: np.dtype) -> Any:
    """A function of BLAS for ``dtype``; None if the library has none, or it makes other bits than
    ufuncs do.

    Args:
        name: "axpby", y = a x + b y in one pass; "ger", out += a x y'; "omatcopy", out = a x
            turned.
    """
    found = _found(name, dtype)
    return found if found is not None and _FUNCTIONS[name][1](found, dtype) else None


def _found(name: str, dtype: np.dtype) -> Any:
    """The function of that name for float32 or float64, if the library has it."""
    number = _NUMBERS.get(dtype)
    library = _library(ctypes.CDLL) if number is not None else None
    for form, count in _NAMES:
        found = getattr(library, form.format("sd"[dtype.itemsize == 8] + name), None)
        if found is not None:
            found.argtypes = _FUNCTIONS[name][0](number, count, (ctypes.c_void_p, count))
            found.restype = None
            return found
    return None


def _as_ufuncs(run: Callable[..., object], dtype: np.dtype) -> bool:
    """Whether ``run`` makes the bits that ufuncs make, of numbers drawn for that: a library may
    round once where they round twice, or do so in some places only.
    """
    draw = np.random.Generator(np.random.PCG64(0))
    whole = draw.standard_normal((2, LEAST)) * 10.0 ** draw.integers(-20, 20, (2, LEAST))
    whole[:, :6] = [[np.inf, 0.0, -0.0, np.nan, 1.0, -np.inf], [1.0, -0.0, -0.0, 1.0, np.nan, 2.0]]
    a, b = dtype.type(-0.1), dtype.type(0.9)
    with np.errstate(all="ignore"):
        for begin, end in ((0, LEAST), (0, 7), (3, 70), (1, 1034), (4000, LEAST)):
            x, y = whole[:, begin:end].astype(dtype)
            wanted = np.add(np.multiply(y, b), np.multiply(x, a))
            run(len(x), a, x.ctypes.data, 1, b, y.ctypes.data, 1)
            same = np.array_equal(y, wanted, equal_nan=True)
            if not same or (np.signbit(y) != np.signbit(wanted))[~np.isnan(y)].any():
                return False
    return True


def _outer_as_ufuncs(run: Callable[..., object], dtype: np.dtype) -> bool:
    """The same of ``run`` for a column or a row that is 1 everywhere."""
    draw = np.random.Generator(np.random.PCG64(1))
    column, row = (10.0 ** draw.integers(-20, 20, n).astype(dtype) for n in (37, 101))
    one, whole = np.ones(101, dtype), draw.standard_normal((37, 101)).astype(dtype)
    by_column, by_row = whole.copy(), whole.copy()
    for a, x, y, out in ((-1, column, one, by_column), (1, one, row, by_row)):
        at = x.ctypes.data, 1, y.ctypes.data, 1, out.ctypes.data, 101
        run(_ROWS, 37, 101, a, *at)
    wanted = np.subtract(whole, column[:, None]), np.add(whole, row)
    return np.array_equal(by_column, wanted[0]) and np.array_equal(by_row, wanted[1])


# What they take, and whether it makes the bits that ufuncs make.
_FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., bool]]] = {
    "axpby": (lambda number, count, array: (count, number, *array, number, *array), _as_ufuncs),
    "ger": (
        lambda number, count, array: (ctypes.c_int, count, count, number, *array, *array, *array),
        _outer_as_ufuncs,
    ),
    "omatcopy": (
        lambda number, count, array: (ctypes.c_int,) * 2 + (count, count, number, *array, *array),
        lambda run, dtype: True,
    ),
}

__all__ = [
    "LEAST",
    "SMALL",
    "column_taken",
    "copier",
    "ones",
    "row_added",
    "scaled_sum",
    "small_products",
    "threads",
    "turned_copy",
]
