"""Expressions over tensors, each evaluated by the real MindSpore (make_array_ops.py) and by ours.

``ops`` and ``P`` are the functions and primitives, ``D`` the gradient by the first argument.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def inputs() -> dict[str, np.ndarray]:
    """The arrays that the expressions name."""
    rng = np.random.default_rng(5)

    def floats(*shape: int) -> np.ndarray:
        return rng.permutation(int(np.prod(shape))).reshape(shape).astype(np.float32) / 4 - 2

    return {
        "a": floats(3, 4),
        "b": floats(3, 4),
        "v": floats(5),
        "w": np.float32([1, 3, 5, 7]),
        "c": floats(2, 3, 4),
        "i": rng.integers(0, 9, (3, 4)).astype(np.int32),
        "k": np.int32([3, 1, 3, 2, 0]),
        "h": floats(2, 3).astype(np.float16),
        "m": rng.random((3, 4)) < 0.5,
        "x": floats(1, 2, 3, 4),
        "y": floats(1, 8, 2, 3),
        "z": floats(1, 1, 2, 2, 3),
        "at": np.int64([[0, 2], [1, 3], [3, 0]]),
        "rows": np.int32([2, 0, 2]),
        "nd": np.int32([[0, 1], [2, 3]]),
        "one": np.float32(1.5),
        "four": np.int32(4),
        "box": np.float32([[0, 0, 9, 9], [5, 5, 14, 14], [20, 20, 22, 24]]),
        "gt": np.float32([[0, 0, 9, 9], [4, 4, 10, 12]]),
        "roi": np.float32([[0, 0.2, 0.3, 3, 2.5], [0, -2, -3, 1, 9]]),
        "points": rng.uniform(-1.3, 1.3, (1, 2, 3, 2)).astype(np.float32),
        "colours": rng.random((2, 2, 3)).astype(np.float32),
    }


CASES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")


def cases() -> list[str]:
    """The expressions, one a line."""
    return [line for line in CASES.splitlines() if line]


def namespace(ms: Any, ops: Any, primitives: Any, mnp: Any) -> dict[str, Any]:
    """What the expressions may name, over one framework or the other."""
    tensors = {name: ms.Tensor(array) for name, array in inputs().items()}

    def derivative(fn: Any) -> Any:
        return ms.grad(fn)

    return {
        "ms": ms,
        "ops": ops,
        "P": primitives,
        "mnp": mnp,
        "D": derivative,
        "np": np,
        "Tensor": ms.Tensor,
    } | tensors


def arrays(result: Any) -> list[np.ndarray]:
    """The arrays of a tensor or of nested tuples of them."""
    if isinstance(result, tuple | list):
        return [a for r in result for a in arrays(r)]
    return [result.asnumpy()]
