"""Ask vectors of words, MindSpore's (``make_text.py``) and ours, the same questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

FILES = {
    "plain": "ok 1 2 3.5\nOk -1 1e-3 0\n! 4 5 6\nok 7 8 9\n",
    "with a head": "2 3\na 1 2 3\nb 4 5 6\n",
    "with blanks at the end": "a 1 2 3 \nb 4 5 6 \n",
    "of Windows": "a 1 2\r\nb 3 4\r\n",
    "without a last line end": "a 1 2\nb 3 4",
    "of large numbers": "a 1e60 -inf\nb nan 0.1\n",
    "empty": "",
    "of a head": "5 3\n",
    "of single numbers": "a 1\nb 2\n",
    "with tabs": "a\t1\t2\n",
    "with an empty line": "a 1 2\n\nb 3 4\n",
    "of several lengths": "a 1 2\nb 3\n",
    "with two blanks": "a  1 2\nb 3 4\n",
}
PARTS = (
    "#BEGIN# 9 9\n2gram-#BEGIN#h 1 2\n2gram-he 3 4\n2gram-ey 5 6\n1gram-h 10 20\n3gram-hey 7 9\n"
    "4gram-hey#END# 1 1\n2gram-y#END# 2 2\n3gram-#BEGIN#he 100 0\nhey 8 8\n2gram-H#END# 30 0\n"
    "5gram-#BEGIN#hey#END# 5 0\n4gram-#BEGIN#hey 6 0\n3gram-ey#END# 0.5 0.25\n"
)
WORDS = ["ok", "OK", "Ok", "!", "a", "b", "zz"]


def questions(text: Any, folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield each question with its name."""
    kinds = {"Vectors": "{}.txt", "GloVe": "glove.6B.{}.txt", "FastText": "{}.vec"}
    of = text.ToVectors
    for kind, pattern in kinds.items():
        read = getattr(text, kind).from_file
        for name, content in FILES.items():
            path = folder / pattern.format(name)
            path.write_text(content, encoding="utf-8", newline="\n")
            yield f"{kind} {name}", lambda p=str(path), r=read: of(r(p))(WORDS)
    plain = str(folder / "plain.txt")
    for most in (0, 1, 2, 3, 99, -1, True, 1.5, 2**31):
        yield f"at most {most}", lambda n=most: of(text.Vectors.from_file(plain, n))(WORDS)
    for unknown in ([1, 2, 3], (1.5, 2, 3), [], [1, 2], ["a", "b", "c"], [True, 1, 2], 3):
        yield f"unknown {unknown}", lambda u=unknown: of(text.Vectors.from_file(plain), u)(WORDS)
    cased = ["ok", "OK", "oK", "!", "zz"]
    for lower in (True, False, 1):
        options = {"unk_init": [7, 7, 7], "lower_case_backup": lower}
        yield f"lower {lower}", lambda m=options: of(text.Vectors.from_file(plain), **m)(cased)
    inputs = ("ok", ["ok"], [["ok", "Ok"], ["!", "x"]], [[["ok"]]], 1, [1, 2])
    for x in inputs:
        yield f"given {x}", lambda x=x: of(text.Vectors.from_file(plain))(np.array(x))
    yield "vectors of nothing", lambda: of(3)
    yield "vectors of a vocab", lambda: of(text.Vocab.from_list(["a"]))
    for kind, path in (
        ("Vectors", str(folder / "lost.txt")),
        ("Vectors", ""),
        ("Vectors", 3),
        ("GloVe", plain),
        ("GloVe", str(folder / "plain.vec")),
        ("FastText", plain),
    ):
        name = path if not isinstance(path, str) else Path(path).name
        yield f"{kind} of {name}", lambda k=kind, p=path: getattr(text, k).from_file(p)
    parts = folder / "parts.txt"
    parts.write_text(PARTS)
    message = str(parts)
    words = ["hey", "h", "he", "", "xyz", "Hey", "heyhey", "#BEGIN#", "H", "HEY"]
    yield "parts", lambda: of(text.CharNGram.from_file(message), [7, 7])(words)
    low = ["hey", "h", "xyz", "HEY"]
    yield "parts in lower case", lambda: of(text.CharNGram.from_file(message), [7, 7], True)(low)
    yield "few parts", lambda: of(text.CharNGram.from_file(message, 3))(words)
