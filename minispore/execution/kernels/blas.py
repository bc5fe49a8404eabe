"""Functions of NumPy's BLAS other than products: thread counts, ger and transposed copies.

NumPy exposes only the functions of its BLAS library that ``matmul`` needs. Others are loaded
through NumPy's extension module: the number of threads, and functions that transpose a matrix or
add a row or column to it, several times faster than ufuncs. If a function is missing, or gives bits
that differ from those of ufuncs, ufuncs are used.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np

MIN_ELEMENTS = 4096  # below this a BLAS call takes longer than a NumPy call

# Functions that set and return the number of threads, in the BLAS libraries that NumPy uses.
_THREAD_FUNCTIONS = (
    ("scipy_openblas_set_num_threads64_", "scipy_openblas_get_num_threads64_"),
    ("openblas_set_num_threads64_", "openblas_get_num_threads64_"),
    ("openblas_set_num_threads", "openblas_get_num_threads"),
    ("MKL_Set_Num_Threads", "MKL_Get_Max_Threads"),
)
# Up to this number of multiply-adds, OpenBLAS's float32 kernels for AVX-512 do not copy operands
# first. Then the names of the function that returns the CPU core that its kernels are built for.
SMALL_PRODUCT_MULTIPLY_ADDS = 1_000_000
_CORENAME_FUNCTIONS = (
    "scipy_openblas_get_corename64_",
    "openblas_get_corename64_",
    "openblas_get_corename",
)
_CORES_WITH_SMALL_KERNELS = ("SkylakeX", "Cooperlake", "SapphireRapids")
# Name formats of other BLAS functions, and the C type of their element counts.
_SYMBOL_FORMATS = (
    ("scipy_cblas_{}64_", ctypes.c_int64),
    ("cblas_{}64_", ctypes.c_int64),
    ("cblas_{}", ctypes.c_int),
)
_C_TYPES = {np.dtype(np.float32): ctypes.c_float, np.dtype(np.float64): ctypes.c_double}
_ROW_MAJOR, _NO_TRANSPOSE, _TRANSPOSE = 101, 111, 112  # of cblas


def _load_blas(loader: Any) -> Any:
    """Load the BLAS that NumPy's extension module is linked with, by ``ctypes.PyDLL`` or
    ``ctypes.CDLL`` (``loader``); return None if that fails.
    """
    core = getattr(np, "_core", None) or np.core
    try:
        return loader(core._multiarray_umath.__file__)
    except (AttributeError, OSError):
        return None


def find_thread_functions() -> tuple[Callable[[int], object], Callable[[], int]] | None:
    """Return the functions that set and return the number of BLAS threads; None if not found."""
    library = _load_blas(ctypes.PyDLL)
    for setter, getter in _THREAD_FUNCTIONS:
        if hasattr(library, setter) and hasattr(library, getter):
            return getattr(library, setter), getattr(library, getter)
    return None


@cache
def get_small_product_limit() -> int:
    """Return the number of multiply-adds up to which BLAS copies no operand of a float32 product.

    It is 0 if BLAS has no kernels for small products or the CPU core is unknown.
    """
    library = _load_blas(ctypes.PyDLL)
    for name in _CORENAME_FUNCTIONS:
        if hasattr(library, name):
            core = getattr(library, name)
            core.restype = ctypes.c_char_p
            return (
                SMALL_PRODUCT_MULTIPLY_ADDS if core().decode() in _CORES_WITH_SMALL_KERNELS else 0
            )
    return 0


def _get_address(a: np.ndarray) -> int | None:
    """Return the address of the first element of a C-contiguous array; None if it is not
    contiguous.
    """
    if not a.flags.c_contiguous:
        return None
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(a.data))  # faster than a.ctypes.data
    except (TypeError, ValueError):  # read-only or empty
        return int(a.ctypes.data)


def bind_add_row(out: np.ndarray, row: np.ndarray) -> Callable[[], object]:
    """Return a bound call of ``out += row`` for out (R, C) and row (C,)."""
    call = _bind_rank_one_update(1, None, row, out)
    return call or partial(np.add, out, row, out, casting="same_kind")


def bind_subtract_column(out: np.ndarray, column: np.ndarray) -> Callable[[], object]:
    """Return a bound call of ``out -= column[:, None]`` for out (R, C) and column (R,)."""
    call = _bind_rank_one_update(-1, column, None, out)
    return call or partial(np.subtract, out, column[:, None], out, casting="same_kind")


def _bind_rank_one_update(
    a: int, x: np.ndarray | None, y: np.ndarray | None, out: np.ndarray
) -> Callable[[], object] | None:
    """Return a bound call of ``out += a x y'``, or None if BLAS can't do it.

    Here a is 1 or -1, and x or y is None, which means a vector of ones: each sum is rounded once.
    """
    ger = _find_exact_function("ger", out.dtype) if out.size >= MIN_ELEMENTS else None
    ones = get_ones(max(out.shape), out.dtype)
    x, y = ones if x is None else x, ones if y is None else y
    if ger is None or not all(v.dtype == out.dtype and v.flags.c_contiguous for v in (x, y, out)):
        return None
    x_address, y_address, out_address = map(_get_address, (x, y, out))
    call = partial(
        ger, _ROW_MAJOR, *out.shape, a, x_address, 1, y_address, 1, out_address, out.shape[1]
    )
    call.keeps = x, y, out  # type: ignore[attr-defined]
    return call


@lru_cache(maxsize=64)
def get_ones(count: int, dtype: np.dtype) -> np.ndarray:
    """Return a cached read-only array of ``count`` ones."""
    array = np.ones(count, dtype)
    array.flags.writeable = False
    return array


def bind_transposed_copy(out: np.ndarray, x: np.ndarray) -> Callable[[], object] | None:
    """Bind ``np.copyto(out, x)`` of two matrices to BLAS's transposition; return None if that is
    impossible.

    ``out`` (R, C) must have dense rows and ``x`` (R, C) dense columns. The returned call keeps both
    arrays alive.
    """
    omatcopy = _find_exact_function("omatcopy", out.dtype) if out.dtype == x.dtype else None
    if omatcopy is None:
        return None
    out_matrix, x_matrix = _describe_matrix(out), _describe_matrix(x)
    if out_matrix is None or x_matrix is None:
        return None
    (out_transposition, *out_memory), (x_transposition, *x_memory) = out_matrix, x_matrix
    if (out_transposition, x_transposition) != (_NO_TRANSPOSE, _TRANSPOSE):
        return None
    call = partial(omatcopy, _ROW_MAJOR, _TRANSPOSE, *x.shape[::-1], 1, *x_memory, *out_memory)
    call.keeps = out, x  # type: ignore[attr-defined]
    return call


def make_copier(out: np.ndarray) -> Callable[[np.ndarray], object]:
    """Return a function that copies arrays of its shape and dtype into ``out``.

    It is ``np.copyto``, or a transposing copy of BLAS if the first axis is innermost in ``out``.
    """
    copy_plainly, omatcopy = partial(np.copyto, out), _find_exact_function("omatcopy", out.dtype)
    matrix = np.moveaxis(out, 0, -1) if out.ndim > 1 else out.T
    if omatcopy is None or out.size < MIN_ELEMENTS or out.ndim < 2 or not matrix.flags.c_contiguous:
        return copy_plainly
    rows, columns = len(out), out.size // len(out)
    copy_matrix = partial(omatcopy, _ROW_MAJOR, _TRANSPOSE, rows, columns, 1)
    out_address = matrix.ctypes.data

    def copy_transposed(x: np.ndarray) -> None:
        """Copy ``x`` by BLAS, or by NumPy if its dtype differs or it is not contiguous."""
        if x.flags.c_contiguous and x.dtype == out.dtype:
            copy_matrix(_get_address(x), columns, out_address, rows)
        else:
            copy_plainly(x)

    return copy_transposed


def _describe_matrix(a: np.ndarray) -> Any:
    """Return (transposition, address, leading dimension) of a matrix, as BLAS takes it.

    Returns:
        None if neither its rows nor its columns are dense.
    """
    (rows, columns), itemsize = a.strides, a.itemsize
    for transposition, step, inner_step, length in (
        (_NO_TRANSPOSE, rows, columns, a.shape[1]),
        (_TRANSPOSE, columns, rows, a.shape[0]),
    ):
        if inner_step == itemsize and step >= length * itemsize and not step % itemsize:
            return transposition, a.ctypes.data, step // itemsize
    return None


@lru_cache(maxsize=16)
def _find_exact_function(name: str, dtype: np.dtype) -> Any:
    """Find the BLAS function ``name`` for ``dtype`` whose result has the same bits as ufuncs.

    Args:
        name: "ger" (out += a x y') or "omatcopy" (out = a x').
        dtype: the dtype of all operands.

    Returns:
        None if the library has no such function, or its bits differ.
    """
    function = _load_function(name, dtype)
    _, matches_ufuncs = _FUNCTIONS[name]
    return function if function is not None and matches_ufuncs(function, dtype) else None


def _load_function(name: str, dtype: np.dtype) -> Any:
    """Return the BLAS function ``name`` for float32 or float64, if the library has it."""
    c_type = _C_TYPES.get(dtype)
    library = _load_blas(ctypes.CDLL) if c_type is not None else None
    precision_letter = "d" if dtype.itemsize == 8 else "s"
    get_argtypes, _ = _FUNCTIONS[name]
    for symbol_format, count_type in _SYMBOL_FORMATS:
        function = getattr(library, symbol_format.format(precision_letter + name), None)
        if function is not None:
            function.argtypes = get_argtypes(c_type, count_type, (ctypes.c_void_p, count_type))
            function.restype = None
            return function
    return None


def _ger_matches_ufuncs(ger: Callable[..., object], dtype: np.dtype) -> bool:
    """Whether ger gives the same bits as ufuncs for a column or a row of ones."""
    rng = np.random.Generator(np.random.PCG64(1))
    column, row = (10.0 ** rng.integers(-20, 20, n).astype(dtype) for n in (37, 101))
    ones, matrix = np.ones(101, dtype), rng.standard_normal((37, 101)).astype(dtype)
    minus_column, plus_row = matrix.copy(), matrix.copy()
    for a, x, y, out in ((-1, column, ones, minus_column), (1, ones, row, plus_row)):
        addresses = x.ctypes.data, 1, y.ctypes.data, 1, out.ctypes.data, 101
        ger(_ROW_MAJOR, 37, 101, a, *addresses)
    expected = np.subtract(matrix, column[:, None]), np.add(matrix, row)
    return np.array_equal(minus_column, expected[0]) and np.array_equal(plus_row, expected[1])


# For each function, its argument types and the check that its bits equal those of ufuncs.
_FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., bool]]] = {
    "ger": (
        lambda number, count, array: (ctypes.c_int, count, count, number, *array, *array, *array),
        _ger_matches_ufuncs,
    ),
    "omatcopy": (
        lambda number, count, array: (ctypes.c_int,) * 2 + (count, count, number, *array, *array),
        lambda omatcopy, dtype: True,
    ),
}

__all__ = [
    "MIN_ELEMENTS",
    "SMALL_PRODUCT_MULTIPLY_ADDS",
    "bind_add_row",
    "bind_subtract_column",
    "bind_transposed_copy",
    "find_thread_functions",
    "get_ones",
    "get_small_product_limit",
    "make_copier",
]
