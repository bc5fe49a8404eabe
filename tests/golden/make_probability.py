"""Make probability.npz with the real MindSpore: python tests/golden/make_probability.py

Each array is named by its case in tests/nn/probability_cases.py; one that MindSpore refuses with an
exception that is part of its interface holds the exception's name. What its CPU can't compute is
left out and printed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    import mindspore as ms

    sys.path.insert(0, str(ROOT))
    from tests.nn.probability_cases import cases, refusals, run

    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU", pynative_synchronize=True)
    actual: dict[str, np.ndarray] = {}
    for case in [*cases(), *refusals()]:
        try:
            actual[case] = run(ms, case)
        except (NotImplementedError, ValueError, TypeError) as exc:
            if "kernel" in str(exc).lower() or "Failed calling" in str(exc):
                print(f"left out: {case}: {str(exc).strip()[:100]!r}")
                continue
            actual[case] = np.array(f"raises {type(exc).__name__}")
            if case not in refusals():
                print(f"raises {type(exc).__name__}: {case}: {str(exc).strip()[:100]!r}")
        except Exception as exc:
            print(f"left out: {case}: {type(exc).__name__} {str(exc).strip()[:100]!r}")
    np.savez_compressed(Path(__file__).parent / "probability.npz", **actual)
    print(f"{len(actual)} of {len([*cases(), *refusals()])} cases")


if __name__ == "__main__":
    main()
