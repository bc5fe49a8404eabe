"""Make tests/golden/ops/rare.npz with the real MindSpore: python tests/golden/make_rare.py

Each array is named ``<number of the output> <line of tests/ops/rare_cases.txt>``. What MindSpore
can't do on a CPU is printed and left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    sys.path.insert(0, str(ROOT))
    from tests.ops.rare_cases import CASES, namespace, results

    names = namespace("mindspore")
    actual: dict[str, np.ndarray] = {}
    for case in CASES:
        try:
            output = results(case, names)
        except Exception as exc:
            print(f"left out: {case}: {type(exc).__name__} {str(exc).strip()[:80]!r}")
            continue
        actual.update({f"{n} {case}": a for n, a in enumerate(output)})
    np.savez_compressed(Path(__file__).parent / "ops" / "rare.npz", **actual)
    print(f"{len(actual)} arrays of {len(CASES)} cases")


if __name__ == "__main__":
    main()
