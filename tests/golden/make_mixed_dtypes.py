"""Makes mixed_dtypes.json with the real MindSpore: ``python tests/golden/make_mixed_dtypes.py``."""

from __future__ import annotations

import contextlib
import itertools
import json
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np

DTYPES = ["bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]


def times(x: Any, y: Any) -> Any:
    return x * y


def over(x: Any, y: Any) -> Any:
    return x / y


def plus(x: Any, y: Any) -> Any:
    return x + y


def truncated(x: Any, y: Any) -> Any:
    return ms.mint.div(x, y, rounding_mode="trunc")


OPS: dict[str, Any] = {
    "x * y": times,
    "x / y": over,
    "x + y": plus,
    "ops.mul(x, y)": ms.ops.mul,
    "ops.div(x, y)": ms.ops.div,
    "mint.div(x, y)": ms.mint.div,
    "mint.div(x, y, rounding_mode='trunc')": truncated,
    "ops.Mul()(x, y)": ms.ops.Mul(),
    "ops.RealDiv()(x, y)": ms.ops.RealDiv(),
}
SHAPES = [((2,), ()), ((), (2,))]


def graph_of(op: Any) -> Any:
    """``op`` as a graph."""

    @ms.jit
    def graph(x: Any, y: Any) -> Any:
        return op(x, y)

    return graph


def main() -> None:
    """The dtype of each op of two tensors of different dtypes, one of them without axes."""
    ms.set_context(mode=ms.GRAPH_MODE)  # in PYNATIVE_MODE some of them end the process
    options: dict[str, dict[str, str]] = {}
    for case, op in OPS.items():
        for (a, b), (one, other) in itertools.product(itertools.permutations(DTYPES, 2), SHAPES):
            x = ms.Tensor(np.ones(one, np.float32), getattr(ms, a.replace("bool", "bool_")))
            y = ms.Tensor(np.ones(other, np.float32), getattr(ms, b.replace("bool", "bool_")))
            with contextlib.suppress(Exception):  # what MindSpore refuses is left out
                names = f"{a}{list(one)} {b}{list(other)}"
                options.setdefault(case, {})[names] = str(graph_of(op)(x, y).dtype).lower()
    rows = [f"{json.dumps(case)}: {json.dumps(actual)}" for case, actual in options.items()]
    text = "{\n" + ",\n".join(rows) + "\n}\n"
    path = Path(__file__).with_name("mixed_dtypes.json")
    path.write_text(text, encoding="utf-8")
    print(sum(map(len, options.values())), "outcomes of", len(options), "cases")


if __name__ == "__main__":
    main()
