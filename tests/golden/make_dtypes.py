"""Makes dtypes.json with the real MindSpore: ``python tests/golden/make_dtypes.py``."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import mindspore as ms
import mindspore.numpy as mnp

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from dtype_cases import CASES, DTYPES, namespace, outcome  # noqa: E402


def main() -> None:
    """Evaluate every case for every dtype; what MindSpore refuses is left out."""
    ms.runtime.launch_blocking()  # else an op's error comes with a later one
    options: dict[str, dict[str, Any]] = {}
    for dtype in DTYPES:
        names = namespace(ms, mnp, dtype)
        for case in CASES:
            try:
                options.setdefault(case, {})[dtype] = outcome(case, names)
            except Exception:
                with contextlib.suppress(Exception):
                    ms.runtime.synchronize()
    rows = [f"{json.dumps(case)}: {json.dumps(actual)}" for case, actual in options.items()]
    text = "{\n" + ",\n".join(rows) + "\n}\n"
    (FOLDER / "dtypes.json").write_text(text, encoding="utf-8")
    print(sum(map(len, options.values())), "outcomes of", len(CASES), "cases")


if __name__ == "__main__":
    main()
