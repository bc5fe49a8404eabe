"""Make tests/golden/losses.json: python tests/golden/make_losses.py, with MindSpore."""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.golden.loss_cases import CASES, losses  # noqa: E402  the path comes first

if __name__ == "__main__":
    import mindspore as ms
    import mindspore.dataset

    losses_by_case = {case: losses(ms, case, ms.PYNATIVE_MODE) for case in CASES}
    text = ",\n".join(
        f"{json.dumps(case)}: {json.dumps(output)}" for case, output in losses_by_case.items()
    )
    Path(__file__).with_name("losses.json").write_text(f"{{\n{text}\n}}\n")
