"""Make tests/golden/keywords.json: python tests/golden/make_keywords.py

With the real MindSpore: what its public functions, classes, layers and methods call their
arguments, in their order; ``*`` stands before those that are given by name alone.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "keywords.json"
MODULES = (
    "nn", "ops", "mint.nn", "mint.nn.functional", "mint.linalg", "mint.special", "mint.optim",
    "mint.distributed", "mint", "numpy.fft", "numpy", "scipy.linalg", "scipy.fft",
    "scipy.optimize", "train", "amp", "runtime", "hal", "parallel", "parallel.nn", "profiler",
    "communication", "communication.comm_func", "common.initializer",
    "nn.probability.distribution", "nn.probability.bijector", "experimental.optim",
    "experimental.optim.lr_scheduler", "dataset.vision", "dataset.transforms", "dataset.text",
    "dataset", "mindrecord", "boost", "",
)  # fmt: skip
CALLED = ("construct", "update", "bprop")
PLACES = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def list_parameter_names(thing: Any) -> str | None:
    """Return the names of the parameters; None where any would do, or none can be listed."""
    try:
        inputs = [p for p in inspect.signature(thing).parameters.values() if p.name != "self"]
    except (TypeError, ValueError):
        return None
    if any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in inputs):
        return None
    plain = [p for p in inputs if p.kind is not inspect.Parameter.VAR_KEYWORD]
    return " ".join(p.name if p.kind in PLACES else f"*{p.name}" for p in plain)


def things(module: Any) -> Iterator[tuple[str, Any]]:
    """Return the public functions, classes and methods of a module, by their paths in it."""
    for name in dir(module):
        thing = getattr(module, name)
        if name.startswith("_") or not str(getattr(thing, "__module__", "")).startswith("minds"):
            continue
        if inspect.isclass(thing):
            yield name, thing.__init__
            whole = name in ("Tensor", "Parameter", "Cell")
            for method, actual in inspect.getmembers(thing, inspect.isfunction):
                is_mindspores = actual.__module__.startswith("mindspore")
                if is_mindspores and (method in CALLED or (whole and not method.startswith("_"))):
                    yield f"{name}.{method}", actual
        elif inspect.isfunction(thing):
            yield name, thing


def main() -> None:
    actual: dict[str, str] = {}
    seen = set()
    for name in MODULES:
        module = importlib.import_module(f"mindspore.{name}".rstrip("."))
        for path, thing in things(module):
            if id(thing) not in seen and (names := list_parameter_names(thing)):
                actual[f"{name}.{path}".lstrip(".")] = names
            seen.add(id(thing))
    FILE.write_text(json.dumps(dict(sorted(actual.items())), indent=0) + "\n")


if __name__ == "__main__":
    main()
