"""The calls of refusals.txt, and how each ends: the built-in exception, or "nothing"."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent


def calls() -> list[str]:
    """Return each line that is no heading."""
    lines = (FOLDER / "refusals.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def space(ms: Any) -> dict[str, Any]:
    """Return the names that the calls use."""
    from importlib import import_module

    def of(*shape: int, dtype: str = "float32") -> Any:
        return ms.Tensor(np.linspace(0.1, 0.9, int(np.prod(shape))).reshape(shape).astype(dtype))

    def one() -> list[Any]:
        return [ms.Parameter(ms.Tensor([1.0]), name="w")]

    def step_scheduler(scheduler: Any) -> float:
        scheduler.step()
        return float(scheduler.optimizer.param_groups[0]["lr"])

    inits = import_module(f"{ms.__name__}.common.initializer")
    optim = import_module(f"{ms.__name__}.experimental.optim")
    mint = import_module(f"{ms.__name__}.mint")

    def fill(kind: Any) -> Any:
        return inits.initializer(kind, [4, 6], ms.float32).init_data()

    return {
        "ms": ms, "nn": ms.nn, "ops": ms.ops, "mint": mint, "np": np, "Tensor": ms.Tensor,
        "inits": inits, "optim": optim, "lrs": optim.lr_scheduler, "of": of, "one": one,
        "stepped": step_scheduler, "filled": fill,
    }  # fmt: skip


def ending(names: dict[str, Any], call: str) -> str:
    """Return the nearest built-in exception that the call raises, or "nothing"."""
    tensor = names["Tensor"]
    try:
        result = eval(call, dict(names))
        if isinstance(result, tensor):
            result.asnumpy()
    except Exception as error:
        if "unregistered" in str(error):
            return "no kernel"
        return next(k.__name__ for k in type(error).__mro__ if k.__module__ == "builtins")
    return "nothing"
