"""Makes array_ops.npz with the real MindSpore: ``python tests/golden/make_array_ops.py``."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mindspore as ms
import mindspore.numpy as mnp
import mindspore.ops as ops
import mindspore.ops.operations as primitives
import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from array_ops_cases import arrays, cases, namespace  # noqa: E402


def functions(names: dict[str, Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Each case as a function in a file: MindSpore reads the source of what it differentiates."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases.py"
        lines = [f"def case_{i}():\n    return {case}\n" for i, case in enumerate(cases())]
        path.write_text("\n".join(lines))
        scope = names | {"__name__": "cases"}
        exec(compile(path.read_text(), str(path), "exec"), scope)
        yield from ((case, scope[f"case_{i}"]) for i, case in enumerate(cases()))


def main() -> None:
    """Evaluate every case; those that MindSpore can't run on this machine are named, not kept."""
    names = namespace(ms, ops, primitives, mnp)
    options: dict[str, np.ndarray] = {}
    left_out = []
    for case, run in functions(names):
        try:
            actual = arrays(run())
        except Exception as exc:
            left_out.append(f"{case}: {type(exc).__name__}: {str(exc).splitlines()[0][:120]}")
            continue
        for i, a in enumerate(actual):
            options[f"{case}|{i}"] = a
    np.savez_compressed(FOLDER / "array_ops.npz", **options)
    print(f"{len(cases()) - len(left_out)} of {len(cases())} cases")
    print(*left_out, sep="\n")


if __name__ == "__main__":
    main()
