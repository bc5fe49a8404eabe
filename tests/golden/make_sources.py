"""Make sources.json and language.json in tests/golden with the real MindSpore:
python tests/golden/make_sources.py
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.golden import language_files, source_files  # noqa: E402  the path comes first

if __name__ == "__main__":
    import mindspore.dataset as ds

    for files, outcome, name in (
        (source_files, source_files.outcome, "sources.json"),
        (language_files, language_files.read_case, "language.json"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            files.build(Path(folder))
            outcomes = [outcome(ds, Path(folder), case) for case in files.CASES]
        text = "[\n" + ",\n".join(json.dumps(one) for one in outcomes) + "\n]\n"
        Path(__file__).with_name(name).write_text(text)
