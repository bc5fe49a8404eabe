"""Make tests/golden/primitive_keywords.json: python tests/golden/make_primitive_keywords.py

With the real MindSpore: what its primitives call their inputs, in their order; a name before
``=`` may be left out. Empty where inputs are taken by position alone.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

from mindspore import ops

FILE = Path(__file__).parent / "primitive_keywords.json"


def list_input_names(primitive: Any) -> str:
    """Return the names of the inputs; a ``=`` behind the name marks a default."""
    result = list(inspect.signature(primitive.__call__).parameters.values())[1:]
    if any(p.kind is p.VAR_POSITIONAL for p in result):
        return ""
    return " ".join(p.name + "=" * (p.default is not p.empty) for p in result)


def main() -> None:
    actual = {}
    for name in dir(ops):
        thing = getattr(ops, name)
        if inspect.isclass(thing) and issubclass(thing, ops.Primitive):
            actual[name] = list_input_names(thing)
    FILE.write_text(json.dumps(dict(sorted(actual.items())), indent=0) + "\n")


if __name__ == "__main__":
    main()
