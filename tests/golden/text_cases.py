"""Ask the transforms of text, MindSpore's (``make_text.py``) and ours, the same questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

TEXTS = [
    "Welcome to Beijing!",
    "床前明月光",
    "  spaces \t here\n",
    "ﬁsh Straße ÉCOLE ΣΑΣ",
    "[CLS]Deep Sea 2nd,[SEP] Überblick don't",
    "我爱Python 3.5 编程。今天天气太好了我们一起去外面玩吧",
    "a",
    "",
    "男默女泪市长江大桥",
    "Ⅷ №½ İI ß\u200b x\u00a0y",
]
WORDS = [
    *("床", "前", "明", "月", "光", "deep", "sea", "##er", "un", "##want", "##ed", "runn", "##ing"),
    *("我", "爱", "[CLS]", "2", "##nd"),
]
DICTIONARY = """编程 50 n
今天 300 t
天气 120 n
我们 900 r
一起 200 d
外面 80 f
长江 100 ns
大桥 90 n
长江大桥 60 ns
市长 150 n
我 1000 r
爱 200 v
去 500 v
玩 90 v
吧 80 y
好 300 a
了 2000 u
太 100 d
"""
MODEL = """#start
-0.26 -3.14e+100 -3.14e+100 -1.46
#between
-3.14e+100 -0.51 -0.91 -3.14e+100
-0.58 -3.14e+100 -3.14e+100 -0.80
-3.14e+100 -0.33 -1.26 -3.14e+100
-0.72 -3.14e+100 -3.14e+100 -0.66
#shown
男:-4.0,女:-4.5,市:-5.0,江:-6.0,床:-7.0,前:-6.1,太:-5.5,明:-6.0
默:-6.0,泪:-5.0,长:-5.5,光:-5.1,好:-4.9,月:-5.2
默:-5.0,女:-5.5,大:-6.0,明:-6.5
我:-3.0,爱:-4.0,去:-4.1,玩:-5.0,吧:-3.3,了:-2.2,月:-5.9
"""
LINES = "w1,foo\nw2\nw3,x\n\nw4\n"

PAGES = (
    "Welcome    to    China", "!!!", "#REDIRECT [[Deep sea]]", "x #redirect", "it's 3.14é",
    "<text xml:space=\"preserve\">[[Deep|deep]] sea {{x}} 1872</text>",
    "a &amp; b &lt;i&gt; c & d", "a<b\n>c <d>e<f> g",
)  # fmt: skip


def to_json_value(actual: Any) -> Any:
    """Return a result in a form that JSON can hold."""
    if isinstance(actual, tuple):
        return [to_json_value(x) for x in actual]
    if isinstance(actual, np.ndarray):
        if actual.dtype.kind == "S":
            actual = np.char.decode(actual)
        return [actual.dtype.kind, list(actual.shape), actual.tolist()]
    return actual


def answer_question(question: Callable[[], Any]) -> Any:
    """Return the answer, or the kind of exception: of several, the one that Python has."""
    try:
        return to_json_value(question())
    except Exception as error:
        kinds = (RuntimeError, TypeError, ValueError)
        return "!" + next((k.__name__ for k in kinds if isinstance(error, k)), repr(error))


def questions(ms: Any, ds: Any, text: Any, folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield each question with its name."""
    files = {"words.txt": LINES, "twice.txt": "w1\nw1\n", "dict": DICTIONARY, "hmm": MODEL}
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    yield from _ask_tokenizers(text, folder)
    yield from _ask_sequences(ms, text)
    yield from _ask_vocabularies(ds, text, folder)


def _ask_tokenizers(text: Any, folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    vocab, none = text.Vocab.from_list(WORDS), text.utils.NormalizeForm.NONE
    hmm, words = str(folder / "hmm"), str(folder / "dict")
    for i, t in enumerate(map(np.array, TEXTS)):
        for to in (False, True):  # with offsets
            options = {
                "characters": text.UnicodeCharTokenizer(to),
                "white space": text.WhitespaceTokenizer(to),
                "scripts": text.UnicodeScriptTokenizer(False, to),
                "scripts kept": text.UnicodeScriptTokenizer(True, to),
                "pattern": text.RegexTokenizer("[ ,!]", "[,!]", to),
                "nfkc": text.BasicTokenizer(False, False, text.utils.NormalizeForm.NFKC, True, to),
                "bert": text.BertTokenizer(vocab, "##", 100, "[UNK]", True, False, none, False, to),
                "bert kept": text.BertTokenizer(vocab, "##", 9, "", False, True, none, True, to),
            }
            for lower, space, reserved in ((0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 1, 0)):
                flags = (bool(lower), bool(space), none, bool(reserved), to)
                options[f"basic {lower}{space}{reserved}"] = text.BasicTokenizer(*flags)
            for mode in ("MIX", "MP", "HMM"):
                kind = getattr(text.JiebaMode, mode)
                options[f"jieba {mode}"] = text.JiebaTokenizer(hmm, words, kind, to)
            for name, op in options.items():
                yield f"{name} {i} {to}", lambda op=op, t=t: op(t)
        each = {"fold": text.CaseFold(), "replace": text.RegexReplace("[aeiou]", "_")}
        each["replace once"] = text.RegexReplace("([aeiou])", "<$1>", False)
        for form in ("NONE", "NFC", "NFKC", "NFD", "NFKD"):
            each[form] = text.NormalizeUTF8(getattr(text.utils.NormalizeForm, form))
        for name, op in each.items():
            yield f"{name} {i}", lambda op=op, t=t: op(t)

    def make_tokenizer(freq: int | None) -> Any:
        jieba = text.JiebaTokenizer(hmm, words, text.JiebaMode.MP)
        jieba.add_word("江大桥", freq)
        return jieba(np.array("男默女泪市长江大桥"))

    scripts = text.UnicodeScriptTokenizer(True, True)
    for block in range(0, 0x32000, 0x800):
        some = "".join(map(chr, range(max(block, 1), block + 0x800)))
        if not 0xD800 <= block < 0xE000:  # halves of characters
            yield f"scripts of {block:#x}", lambda some=some: crc32(scripts(np.array(some))[1])
    space = text.WhitespaceTokenizer(True)
    control = "".join(f"a{chr(i)}" for i in range(1, 0x100)) + "a\u1680a\u180ea\u2028a\u200ba\ufeff"
    yield "all white space", lambda: space(np.array(control))
    wiki = text.FilterWikipediaXML()
    for i, page in enumerate(PAGES):
        yield f"wikipedia {i}", lambda page=page: wiki(np.array(page))
    yield "wikipedia numbers", lambda: wiki(np.array([1, 2]))
    yield "jieba with a word", lambda: make_tokenizer(None)
    yield "jieba with a frequent word", lambda: make_tokenizer(2000000)
    for row in ("unwanted running sea xyz", "床 deeper"):
        for to in (False, True):
            for unknown in ("[UNK]", ""):
                op = text.WordpieceTokenizer(vocab, "##", 100, unknown, to)
                yield f"pieces {row} {to} {unknown}", lambda op=op, r=row: op(np.array(r.split()))
    for unknown in ("[UNK]", ""):
        short = text.WordpieceTokenizer(vocab, "##", 3, unknown, True)
        some = np.array(["unwanted", "sea", "日本", "xy"])
        yield f"pieces of three bytes {unknown}", lambda op=short, some=some: op(some)
    yield "python", lambda: text.PythonTokenizer(str.split)(np.array("a bc d"))
    yield "python rows", lambda: text.PythonTokenizer(list)(np.array(["ab", "cd"]))
    yield "no function", lambda: text.PythonTokenizer(3)


def _ask_sequences(ms: Any, text: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    array, vocab = np.array, text.Vocab.from_list(["a", "b"])
    for name, op, x in (
        ("lookup", lambda: text.Lookup(vocab, "a"), [["b", "x"], ["a", "b"]]),
        ("lookup int64", lambda: text.Lookup(vocab, "a", ms.int64), "b"),
        ("lookup float32", lambda: text.Lookup(vocab, "a", ms.float32), "b"),
        ("lookup text", lambda: text.Lookup(vocab, "a", ms.string), "b"),
        ("lookup of the unknown", lambda: text.Lookup(vocab), "c"),
        ("lookup by the unknown", lambda: text.Lookup(vocab, "zz"), "a"),
        ("lookup of numbers", lambda: text.Lookup(vocab, "a"), [1, 2]),
        ("3-grams of one", lambda: text.Ngram([3, 1]), ["a"]),
        ("0-grams", lambda: text.Ngram(0), ["a"]),
        ("no grams", lambda: text.Ngram([]), ["a"]),
        ("grams, padded by -1", lambda: text.Ngram(2, ("_", -1)), ["a"]),
        ("grams, half padded", lambda: text.Ngram(2, ("_",)), ["a"]),
        ("grams of rows", lambda: text.Ngram(2), [["a", "b"]]),
        ("window of 0", lambda: text.SlidingWindow(0), [1]),
        ("window on axis 1", lambda: text.SlidingWindow(1, 1), [1]),
        ("window of rows", lambda: text.SlidingWindow(1), [[1]]),
        ("to bool", lambda: text.ToNumber(ms.bool_), ["1"]),
        ("to text", lambda: text.ToNumber(ms.string), ["1"]),
        ("cut to 0", lambda: text.Truncate(0), [1]),
        ("cut one", lambda: text.Truncate(1), 1),
        ("cut three axes", lambda: text.Truncate(1), [[[1]]]),
    ):
        yield name, lambda op=op, x=x: op()(array(x))
    for n in (1, 2, [1, 2], [3], [4, 2]):
        for left in (("", 0), ("_", 1), ("_", 5)):
            for right in (("", 0), ("+", 2)):
                op = text.Ngram(n, left, right, "-")
                yield f"grams {n} {left} {right}", lambda op=op: op(array(["a", "b", "c"]))
    for n in (1, 2, 3, 4, 9):
        yield f"window {n}", lambda n=n: text.SlidingWindow(n)(array([1, 2, 3]))
        yield f"window -1 {n}", lambda n=n: text.SlidingWindow(n, -1)(array(["a", "b", "c"]))
        yield f"cut {n}", lambda n=n: text.Truncate(n)(array(["a", "b", "c"]))
        yield f"cut rows {n}", lambda n=n: text.Truncate(n)(array([[1, 2, 3], [4, 5, 6]]))
    for n in range(7):
        pair = text.TruncateSequencePair(n)
        yield f"pair {n}", lambda p=pair: p(array(["a", "b", "c"]), array(["d", "e"]))
        yield f"other pair {n}", lambda p=pair: p(array([1]), array([4, 5, 6, 7]))
    numbers = (
        "22",
        "-3",
        "1.5",
        "300",
        "abc",
        "1e3",
        " 4",
        "",
        "1_000",
        "2.7abc",
        "0x1.8p1",
        "-0X1f",
    )
    unusual = (
        "0x",
        "1e",
        "1,5",
        "\u0661",
        "1e-50",
        "1e-400",
        "inf",
        "e5",
        ".",
        "+.5e1x",
        "70000",
        "1e400",
    )
    for kind in ("int8", "uint8", "int64", "uint64", "float16", "float32", "float64"):
        for inputs in (*numbers, *unusual):
            op = text.ToNumber(getattr(ms, kind))
            yield f"{kind} {inputs}", lambda op=op, values=inputs: op(array([values]))
    for first in (True, False):
        for name, x in (("", ["a", "bcdef"]), (" rows", [["a", "b"], ["c", "d"]]), (" one", "a")):
            op = text.AddToken("TOK", first)
            yield f"token {first}{name}", lambda op=op, x=x: op(array(x))


def _ask_vocabularies(ds: Any, text: Any, folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    vocab, lines = text.Vocab, str(folder / "words.txt")
    two = vocab.from_dict({"x": 3, "y": 5})

    def of(*args: Any) -> Any:
        letters = {"t": [*"bacbccZé"], "u": [*"qqarstuv"]}
        return vocab.from_dataset(ds.NumpySlicesDataset(letters, shuffle=False), *args).vocab()

    yield from {
        "list": lambda: vocab.from_list(["x", "y"], ["<u>"], True).vocab(),
        "list, special last": lambda: vocab.from_list(["x", "y"], ["<u>"], False).vocab(),
        "list, twice": lambda: vocab.from_list(["x", "x"]),
        "list, special twice": lambda: vocab.from_list(["x"], ["u", "u"]),
        "list, both": lambda: vocab.from_list(["x"], ["x"]),
        "no list": lambda: vocab.from_list("x"),
        "list, no text": lambda: vocab.from_list(["x", 1]),
        "dict": two.vocab,
        "dict, negative": lambda: vocab.from_dict({"x": -3}),
        "dict, no number": lambda: vocab.from_dict({"x": "3"}),
        "words": lambda: two.ids_to_tokens([3, 4, 5]),
        "word": lambda: two.ids_to_tokens(5),
        "words, array": lambda: two.ids_to_tokens(np.array([5, 3])),
        "words, one": lambda: two.ids_to_tokens([5]),
        "words, negative": lambda: two.ids_to_tokens(-1),
        "words, no number": lambda: two.ids_to_tokens("x"),
        "numbers": lambda: two.tokens_to_ids(["y", "q"]),
        "number": lambda: two.tokens_to_ids("y"),
        "numbers, one": lambda: two.tokens_to_ids(["y"]),
        "numbers, no text": lambda: two.tokens_to_ids([1]),
        "nothing": lambda: vocab().vocab(),
        "file": lambda: vocab.from_file(lines).vocab(),
        "file, parted": lambda: vocab.from_file(lines, ",", None, ["<u>"], True).vocab(),
        "file, two": lambda: vocab.from_file(lines, ",", 2, ["<u>"], False).vocab(),
        "file, none": lambda: vocab.from_file(lines, ",", 0),
        "file, many": lambda: vocab.from_file(lines, ",", 99).vocab(),
        "file, lost": lambda: vocab.from_file(str(folder / "lost.txt")),
        "file, twice": lambda: vocab.from_file(str(folder / "twice.txt")),
        "dataset": lambda: of("t"),
        "dataset, columns": lambda: of(["t", "u"]),
        "dataset, all": lambda: of(),
        "dataset, range": lambda: of("t", (2, 3)),
        "dataset, at most": lambda: of("t", (None, 2)),
        "dataset, at least": lambda: of("t", (2, None)),
        "dataset, two": lambda: of("t", None, 2),
        "dataset, special": lambda: of("t", None, 2, ["<p>"], True),
        "dataset, special last": lambda: of("t", None, 2, ["<p>"], False),
        "dataset, special within": lambda: of("t", None, 2, ["a"], False),
        "dataset, lost column": lambda: of("zz"),
        "dataset, no range": lambda: of("t", (3, 2)),
        "dataset, negative range": lambda: of("t", (-1, 2)),
        "dataset, none": lambda: of("t", None, 0),
        "to text": lambda: text.to_str(np.array([b"ab", b"c"])),
        "to bytes": lambda: text.to_bytes(np.array(["ab", "c"])),
    }.items()
