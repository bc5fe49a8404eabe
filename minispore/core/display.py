"""How ``repr`` writes the content of a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def content(data: np.ndarray) -> str:
    """What stands behind ``value=``: six digits of a single number, else a row on each line.

    >>> content(np.array(1 / 3)), content(np.zeros((0, 3)))
    (' 0.333333', '\\n')
    >>> print(content(np.array([[np.nan, 1.5]], np.float16)))
    <BLANKLINE>
    [[        nan,  1.5000e+00]]
    """
    gap = " " if data.ndim <= 1 else "\n"
    kind = data.dtype.kind
    if data.ndim == 0:
        return gap + (str(data.item()) if kind in "biu" else _short(data[()]))
    if not data.size:
        return gap
    form: dict[str, Callable[[Any], str]] = {"complex_kind": _short}
    if kind == "f":
        digits = 4 if data.dtype.itemsize == 2 else 8
        form["float_kind"] = lambda x: f"{x: {digits + 7}.{digits}e}"
    text = np.array2string(data, separator=", ", formatter=form)  # type: ignore[arg-type]
    return gap + text.replace(", ...,", " ...").replace("...,\n", "...\n").replace("\n\n", "\n")


def _short(x: Any) -> str:
    return f"{x.real:g}{x.imag:+g}j" if isinstance(x, complex | np.complexfloating) else f"{x:g}"


__all__ = ["content"]
