"""Make tests/golden/signatures.json: python tests/golden/make_signatures.py

With the real MindSpore: the defaults of what its public names around a training take.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "signatures.json"
MODULES = ("train", "amp", "runtime", "dataset")
PLAIN = (bool, int, float, str, type(None))


def things(module: Any) -> Iterator[tuple[str, Any]]:
    """The public functions, classes and methods of a module, by their paths in it."""
    for name in module.__all__:
        thing = getattr(module, name, None)
        if inspect.isclass(thing):
            yield name, thing.__init__
            for method, actual in inspect.getmembers(thing, inspect.isfunction):
                if not method.startswith("_") and actual.__module__.startswith("mindspore"):
                    yield f"{name}.{method}", actual
        elif inspect.isfunction(thing):
            yield name, thing


def defaults(thing: Any) -> dict[str, str]:
    """The defaults of the parameters that have a plain one."""
    return {
        p.name: repr(p.default)
        for p in inspect.signature(thing).parameters.values()
        if isinstance(p.default, PLAIN)
    }


def main() -> None:
    actual = {}
    for name in MODULES:
        module = importlib.import_module(f"mindspore.{name}")
        actual |= {f"{name}.{path}": defaults(thing) for path, thing in things(module)}
    FILE.write_text(json.dumps({k: v for k, v in sorted(actual.items()) if v}, indent=0) + "\n")


if __name__ == "__main__":
    main()
