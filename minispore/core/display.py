"""How ``str`` and ``repr`` write the content of a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

EDGE = 3  # elements at either end of an axis that is cut
LONGEST = 1000  # elements of one axis alone that are all shown; of several axes, twice the edge
BREAKS = {"f": 12, "b": 12}  # elements on a line of one axis alone; others have 24


def text(data: np.ndarray) -> str:
    """As NumPy writes it, but for bfloat16, of which six decimals are shown.

    >>> text(np.array([1.5, 2.0], np.float16))
    '[1.5 2. ]'
    """
    if data.dtype.name != "bfloat16":
        return str(data)
    return np.array2string(data.astype(np.float32), formatter={"float_kind": "{:f}".format})


def content(data: np.ndarray) -> str:
    """What stands behind ``value=``: six digits of a single number, else a row on each line.

    An axis of more than six elements shows three of either end, one axis alone a thousand.

    >>> content(np.array(1 / 3)), content(np.zeros((0, 3)))
    (' 0.333333', '\\n')
    >>> print(content(np.array([[np.nan, 1.5]], np.float16)))
    <BLANKLINE>
    [[        nan,  1.5000e+00]]
    >>> print(content(np.arange(21).reshape(7, 3) ** 2))
    <BLANKLINE>
    [[  0,   1,   4],
     [  9,  16,  25],
     [ 36,  49,  64],
     ...
     [144, 169, 196],
     [225, 256, 289],
     [324, 361, 400]]
    """
    gap = " " if data.ndim <= 1 else "\n"
    kind = data.dtype.kind
    if kind in "US":
        text = np.array2string(data, separator=", ", threshold=data.size)
        return gap + text.replace("\n\n", "\n")
    if data.ndim == 0:
        return gap + (str(data.item()) if kind in "biu" else _short(data[()]))
    if not data.size:
        return gap
    most = LONGEST if data.ndim == 1 else 2 * EDGE
    cut = [n > most for n in data.shape]
    for axis in np.flatnonzero(cut):
        n = data.shape[axis]
        data = data.take([*range(EDGE), *range(n - EDGE, n)], axis)
    words = np.array([*map(_word(data), data.ravel())], object)
    if kind not in "cf":
        width = max(map(len, words))
        words = np.array([w.rjust(width) for w in words], object)
    line = BREAKS.get(kind, 24) if data.ndim == 1 else 0
    return gap + _rows(words.reshape(data.shape), cut, line, 1)


def _rows(words: np.ndarray, cut: list[bool], line: int, depth: int) -> str:
    """The words in brackets, an axis in another; ``depth`` is how far a new line is indented."""
    if words.ndim > 1:
        parts = [_rows(w, cut[1:], line, depth + 1) for w in words]
        new = "\n" + " " * depth
        ends = [f",{new}"] * (len(parts) - 1)
        if cut[0]:
            ends[EDGE - 1] = f",{new}...{new}"
    else:
        parts = list(words)
        ends = [", "] * (len(parts) - 1)
        if cut[0]:
            ends[EDGE - 1] = " ... "
        elif line:
            for i in range(line - 1, len(ends), line):
                ends[i] = ", \n "
    last = "\n " if line and not cut[0] and len(parts) % line == 0 else ""
    ends.append(last)
    return f"[{''.join(p + e for p, e in zip(parts, ends, strict=True))}]"


def _word(data: np.ndarray) -> Callable[[Any], str]:
    """How one element is written."""
    if data.dtype.kind == "f":
        digits = 4 if data.dtype.itemsize == 2 else 8
        return lambda x: f"{x:{digits + 7}.{digits}e}"
    if data.dtype.kind == "b":
        return lambda x: f"{x!s:>5}"
    return _short if data.dtype.kind not in "iu" else str


def _short(x: Any) -> str:
    return f"{x.real:g}{x.imag:+g}j" if isinstance(x, complex | np.complexfloating) else f"{x:g}"


__all__ = ["content", "text"]
