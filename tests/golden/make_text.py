"""Write ``text.json`` and ``vectors.json``: what MindSpore answers to the questions of
``text_cases.py`` and ``vector_cases.py``.

Run where MindSpore is: ``python tests/golden/make_text.py``.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

if __name__ == "__main__":
    import mindspore
    from mindspore import dataset
    from mindspore.dataset import text
    from text_cases import answer_question, questions
    from vector_cases import questions as of_vectors

    with tempfile.TemporaryDirectory() as folder:
        for name, each in (
            ("text", questions(mindspore, dataset, text, Path(folder))),
            ("vectors", of_vectors(text, Path(folder))),
        ):
            answers = {key: answer_question(question) for key, question in each}
            lines = ",\n".join(
                f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in answers.items()
            )
            (FOLDER / f"{name}.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
