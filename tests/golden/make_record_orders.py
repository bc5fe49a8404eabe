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

from tests.golden.record_orders import build, cases, outcome  # noqa: E402  the path comes first

if __name__ == "__main__":
    import mindspore.dataset as ds

    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        found = [{"case": case, **outcome(ds, Path(folder), case)} for case in cases()]
    text = "[\n" + ",\n".join(json.dumps(one) for one in found) + "\n]\n"
    Path(__file__).with_name("record_orders.json").write_text(text)
