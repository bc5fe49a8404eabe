"""Make tests/golden/nn/*.npz with the real MindSpore: python tests/golden/make_nn.py [kind ...]

Each array is named ``<case>: <what>``; the cases stand in tests/nn/golden_cases.py. What MindSpore
can't do on a CPU is left out and printed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "nn"


def main() -> None:
    import mindspore as ms

    sys.path.insert(0, str(ROOT))
    from tests.nn.golden_runs import RUNS, title

    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    FOLDER.mkdir(exist_ok=True)
    for kind in sys.argv[1:] or RUNS:
        run, cases = RUNS[kind]
        actual: dict[str, np.ndarray] = {}
        for case in cases:
            try:
                output = run(ms, case)
            except Exception as exc:
                print(f"left out: {title(case)}: {type(exc).__name__} {str(exc).strip()[:150]!r}")
                continue
            actual.update({f"{title(case)}: {what}": a for what, a in output.items()})
        np.savez_compressed(FOLDER / f"{kind}.npz", **actual)
        print(f"{kind}: {len(actual)} arrays of {len(cases)} cases")


if __name__ == "__main__":
    main()
