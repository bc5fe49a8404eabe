"""Ops that few scripts ask for, asked of the real MindSpore and of ours: ``rare_cases.txt``.

``tests/golden/make_rare.py`` evaluates each line with MindSpore, ``test_golden_rare.py`` with
minispore. After ``;;`` stand the numbers of the outputs that are compared, where not all are.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

LINES = Path(__file__).with_suffix(".txt").read_text().splitlines()
CASES = [line for line in LINES if line and line[0] != "#"]
DTYPES = {
    "i4": np.int32, "i8": np.int64, "f2": np.float16, "f8": np.float64, "c8": np.complex64,
    "b": np.bool_,
}  # fmt: skip


def namespace(package: str) -> dict[str, Any]:
    """What a line names, from ``mindspore`` or ``minispore``."""
    ms = import_module(package)

    def tensor(numbers: Any, dtype: Any = np.float32) -> Any:
        return ms.Tensor(np.array(numbers, dtype))

    def parameter(numbers: Any) -> Any:
        return ms.Parameter(tensor(numbers), name="p")

    def number(value: Any) -> Any:
        return ms.Tensor(value, ms.int32 if isinstance(value, int) else ms.float32)

    def grad(f: Any, *xs: Any) -> Any:
        """Slopes of the sum of squares of all outputs of floats."""

        def total(*given: Any) -> Any:
            output = f(*given)
            parts = output if isinstance(output, tuple) else (output,)
            floats = [x for x in parts if x.dtype == ms.float32]
            return sum((x * x).sum() for x in floats)

        return ms.grad(total, tuple(range(len(xs))))(*xs)

    modules = {
        letter: import_module(f"{package}.ops.operations.{name}_ops")
        for letter, name in (("S", "sparse"), ("N", "nn"), ("M", "math"), ("I", "image"))
    }
    image = np.arange(36).reshape(1, 6, 6, 1)
    csr = [tensor(n, np.int32) for n in ([2, 3], [0, 3], [0, 1, 3], [1, 0, 2])]
    batch = [tensor(n, np.int32) for n in ([2, 2, 3], [0, 2, 3], [0, 1, 2, 0, 1, 1], [1, 0, 2])]
    tools = {"T": tensor, "Par": parameter, "num": number, "grad": grad, "np": np, "ms": ms}
    return {
        "ops": ms.ops, "P": ms.ops.operations, "img": image, "csr": csr, "batch": batch,
        "rows": (tensor([0, 2, 3], np.int32), tensor([0, 0, 1], np.int32)),
        **modules, **tools, **DTYPES,
    }  # fmt: skip


def results(case: str, names: dict[str, Any]) -> list[np.ndarray]:
    """The arrays that a line makes, those that are compared."""
    said, _, wanted = case.partition(";;")
    found = arrays(eval(said, names))
    return [found[int(n)] for n in wanted.split()] if wanted else found


def arrays(actual: Any) -> list[np.ndarray]:
    if isinstance(actual, tuple | list):
        return [a for part in actual for a in arrays(part)]
    return [np.asarray(actual.asnumpy())]
