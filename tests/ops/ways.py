"""The ways in which what is asked of an op is asked: in each mode, in each data type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor

Run = Callable[[Callable[..., Any]], Callable[..., Any]]


def op_by_op(f: Callable[..., Any]) -> Callable[..., Any]:
    return f


def graph(f: Callable[..., Any]) -> Callable[..., Any]:
    return ms.jit(lambda *args: f(*args))


MODES = pytest.mark.parametrize("run", [op_by_op, graph])
DTYPES = pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32])


def wide(x: Tensor) -> np.ndarray:
    """The numbers of a tensor in float64."""
    return x.astype(ms.float32).asnumpy().astype(np.float64)
