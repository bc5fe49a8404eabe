"""Write ``text.json``: what MindSpore answers to the questions of ``text_cases.py``.

Run where MindSpore is: ``python tests/golden/make_text.py``.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

if __name__ == "__main__":
    import mindspore
    from mindspore import dataset
    from mindspore.dataset import text
    from text_cases import asked, questions

    with tempfile.TemporaryDirectory() as folder:
        made = {n: asked(q) for n, q in questions(mindspore, dataset, text, Path(folder))}
    told = ",\n".join(
        f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in made.items()
    )
    (HERE / "text.json").write_text(f"{{\n{told}\n}}\n", encoding="utf-8")
