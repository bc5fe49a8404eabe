"""``python -m benchmarks NAME [args]``: run ``benchmarks/NAME.py``; without a name, list them."""

from __future__ import annotations

import ast
import difflib
import importlib
import sys
from pathlib import Path

from benchmarks.harness import SideFailed

FOLDER = Path(__file__).resolve().parent


def list_benchmarks() -> dict[str, str]:
    """Return each benchmark, a module with a ``main``, and the first line of its docstring."""
    descriptions = {}
    for path in sorted(FOLDER.glob("[!_]*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body):
            descriptions[path.stem] = (ast.get_docstring(tree) or "").partition("\n")[0]
    return descriptions


def main(argv: list[str]) -> int:
    """Run the benchmark that ``argv[0]`` names with the other arguments; return the exit status."""
    descriptions = list_benchmarks()
    if not argv or argv[0] in ("-h", "--help"):
        print("usage: python -m benchmarks NAME [args]\n")
        width = max(map(len, descriptions), default=0)
        for name, line in descriptions.items():
            print(f"  {name:<{width}}  {line}")
        return 0
    name, *rest = argv
    if name not in descriptions:
        close = difflib.get_close_matches(name, descriptions, n=1)
        hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join(descriptions)}."
        print(f"benchmarks: no benchmark is called {name!r}. {hint}", file=sys.stderr)
        return 2
    try:
        return importlib.import_module(f"benchmarks.{name}").main(rest) or 0
    except SideFailed as error:  # it has said why by itself
        print(f"benchmarks: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
