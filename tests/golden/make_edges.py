"""Make tests/golden/edges/<oracle>.npz: python tests/golden/make_edges.py mindspore (or: torch)

Run with an interpreter that has the oracle. Each case of tests/ops/edge_cases.py is its value and
its gradients by each input, named ``<number> <case>``; the compositions are one array each. What an
oracle can't do on a CPU is left out and printed.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "edges"


def main(oracle: str) -> None:
    module = importlib.import_module(oracle)
    sys.path.insert(0, str(ROOT))
    from tests.ops import edge_cases

    ask = edge_cases.pytorch if oracle == "torch" else edge_cases.ours
    if oracle == "mindspore":
        module.set_context(mode=module.PYNATIVE_MODE, device_target="CPU")
    actual: dict[str, np.ndarray] = {}
    for case in edge_cases.cases():
        if oracle == "torch" and not case.torch:
            continue
        try:
            output = ask(module, case)
        except Exception as exc:
            print(f"left out: {case}: {type(exc).__name__} {str(exc).strip()[:80]!r}")
            continue
        actual.update({f"{n} {case}": a for n, a in enumerate(output)})
    print(len(actual), "arrays")
    FOLDER.mkdir(exist_ok=True)
    np.savez_compressed(FOLDER / f"{oracle}.npz", **actual)
    pairs: dict[str, np.ndarray] = {}
    for case in edge_cases.compositions():
        try:
            pairs[case.of] = ask(module, case)[1]
        except Exception as exc:
            print(f"left out: {case}: {type(exc).__name__} {str(exc).strip()[:80]!r}")
    print(len(pairs), "compositions")
    # one array for all: an archive of thousands of members is mostly their names
    names = np.array(list(pairs))
    np.savez_compressed(
        FOLDER / f"{oracle}_compositions.npz", names=names, slopes=np.stack(list(pairs.values()))
    )


if __name__ == "__main__":
    main(sys.argv[1])
