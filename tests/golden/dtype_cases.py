"""Expressions of a vector ``x``, another ``y`` and a matrix ``m``, evaluated for each dtype."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

DTYPES = ["bool", "int8", "uint8", "int32", "int64", "float16", "float64", "complex64"]
CASES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()


def namespace(ms: Any, mnp: Any, dtype: str) -> dict[str, Any]:
    """Return the names that the expressions use, over one framework or the other."""
    signed = dtype not in ("bool", "uint8")
    x = np.array([-3 if signed else 3, 0, 1, 2]).astype(dtype)
    y, m = np.array([1, 2, 1, 3]).astype(dtype), np.array([[2, 1], [0, 3]]).astype(dtype)
    tensors = {"x": ms.Tensor(x), "y": ms.Tensor(y), "m": ms.Tensor(m)}
    functions = ms.mint.nn.functional
    return tensors | {"ms": ms, "ops": ms.ops, "mint": ms.mint, "F": functions, "mnp": mnp}


def outcome(case: str, names: dict[str, Any]) -> list[Any]:
    """Return the dtypes, shapes and values that ``case`` gives, with 4 digits."""
    result = eval(case, names)
    return [
        _summarize_value(v) for v in (result if isinstance(result, tuple | list) else (result,))
    ]


def _summarize_value(value: Any) -> Any:
    if not hasattr(value, "asnumpy"):
        return repr(value)
    a = value.asnumpy()
    if a.dtype.kind == "c":
        flat: Any = np.stack([a.real, a.imag], -1)
    else:
        flat = a.astype(np.float32) if str(a.dtype) == "bfloat16" else a
    values = [float(f"{v:.4g}") if flat.dtype.kind == "f" else v for v in flat.ravel().tolist()]
    return [str(a.dtype), list(a.shape), [v if v == v else "nan" for v in values]]
