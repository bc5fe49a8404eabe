"""Makes mindspore.npz with the real MindSpore: ``python tests/golden/arguments/make.py``.

Of each line of cases.txt all arrays lie end to end, beside the list of their dtypes and shapes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from cases import ask, calls, templates  # noqa: E402


def main() -> None:
    import mindspore as ms
    import mindspore.numpy as mnp

    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    options: dict[str, np.ndarray] = {}
    for template in templates():
        heads, values = [], []
        for call in calls(template):
            try:
                actual = ask(ms, mnp, call, slopes=template[0] != "~")
            except Exception as exc:
                print(f"left out: {call}: {type(exc).__name__} {str(exc).strip()[:120]!r}")
                continue
            heads.append(f"{call}|" + "|".join(f"{a.dtype} {[*a.shape]}" for a in actual))
            values += [a.astype(np.float32).ravel() for a in actual]
        options[f"heads {template}"] = np.array(heads)
        options[f"values {template}"] = np.concatenate(values)
    np.savez_compressed(FOLDER / "mindspore.npz", **options)
    print(sum(len(a) for name, a in options.items() if name.startswith("heads")), "calls")


if __name__ == "__main__":
    main()
