"""Formatting of a tensor's content for ``str`` and ``repr``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

EDGE_ITEMS = 3  # elements shown at either end of a shortened axis
MAX_VECTOR_ITEMS = 1000  # longest vector that is not shortened; other axes: twice the edge
DEFAULT_ITEMS_PER_LINE = 24  # of a vector
ITEMS_PER_LINE = {"f": 12, "b": 12}  # of a vector, by dtype kinds that differ from the default


def format_str(data: np.ndarray) -> str:
    """Return the content as formatted by NumPy; bfloat16 with six decimals.

    >>> format_str(np.array([1.5, 2.0], np.float16))
    '[1.5 2. ]'
    """
    if data.dtype.name != "bfloat16":
        return str(data)
    return np.array2string(data.astype(np.float32), formatter={"float_kind": "{:f}".format})


def format_repr(data: np.ndarray) -> str:
    """Return the text after ``value=`` in a repr, with a separator in front.

    A floating-point scalar has six digits. Scalars and vectors follow a space; any other array
    follows a newline, with one row per line. An axis of more than six elements (in a vector: 1000)
    shows three at either end.

    >>> format_repr(np.array(1 / 3)), format_repr(np.zeros((0, 3)))
    (' 0.333333', '\\n')
    >>> print(format_repr(np.array([[np.nan, 1.5]], np.float16)))
    <BLANKLINE>
    [[        nan,  1.5000e+00]]
    >>> print(format_repr(np.arange(21).reshape(7, 3) ** 2))
    <BLANKLINE>
    [[  0,   1,   4],
     [  9,  16,  25],
     [ 36,  49,  64],
     ...
     [144, 169, 196],
     [225, 256, 289],
     [324, 361, 400]]
    """
    separator = " " if data.ndim <= 1 else "\n"
    kind = data.dtype.kind
    if kind in "US":
        text = np.array2string(data, separator=", ", threshold=data.size)
        return separator + text.replace("\n\n", "\n")
    if data.ndim == 0:
        return separator + (str(data.item()) if kind in "biu" else _format_short(data[()]))
    if not data.size:
        return separator
    limit = MAX_VECTOR_ITEMS if data.ndim == 1 else 2 * EDGE_ITEMS
    is_shortened = [n > limit for n in data.shape]
    for axis in np.flatnonzero(is_shortened):
        n = data.shape[axis]
        data = data.take([*range(EDGE_ITEMS), *range(n - EDGE_ITEMS, n)], axis)
    words = np.array([*map(_choose_item_format(data), data.ravel())], object)
    if kind not in "cf":
        width = max(map(len, words))
        words = np.array([w.rjust(width) for w in words], object)
    line_items = ITEMS_PER_LINE.get(kind, DEFAULT_ITEMS_PER_LINE) if data.ndim == 1 else 0
    return separator + _format_rows(words.reshape(data.shape), is_shortened, line_items, depth=1)


def _format_rows(words: np.ndarray, is_shortened: list[bool], line_items: int, depth: int) -> str:
    """Format an array of words in nested brackets.

    Args:
        words: the formatted elements.
        is_shortened: for each axis, whether its middle is omitted.
        line_items: elements per line of a vector; 0: all.
        depth: the indent of a new line.
    """
    if words.ndim > 1:
        parts = [_format_rows(w, is_shortened[1:], line_items, depth + 1) for w in words]
        newline = "\n" + " " * depth
        ends = [f",{newline}"] * (len(parts) - 1)
        if is_shortened[0]:
            ends[EDGE_ITEMS - 1] = f",{newline}...{newline}"
    else:
        parts = list(words)
        ends = [", "] * (len(parts) - 1)
        if is_shortened[0]:
            ends[EDGE_ITEMS - 1] = " ... "
        elif line_items:
            for i in range(line_items - 1, len(ends), line_items):
                ends[i] = ", \n "
    ending = "\n " if line_items and not is_shortened[0] and len(parts) % line_items == 0 else ""
    ends.append(ending)
    return f"[{''.join(p + e for p, e in zip(parts, ends, strict=True))}]"


def _choose_item_format(data: np.ndarray) -> Callable[[Any], str]:
    """Return the function that formats one element of ``data``."""
    if data.dtype.kind == "f":
        digits = 4 if data.dtype.itemsize == 2 else 8
        return lambda x: f"{x:{digits + 7}.{digits}e}"
    if data.dtype.kind == "b":
        return lambda x: f"{x!s:>5}"
    return _format_short if data.dtype.kind not in "iu" else str


def format_matrix_cells(data: np.ndarray) -> list[list[str]]:
    """Return the elements of a vector (one row) or a matrix as strings with six digits.

    An axis of more than ten elements shows five at either end.

    >>> format_matrix_cells(np.array([[1, 2], [3, 4]]))
    [['1', '2'], ['3', '4']]
    >>> format_matrix_cells(np.arange(30) / 3)[0][4:7]
    ['1.33333', '…', '8.33333']
    """
    matrix = np.atleast_2d(data)
    rows, columns = ([*range(n)] if n <= 10 else [*range(5), -1, *range(n - 5, n)]
                     for n in matrix.shape)  # fmt: skip
    return [
        ["…" if -1 in (i, j) else _format_cell(matrix[i, j].item()) for j in columns] for i in rows
    ]


def _format_cell(number: bool | int | float | complex) -> str:
    """Format a bool or int in full, any other number with six digits."""
    return str(number) if isinstance(number, int) else f"{number:.6g}"


def _format_short(x: Any) -> str:
    """Format a float or complex number with six digits, like ``%g``."""
    is_complex = isinstance(x, complex | np.complexfloating)
    return f"{x.real:g}{x.imag:+g}j" if is_complex else f"{float(x):g}"


__all__ = ["format_repr", "format_str"]
