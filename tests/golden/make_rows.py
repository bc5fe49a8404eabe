"""Make tests/golden/rows.json: python tests/golden/make_rows.py, with MindSpore."""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.golden.row_cases import GOLDEN, table  # noqa: E402  the path comes first

if __name__ == "__main__":
    import mindspore as ms

    tables = {case: table(ms, *case.split(": "), ms.GRAPH_MODE) for case in GOLDEN}
    text = ",\n".join(
        f"{json.dumps(case)}: {json.dumps(output)}" for case, output in tables.items()
    )
    Path(__file__).with_name("rows.json").write_text(f"{{\n{text}\n}}\n")
