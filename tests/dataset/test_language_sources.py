"""Datasets of texts in folders: rows as the real MindSpore gives them of the same files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import minispore.dataset as ds
from tests.golden.language_files import CASES, build, read_case

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "language.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    build(folder)
    return folder


def rows(data):
    return [
        [value.tolist() for value in row]
        for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    ]


@pytest.mark.parametrize(
    "number", range(len(CASES)), ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(CASES)]
)
def test_texts_are_those_of_the_real_one_in_its_order(root, number):
    actual, expected = read_case(ds, root, CASES[number]), GOLDEN[number]
    if CASES[number][0] in ("CoNLL2000Dataset", "UDPOSDataset"):
        expected.pop("size", None)  # of the real one: lines
        assert actual.pop("size", None) in (None, len(actual.get("rows", ())))
    assert actual == expected


@pytest.mark.parametrize(
    ("name", "part", "missing"),
    [
        ("AGNewsDataset", "all", "train.csv, test.csv for usage='all'"),
        ("YelpReviewDataset", "all", "train.csv, test.csv for usage='all'"),
        ("PennTreebankDataset", "valid", "ptb.valid.txt for usage='valid'"),
        ("SST2Dataset", None, "train.tsv for usage='train'"),
        ("SQuADDataset", "dev", "dev-v1.1.json or dev-v2.0.json for usage='dev'"),
    ],
)
def test_the_file_that_a_folder_lacks_is_named(tmp_path, name, part, missing):
    with pytest.raises(RuntimeError) as raised:
        getattr(ds, name)(str(tmp_path), part)
    assert f"{name}: dataset_dir must hold {missing}, got {str(tmp_path)!r}" in str(raised.value)


def test_usage_all_needs_only_the_files_that_mindspore_needs(tmp_path):
    (tmp_path / "test.csv").write_text("1,a,b\n")
    assert rows(ds.DBpediaDataset(str(tmp_path))) == [["1", "a", "b"]]
    with pytest.raises(RuntimeError, match=r"must hold train\.csv for"):
        ds.AGNewsDataset(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "columns", "first"),
    [
        ("AGNewsDataset", 3, "test"),
        ("AmazonReviewDataset", 3, "test"),
        ("DBpediaDataset", 3, "test"),
        ("SogouNewsDataset", 3, "train"),
        ("YahooAnswersDataset", 4, "test"),
        ("YelpReviewDataset", 2, "train"),
    ],
)
def test_both_parts_of_a_corpus_come_in_the_order_of_the_real_one(tmp_path, name, columns, first):
    for part in ("train", "test"):
        (tmp_path / f"{part}.csv").write_text(",".join([f'"{part}"'] * columns) + "\n")
    actual = rows(getattr(ds, name)(str(tmp_path), "all", shuffle=False))
    assert [row[0] for row in actual] == sorted(["train", "test"], reverse=first == "train")


def test_a_shard_of_texts_has_its_rows_whole_whatever_line_ends_they_have(root):
    first, second = (
        rows(ds.AGNewsDataset(str(root / "agnews"), "train", None, 1, False, 2, shard))
        for shard in (0, 1)
    )
    whole = rows(ds.AGNewsDataset(str(root / "agnews"), "train", shuffle=False))
    assert first == whole[:3] and second == [*whole[3:], whole[0]]


def test_an_empty_line_of_an_encyclopedia_is_a_row_that_its_size_counts(tmp_path):
    (tmp_path / "enwik9").write_text("<page>\n\n  end\n")
    data = ds.EnWik9Dataset(str(tmp_path), shuffle=False)
    assert len(data) == 3 and rows(data) == [["<page>"], [""], ["  end"]]


@pytest.mark.parametrize(
    ("text", "told_of"),
    [
        ("x", "must be JSON as SQuAD has it"),
        ("[]", "must be JSON as SQuAD has it"),
        ('{"data": [{"paragraphs": [{"qas": []}]}, {}]}', "must have 'paragraphs' in each entry"),
        (
            '{"data": [{"paragraphs": [{"context": "", "qas": [{"question": "", "answers": '
            '[{"text": "", "answer_start": -7}]}]}]}]}',
            "must be JSON as SQuAD has it",
        ),
    ],
)
def test_questions_in_another_form_are_refused(tmp_path, text, told_of):
    (tmp_path / "dev-v1.1.json").write_text(text)
    with pytest.raises(RuntimeError, match=told_of):
        len(ds.SQuADDataset(str(tmp_path), "dev"))


def test_phrases_begin_with_the_names_of_their_columns(tmp_path):
    (tmp_path / "train.tsv").write_text("a fine film\t1\n")
    with pytest.raises(RuntimeError, match=r"must start with the names \['sentence', 'label'\]"):
        len(ds.SST2Dataset(str(tmp_path)))


@pytest.mark.parametrize(
    ("arguments", "kind", "told_of"),
    [
        ({"usage": "dev"}, ValueError, "usage must be 'train', 'test' or 'all', got 'dev'"),
        ({"usage": 3}, TypeError, "usage must be a str, got 3"),
        ({"shuffle": 3}, TypeError, "shuffle must be a bool or a Shuffle, got 3"),
        ({"num_samples": -1}, ValueError, "num_samples"),
        ({"num_shards": 2}, RuntimeError, "num_shards and shard_id must be given together"),
        ({"num_shards": 2, "shard_id": 2}, ValueError, "shard_id must be less than num_shards=2"),
        ({"num_parallel_workers": 0}, ValueError, "num_parallel_workers"),
        ({"dataset_dir": "none"}, ValueError, "dataset_dir must be a folder, got 'none'"),
        ({"dataset_dir": 3}, TypeError, "dataset_dir must be a str, got 3"),
    ],
)
def test_an_argument_that_texts_cannot_take_is_named(root, arguments, kind, told_of):
    with pytest.raises(kind, match=told_of):
        ds.AGNewsDataset(**{"dataset_dir": str(root / "agnews"), **arguments})


def test_a_sentence_ends_at_an_empty_line_or_the_end_of_the_file(tmp_path):
    (tmp_path / "train.txt").write_bytes(b"\n\na b c\r\nd e f\r\n\r\n\n\ng h i j")
    data = ds.CoNLL2000Dataset(str(tmp_path), "train", shuffle=False)
    assert rows(data) == [[["a", "d"], ["b", "e"], ["c", "f"]], [["g"], ["h"], ["i"]]]
    assert len(data) == 2
    (tmp_path / "train.txt").write_bytes(b"")
    assert len(ds.CoNLL2000Dataset(str(tmp_path), "train", shuffle=False)) == 0


def test_a_word_without_its_tags_is_refused(tmp_path):
    (tmp_path / "en-ud-tag.v2.train.txt").write_text("a\tb\tc\n\nd\te\n\n")
    data = ds.UDPOSDataset(str(tmp_path), "train", shuffle=False)
    text = r"byte 7 must have word, universal, stanford in each line, got 'd\\te'"
    with pytest.raises(RuntimeError, match=text):
        rows(data)


def test_a_text_wants_a_translation_of_each_line(tmp_path):
    (tmp_path / "training").mkdir()
    (tmp_path / "training/train.en").write_text("a\nb\n")
    with pytest.raises(RuntimeError, match=r"train\.de must be readable"):
        ds.Multi30kDataset(str(tmp_path), "train")
    (tmp_path / "training/train.de").write_text("c\n")
    with pytest.raises(RuntimeError, match=r"train\.de must have as many sentences .*, 2, got 1"):
        ds.Multi30kDataset(str(tmp_path), "train")


def test_talks_leave_their_folder_as_it_is(root):
    before = sorted((root / "iwslt16").rglob("*"))
    assert len(ds.IWSLT2016Dataset(str(root / "iwslt16"))) == 6
    assert sorted((root / "iwslt16").rglob("*")) == before
