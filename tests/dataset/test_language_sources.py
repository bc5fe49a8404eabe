"""Datasets of texts in folders: rows as the real MindSpore gives them of the same files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import minispore.dataset as ds
from tests.golden.language_files import CASES, build, told

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
    assert told(ds, root, CASES[number]) == GOLDEN[number]


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


def test_all_texts_are_those_that_are_there_where_the_real_one_is_content_with_them(tmp_path):
    (tmp_path / "test.csv").write_text("1,a,b\n")
    assert rows(ds.DBpediaDataset(str(tmp_path))) == [["1", "a", "b"]]
    with pytest.raises(RuntimeError, match=r"must hold train\.csv for"):
        ds.AGNewsDataset(str(tmp_path))


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
