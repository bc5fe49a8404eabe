"""Vectors of words, against MindSpore's answers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.dataset import text
from tests.golden.text_cases import answer_question
from tests.golden.vector_cases import questions

GOLDEN = Path(__file__).parents[1] / "golden" / "vectors.json"
ANSWERS = json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    return dict(questions(text, tmp_path_factory.mktemp("vectors")))


def test_golden_vector_answers_cover_the_same_cases(ours):
    assert [*ours] == [*ANSWERS]


@pytest.mark.parametrize("name", ANSWERS)
def test_vectors_are_those_of_mindspore(ours, name):
    assert json.dumps(answer_question(ours[name])) == json.dumps(ANSWERS[name])


def test_a_pipeline_goes_from_words_to_vectors(tmp_path):
    (tmp_path / "v.txt").write_text("deep 1 2\nsea 3 4\n")
    vectors = text.Vectors.from_file(str(tmp_path / "v.txt"))
    rows = ds.NumpySlicesDataset(["Deep sea", "sky"], "text", shuffle=False)
    rows = rows.map(text.WhitespaceTokenizer(), "text")
    rows = rows.map(text.ToVectors(vectors, lower_case_backup=True), "text")
    results = [
        row[0].tolist() for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)
    ]
    assert results == [[[1, 2], [3, 4]], [0, 0]]


@pytest.mark.parametrize("number", ["x", "1_0", "1.5abc", "new"])
def test_what_is_no_number_in_a_file_of_vectors_is_refused_with_its_line(tmp_path, number):
    (tmp_path / "v.txt").write_text(f"a 1 2\nb 3 {number}\n")
    with pytest.raises(RuntimeError, match=f"Line 2 must have numbers after its word.*{number!r}"):
        text.Vectors.from_file(str(tmp_path / "v.txt"))


def test_a_vector_of_another_length_is_refused_with_its_line(tmp_path):
    (tmp_path / "v.txt").write_text("3 2\na 1 2\nb 3 4 5\n")
    with pytest.raises(RuntimeError, match="Line 3 must have a word and 2 numbers, got 3"):
        text.Vectors.from_file(str(tmp_path / "v.txt"))


def test_glove_reads_its_larger_files_too_and_names_the_file_that_is_none(tmp_path):
    (tmp_path / "glove.840B.2d.txt").write_text("a 1 2\n")
    vectors = text.GloVe.from_file(str(tmp_path / "glove.840B.2d.txt"))
    np.testing.assert_array_equal(text.ToVectors(vectors)("a"), [1, 2])
    with pytest.raises(RuntimeError, match=r"GloVe: file_path must name a file 'glove\.\*\.txt'"):
        text.GloVe.from_file(str(tmp_path / "glove.840B.2d.vec"))


def test_unknown_words_want_a_vector_as_long_as_the_others(tmp_path):
    (tmp_path / "v.txt").write_text("a 1 2\n")
    vectors = text.Vectors.from_file(str(tmp_path / "v.txt"))
    with pytest.raises(RuntimeError, match="ToVectors: unk_init must have 2 numbers"):
        text.ToVectors(vectors, [1])


def test_a_word_that_has_a_vector_keeps_it_where_lower_case_is_a_backup(tmp_path):
    (tmp_path / "v.txt").write_text("US 1 2\nus 3 4\nParis 5 6\n")
    vectors = text.Vectors.from_file(str(tmp_path / "v.txt"))
    actual = text.ToVectors(vectors, lower_case_backup=True)(["US", "Us", "us", "Paris", "paris"])
    assert actual.tolist() == [[1, 2], [3, 4], [3, 4], [5, 6], [0, 0]]
