"""Make tests/golden/record_orders.json with the real MindSpore, on two cores or more:
python tests/golden/make_record_orders.py
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.golden.record_orders import (  # noqa: E402  the path comes first
    build,
    build_mind,
    cases,
    mind_cases,
    mind_outcome,
    outcome,
)

if __name__ == "__main__":
    import mindspore.dataset as ds

    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        build_mind(Path(folder))
        outcomes = [{"case": case, **outcome(ds, Path(folder), case)} for case in cases()]
        outcomes += [
            {"case": case, **mind_outcome(ds, Path(folder), case)} for case in mind_cases()
        ]
    text = "[\n" + ",\n".join(json.dumps(one) for one in outcomes) + "\n]\n"
    Path(__file__).with_name("record_orders.json").write_text(text)
