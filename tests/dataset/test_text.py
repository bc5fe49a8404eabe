"""Text: words, their numbers, and the transforms between them, against MindSpore's answers."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore.dataset import text, transforms
from minispore.dataset.text.normal import ElementwiseText
from tests.golden.text_cases import answer_question, questions

GOLDEN = Path(__file__).parents[1] / "golden" / "text.json"
ANSWERS: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))
_Questions = dict[str, Callable[[], Any]]


@pytest.fixture(scope="module")
def ours() -> Iterator[_Questions]:
    with tempfile.TemporaryDirectory() as folder:
        yield dict(questions(ms, ds, text, Path(folder)))


def test_golden_text_answers_cover_the_same_cases(ours: _Questions) -> None:
    assert [*ours] == [*ANSWERS]


@pytest.mark.parametrize("name", ANSWERS)
def test_text_is_as_in_mindspore(ours: _Questions, name: str) -> None:
    assert json.loads(json.dumps(answer_question(ours[name]))) == ANSWERS[name]


def test_reserved_words_stay_whole_where_cases_are_folded() -> None:
    words = text.BasicTokenizer(lower_case=True)(np.array("[CLS] Deep Sea"))
    assert words.tolist() == ["[CLS]", "deep", "sea"]


def test_a_pipeline_goes_from_texts_to_numbers() -> None:
    vocab = text.Vocab.from_list(["deep", "sea"], ["<pad>", "<unk>"])
    rows = ds.NumpySlicesDataset(["the deep", "deep sea"], "text", shuffle=False)
    rows = rows.map(text.WhitespaceTokenizer(), "text").map(text.Lookup(vocab, "<unk>"), "text")
    results = [
        row[0].tolist() for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)
    ]
    assert results == [[1, 2], [2, 3]]


def test_words_and_their_places_become_columns() -> None:
    rows = ds.NumpySlicesDataset(["é b"], "text", shuffle=False)
    op, columns = text.WhitespaceTokenizer(with_offsets=True), ["word", "begin", "end"]
    rows = rows.map(op, ["text"], columns).project(columns)
    (row,) = rows.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert row["word"].tolist() == ["é", "b"]
    assert (row["begin"].tolist(), row["end"].tolist()) == ([0, 3], [2, 4])


def test_jieba_takes_the_words_of_a_file(tmp_path: Path) -> None:
    [*questions(ms, ds, text, tmp_path)]
    words = tmp_path / "user.txt"
    words.write_text("江大桥 2000000\n", encoding="utf-8")
    jieba = text.JiebaTokenizer(str(tmp_path / "hmm"), str(tmp_path / "dict"), text.JiebaMode.MP)
    jieba.add_dict(str(words))
    assert jieba(np.array("市长江大桥")).tolist() == ["市长", "江大桥"]


def test_tokenizers_with_different_added_words_are_not_equal(tmp_path: Path) -> None:
    [*questions(ms, ds, text, tmp_path)]
    one, two = (text.JiebaTokenizer(str(tmp_path / "hmm"), str(tmp_path / "dict")) for _ in "ab")
    assert one == two and len({one, two}) == 1
    one.add_word("江大桥", 2000000)
    assert one != two and len({one, two}) == 2
    assert transforms.Compose([one]) != transforms.Compose([two])
    two.add_word("江大桥", 2000000)
    assert one == two and hash(one) == hash(two)
    assert one != text.WhitespaceTokenizer()


@pytest.mark.parametrize(
    ("expected", "error", "match"),
    [
        (lambda: text.JiebaTokenizer("lost", "lost"), ValueError, "hmm_path must be a file"),
        (lambda: text.RegexTokenizer("("), RuntimeError, "must be a regular expression"),
        (lambda: text.RegexReplace("(", ""), RuntimeError, "must be a regular expression"),
        (lambda: text.NormalizeUTF8("NFC"), TypeError, "must be a member of NormalizeForm"),
        (lambda: text.Lookup({}), TypeError, "vocab must be a Vocab"),
        (lambda: text.WordpieceTokenizer({}), TypeError, "vocab must be a Vocab"),
        (lambda: text.to_bytes(["a"]), ValueError, "array must be a NumPy array"),
        (lambda: text.to_str(np.array([1])), TypeError, "array must hold text"),
        (lambda: text.AddToken(""), RuntimeError, "token must not be empty"),
        (lambda: text.Vocab.from_list(("a",)), TypeError, "word_list must be a list"),
        (lambda: text.to_str(["a"]), TypeError, "array must be a NumPy array"),
    ],
)
def test_what_is_wrong_is_refused(expected: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        expected()


@pytest.mark.parametrize(
    ("dtype", "word"), [(ms.int8, "x"), (ms.uint8, "3-4"), (ms.float32, "x"), (ms.float16, "")]
)
def test_a_text_that_is_no_number_is_named_as_it_was_written(dtype: Any, word: str) -> None:
    with pytest.raises(RuntimeError, match=f"must be a {dtype.np}: '{word}' begins with no number"):
        text.ToNumber(dtype)(np.array(["1", word]))


@pytest.mark.parametrize(
    "transform", [text.CaseFold(), text.NormalizeUTF8(), text.RegexReplace("a", "b")], ids=repr
)
def test_a_row_without_texts_stays_text(transform: Any) -> None:
    rows = [(np.zeros(shape, "<U3"),) for shape in ((0,), (2, 0))]
    data = ds.GeneratorDataset(rows, ["x"], shuffle=False).map(transform, "x")
    outputs = [row["x"] for row in data.create_dict_iterator(1, output_numpy=True)]
    assert [(x.shape, x.dtype) for x in outputs] == [((0,), np.dtype("<U1")), ((2, 0), "<U1")]


def test_a_text_may_be_no_number_by_name():
    assert np.isnan(text.ToNumber(ms.float32)(np.array(["nan", "-NaN(1)"]))).all()


def test_a_vocab_of_bytes_has_their_texts() -> None:
    words = np.array([word.encode() for word in ("b", "é", "a", "é")])
    data = ds.NumpySlicesDataset({"bytes": words, "str": ["b", "é", "b", "c"]}, shuffle=False)
    assert text.Vocab.from_dataset(data, "bytes").vocab() == {"é": 0, "a": 1, "b": 2}
    assert text.Vocab.from_dataset(data).vocab() == {"b": 0, "é": 1, "a": 2, "c": 3}
    with pytest.raises(RuntimeError, match="special_tokens must not occur in the dataset, got 'a'"):
        text.Vocab.from_dataset(data, "bytes", special_tokens=["a"])


def test_a_vocab_of_bytes_that_are_no_utf_8_is_refused() -> None:
    data = ds.NumpySlicesDataset({"word": np.array([b"a", b"\xff"])}, shuffle=False)
    with pytest.raises(
        RuntimeError, match=r"columns must hold text in UTF-8, got b'\\xff' in 'word'"
    ):
        text.Vocab.from_dataset(data)


@pytest.mark.parametrize(
    ("pattern", "replace", "expected"),
    [
        ("b", "<$0>", "a<b>c<b>"),
        ("(b)", "<$1>", "a<b>c<b>"),
        ("(b)", "$10", "ab0cb0"),
        ("(b)", "\\$1", "a$1c$1"),
        ("b", "\\n", "ancn"),
        ("(?P<n>b)", "<${n}>", "a<b>c<b>"),
        ("", "x", "xaxbxcxbx"),
        ("z", "$7", "abcb"),
    ],
)
def test_what_replaces_a_match_may_name_its_groups(
    pattern: str, replace: str, expected: str
) -> None:
    assert text.RegexReplace(pattern, replace)(np.array("abcb")).item() == expected


@pytest.mark.parametrize("replace", ["$", "$$", "a$", "$2", "${1}", "$a"])
def test_an_unknown_group_in_replace_is_refused(replace: str) -> None:
    with pytest.raises(RuntimeError, match="replace must name groups of pattern"):
        text.RegexReplace("(b)", replace)(np.array("abcb"))


def test_a_pattern_that_matches_nothing_parts_all_characters() -> None:
    for pattern in ("", "z*", r"\s*"):
        assert text.RegexTokenizer(pattern)(np.array("abcb")).tolist() == ["a", "b", "c", "b"]
    assert text.RegexTokenizer("b|")(np.array("abcb")).tolist() == ["a", "c"]


def test_bytes_are_no_text() -> None:
    with pytest.raises(RuntimeError, match="must be text of"):
        text.CaseFold()(np.array(b"abc"))


def test_a_pair_has_one_axis_each() -> None:
    with pytest.raises(RuntimeError, match="both columns must have one axis"):
        text.TruncateSequencePair(2)(np.ones(2), np.ones((2, 2)))


def test_a_transform_without_its_method_names_the_method() -> None:
    with pytest.raises(TypeError, match="must define transform_text"):
        ElementwiseText().transform_row(np.array("deep"))
