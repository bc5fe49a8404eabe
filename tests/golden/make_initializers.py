"""Make tests/golden/initializers.npz: python tests/golden/make_initializers.py, with MindSpore.

Under one seed it keeps some of what each case of tests/nn/initializer_cases.py draws, and the
weights that the layers there begin with.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    import mindspore as ms

    sys.path.insert(0, str(ROOT))
    from tests.nn.initializer_cases import CASES, LAYERS, drawn, name, some, weights

    results_by_name = {name(case, shape): some(drawn(ms, case, shape)) for case, shape in CASES}
    for layer in LAYERS:
        for i, weight in enumerate(weights(ms, layer)):
            results_by_name[f"{layer} {i}"] = weight
    np.savez_compressed(Path(__file__).parent / "initializers.npz", **results_by_name)
    print(len(results_by_name), "arrays")


if __name__ == "__main__":
    main()
