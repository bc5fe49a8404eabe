"""Make tests/golden/ops/*.npz with the real MindSpore: python tests/golden/make_ops.py

Each array is named ``<number of the output> <expression>``; the expressions stand in
tests/ops/golden_cases.py. What MindSpore can't do on a CPU is left out and printed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "ops"


def main() -> None:
    import mindspore as ms

    sys.path.insert(0, str(ROOT))
    from tests.ops.golden_cases import CASES, inputs, namespace, results

    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    arrays: dict[str, np.ndarray] = {}
    for case in CASES:
        try:
            outputs = results(eval(case, namespace(ms, inputs())))
        except Exception as exc:
            print(f"left out: {case}: {type(exc).__name__} {str(exc).strip()[:80]!r}")
            continue
        arrays.update({f"{n} {case}": a for n, a in enumerate(outputs)})
    FOLDER.mkdir(exist_ok=True)
    np.savez_compressed(FOLDER / "arrays.npz", **arrays)
    print(f"{len(arrays)} arrays of {len(CASES)} cases")


if __name__ == "__main__":
    main()
