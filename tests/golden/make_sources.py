"""Make tests/golden/sources.json with the real MindSpore: python tests/golden/make_sources.py"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.golden.source_files import CASES, build, outcome  # noqa: E402  the path comes first

if __name__ == "__main__":
    import mindspore.dataset as ds

    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        found = []
        for case in CASES:
            found.append(outcome(ds, Path(folder), case))
    text = "[\n" + ",\n".join(json.dumps(one) for one in found) + "\n]\n"
    Path(__file__).with_name("sources.json").write_text(text)
