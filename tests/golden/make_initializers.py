"""Make tests/golden/initializers.npz: python tests/golden/make_initializers.py, with MindSpore.

Of 10^5 draws of each case in tests/nn/initializer_cases.py it keeps the quantiles.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    import mindspore as ms

    sys.path.insert(0, str(ROOT))
    from tests.nn.initializer_cases import CASES, STEPS, drawn, name

    ms.set_seed(1)
    at = np.linspace(0, 1, STEPS + 1)
    found = {
        name(case, shape): np.quantile(drawn(ms, case, shape), at).astype(np.float32)
        for case, shape in CASES
    }
    np.savez_compressed(Path(__file__).parent / "initializers.npz", **found)
    print(len(found), "distributions")


if __name__ == "__main__":
    main()
