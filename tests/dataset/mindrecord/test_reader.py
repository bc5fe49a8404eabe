"""FileReader and MindPage."""

from __future__ import annotations

import json

import pytest

import minispore.dataset as ds
from minispore import mindrecord as mr
from minispore.dataset.formats.mindrecord import reading
from minispore.dataset.sources import mindrecord as sources_mindrecord
from tests.dataset.mindrecord.conftest import PAIR, pairs, read, write


def test_a_file_stands_for_its_set_and_a_list_for_itself(tmp_path):
    name = write(tmp_path / "f", PAIR, pairs(0, 7), files=2)
    assert read(name) == pairs(0, 7)
    assert read(str(tmp_path / "f1")) == pairs(0, 7)
    assert read([str(tmp_path / "f1")]) == pairs(4, 7)
    (tmp_path / "f0").unlink()
    with pytest.raises(mr.PathNotExistsError, match="f0 is not"):
        mr.FileReader(str(tmp_path / "f1"))


def test_rows_are_read_once_and_are_counted(tmp_path):
    reader = mr.FileReader(write(tmp_path / "f", PAIR, pairs(0, 600)))
    assert reader.len() == 600
    rows = reader.get_next()
    assert next(rows)["x"] == 0
    assert [row["x"] for row in reader.get_next()] == list(range(1, 600))
    assert list(reader.get_next()) == []
    assert reader.schema() == PAIR
    reader.close()


def test_columns_are_chosen(tmp_path):
    name = write(tmp_path / "f", PAIR, pairs(0, 1))
    assert read(name, columns=["x"]) == [{"x": 0}]
    with pytest.raises(mr.ParamValueError, match=r"got 'dta'. Did you mean"):
        mr.FileReader(name, columns=["dta"])
    with pytest.raises(mr.ParamTypeError):
        mr.FileReader(name, columns="x")


@pytest.mark.parametrize("arguments", [(3,), ([],), ([1],), ("f", 0), ("f", "2")])
def test_arguments_are_checked(arguments):
    with pytest.raises(mr.ParamValueError):
        mr.FileReader(*arguments)
    with pytest.raises(mr.ParamValueError):
        mr.MindPage(*arguments)


def test_file_reader_names_a_missing_file():
    with pytest.raises(mr.PathNotExistsError, match="nowhere"):
        mr.FileReader("nowhere")


@pytest.fixture
def page(tmp_path) -> mr.MindPage:
    """Ten rows in two files: x is 0, 0, 1, 1, ...; name is "a" or "b"."""
    schema = {"x": {"type": "int32"}, "name": {"type": "string"}, "data": {"type": "bytes"}}
    rows = [{"x": i // 2, "name": "ab"[i % 2], "data": bytes([i])} for i in range(10)]
    return mr.MindPage(write(tmp_path / "f", schema, rows, files=2))


def test_rows_of_one_value_are_read_by_page(page):
    assert page.candidate_fields == ["name", "x"]
    page.category_field = "x"
    info = json.loads(page.read_category_info())
    assert info["key"] == "x_0"
    assert info["categories"][2] == {"count": 2, "id": 2, "name": "2"}
    assert page.read_at_page_by_id(2, 1, 1) == [{"name": "b", "x": 2, "data": b"\5"}]
    page.category_field = "name"
    assert [row["x"] for row in page.read_at_page_by_name("b", 1, 2)] == [2, 3]


def test_an_unknown_group_or_page_is_refused(page):
    with pytest.raises(mr.MRMDefineCategoryError, match="must be set first"):
        page.read_category_info()
    with pytest.raises(mr.MRMDefineCategoryError, match=r"\['name', 'x'\], got 'data'"):
        page.category_field = "data"
    page.category_field = "x"
    for wrong in ((5, 0, 1), (0, 2, 1)):
        with pytest.raises(mr.MRMFetchDataError, match="must be less than"):
            page.read_at_page_by_id(*wrong)
    for wrong in ((-1, 0, 1), (0, -1, 1), (0, 0, 0), ("0", 0, 1)):
        with pytest.raises(mr.ParamValueError):
            page.read_at_page_by_id(*wrong)
    with pytest.raises(mr.MRMFetchDataError, match="got '7'"):
        page.read_at_page_by_name("7", 0, 1)
    with pytest.raises(mr.ParamValueError):
        page.read_at_page_by_name(7, 0, 1)


def test_an_index_whose_damage_is_no_text_is_refused(tmp_path):
    name = write(tmp_path / "f", PAIR, pairs(0, 3))
    index = tmp_path / "f.db"
    raw = index.read_bytes()
    index.write_bytes(raw.replace(b"sqlite_autoindex", b"\xff\xff\xff\xff\xffe_autoindex", 1))
    with pytest.raises(mr.DbConnectionError, match="must be the index of a MindRecord file"):
        read(name)


def replace_between_shards(monkeypatch, replace, times: int = 1) -> None:
    """Call ``replace`` after the first shard of a set is opened, ``times`` times."""
    open_shard, calls = reading.open_shard, []

    def open_and_replace(path):
        shard = open_shard(path)
        if path.name.endswith("0") and len(calls) < times:
            calls.append(path)
            replace(len(calls))
        return shard

    monkeypatch.setattr(reading, "open_shard", open_and_replace)
    monkeypatch.setattr(sources_mindrecord, "open_shard", open_and_replace)


def read_with_dataset(path: str) -> list[int]:
    data = ds.MindDataset(path, shuffle=False)
    return [row["x"].item() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize("reads", [read, read_with_dataset])
def test_a_set_that_is_replaced_while_it_is_opened_is_read_whole(tmp_path, monkeypatch, reads):
    path = write(tmp_path / "f", PAIR, pairs(0, 6), files=2)
    expected = reads(write(tmp_path / "g", PAIR, pairs(10, 16), files=2))
    replace_between_shards(
        monkeypatch, lambda _: write(tmp_path / "f", PAIR, pairs(10, 16), files=2, overwrite=True)
    )
    assert reads(path) == expected


def test_a_file_set_that_keeps_being_replaced_is_refused(tmp_path, monkeypatch):
    path = write(tmp_path / "f", PAIR, pairs(0, 6), files=2)
    replace_between_shards(
        monkeypatch,
        lambda k: write(tmp_path / "f", PAIR, pairs(k, k + 6), files=2, overwrite=True),
        times=10**6,
    )
    monkeypatch.setattr(reading, "_OPEN_ATTEMPTS", 3)
    with pytest.raises(mr.MRMFetchDataError, match="must not be replaced while it is opened"):
        read(path)
