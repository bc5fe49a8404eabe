"""Calls with keywords and defaults (``cases.txt``), in the real MindSpore (make.py) and in ours.

What a call gives is its value and, in floats, its gradients by the tensors that it names: those of
the sum of its first output times a wave.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

_RNG = np.random.default_rng(11)


def _floats(*shape: int) -> np.ndarray:
    return _RNG.permutation(int(np.prod(shape))).reshape(shape).astype(np.float32) / 16 - 0.7


ARRAYS = {
    "x": np.float32([[0.3, -1.2, 2.1, 0.7], [1.5, -0.4, -2.2, 0.9], [-0.6, 1.1, 0.2, -1.7]]),
    "y": np.float32([[1.3, 0.2, -2.1, 0.5], [0.5, 1.4, -0.2, -0.9], [0.6, -1.1, 1.2, 1.7]]),
    "p": np.float32([[0.3, 0.2, 0.1, 0.7], [0.5, 0.4, 0.2, 0.9], [0.6, 0.1, 0.25, 0.75]]),
    "holes": np.float32([[0.3, np.nan, 2.1, 1.0], [1.5, -0.4, -2.0, 0.9], [-0.6, np.nan, 0.2, 3]]),
    "signs": np.float32([[1, -1, 1, -1], [1, 1, -1, -1], [-1, 1, 1, 1]]),
    "mask": np.array([[True, False, True, True], [False] * 4, [True] * 4]),
    "labels": np.int32([1, 0, 3]),
    "two": np.float32([0.3, -0.6]),
    "four": np.float32([0.5, 1.0, 2.0, 0.3]),
    "image": _floats(1, 2, 5, 6),
    "signal": _floats(2, 2, 7),
    "volume": _floats(1, 1, 4, 3, 5),
    "kernel": _floats(2, 2, 3, 3),
}
Run = Callable[[], list[np.ndarray]]


def templates() -> list[str]:
    """The lines of the table."""
    lines = Path(__file__).with_name("cases.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and line[0] not in "#["]


def calls(template: str) -> list[str]:
    """The calls that a line stands for."""
    parts = re.split(r"<(.*?)>", template.lstrip("~"))
    chosen = itertools.product(*(part.split("|") for part in parts[1::2]))
    fixed = parts[::2]
    return ["".join(itertools.chain(*zip(fixed, (*c, ""), strict=True))) for c in chosen]


def first(actual: Any) -> Any:
    """The first output of a call."""
    return actual[0] if isinstance(actual, (tuple, list)) else actual


def arrays(actual: Any) -> list[np.ndarray]:
    """All outputs of a call."""
    return [m.asnumpy() for m in (actual if isinstance(actual, (tuple, list)) else (actual,))]


def functions(ms: Any, mnp: Any, call: str) -> tuple[Any, Any, list[Any], tuple[int, ...]]:
    """The call, its loss, the tensors that both take, and which of them hold floats."""
    scope: dict[str, Any] = {"ms": ms, "ops": ms.ops, "nn": ms.nn, "mnp": mnp, "Tensor": ms.Tensor}
    scope |= {name: ms.Tensor(array) for name, array in ARRAYS.items()}
    callee, _, given = call.partition(" : ")
    if "(" in callee:
        scope["made"] = eval(callee, scope)
        callee = "made"
    names = [name for name in ARRAYS if re.search(rf"\b{name}\b", f"{callee} {given}")]
    run = eval(f"lambda {', '.join(names)}: {callee}({given})", scope)
    tensors = [scope[name] for name in names]

    def loss(*at: Any) -> Any:
        output = ms.ops.reshape(first(run(*at)), (-1,))
        return (output * wave(output.shape[0])).sum()

    def wave(n: int) -> Any:
        return ms.Tensor(np.cos(np.arange(n)), made_dtype)

    made_dtype = first(run(*tensors)).dtype
    floats = tuple(i for i, name in enumerate(names) if ARRAYS[name].dtype == np.float32)
    return run, loss, tensors, floats


def ask(ms: Any, mnp: Any, call: str, slopes: bool, staged: bool = False) -> list[np.ndarray]:
    """The value of a call, and its gradients if ``slopes``; ``staged``: both in a graph."""
    run, loss, tensors, floats = functions(ms, mnp, call)
    output = (ms.jit(run) if staged else run)(*tensors)
    actual = arrays(output)
    if slopes and floats and actual[0].dtype.kind == "f":
        actual += arrays(ms.grad(ms.jit(loss) if staged else loss, floats)(*tensors))
    return actual
