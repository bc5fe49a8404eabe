"""FileWriter: what it refuses, what it leaves behind, how rows are shared among files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minispore import mindrecord as mr
from minispore.dataset.formats.mindrecord import writing
from tests.dataset.mindrecord.conftest import PAIR, pairs, read, write


@pytest.fixture
def writer(tmp_path: Path) -> mr.FileWriter:
    file_writer = mr.FileWriter(str(tmp_path / "f"))
    file_writer.add_schema({"x": {"type": "int32"}, "a": {"type": "float32", "shape": [2, -1]}})
    return file_writer


def row(**changed: Any) -> dict[str, Any]:
    return {"x": 1, "a": np.zeros((2, 3), np.float32)} | changed


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (("",), "file_name must be a str"),
        ((3,), "file_name must be a str"),
        (("a?b",), "none of the characters"),
        (("f", 0), r"in \[1, 1000\]"),
        (("f", 1001), r"in \[1, 1000\]"),
        (("f", "2"), "must be an int"),
        (("f", True), "must be an int"),
        (("f", 1, 1), "must be a bool"),
    ],
)
def test_arguments_are_checked(arguments, rule):
    with pytest.raises(mr.ParamValueError, match=f"FileWriter: .*{rule}"):
        mr.FileWriter(*arguments)


@pytest.mark.parametrize(
    ("schema", "error"),
    [
        ({}, mr.MRMInvalidSchemaError),
        (None, mr.MRMInvalidSchemaError),
        ({"x": "int32"}, mr.MRMInvalidSchemaError),
        ({"x": {"type": "int8"}}, mr.MRMInvalidSchemaError),
        ({"x": {"type": "int32", "size": 1}}, mr.MRMInvalidSchemaError),
        ({"x": {"type": "bytes", "shape": [1]}}, mr.MRMInvalidSchemaError),
        ({"x": {"type": "int32", "shape": 1}}, mr.MRMInvalidSchemaError),
        ({"x y": {"type": "int32"}}, mr.MRMInvalidSchemaError),
        ({1: {"type": "int32"}}, mr.MRMInvalidSchemaError),
        ({"x": {"type": "int32"}, "X": {"type": "int32"}}, mr.MRMInvalidSchemaError),
        ({"Inc": {"type": "string"}}, mr.MRMInvalidSchemaError),
        ({"x": {"type": "int32", "shape": [0]}}, mr.MRMBuildSchemaError),
        ({"x": {"type": "int32", "shape": [-1, -1]}}, mr.MRMBuildSchemaError),
        ({"x": {"type": "int32", "shape": [2.5]}}, mr.MRMBuildSchemaError),
    ],
)
def test_what_is_no_schema_is_refused(schema, error):
    with pytest.raises(error, match=r"FileWriter: .* must "):
        mr.FileWriter("f").add_schema(schema)


def test_a_second_schema_is_refused(writer):
    with pytest.raises(mr.MRMAddSchemaError):
        writer.add_schema(PAIR)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ([], mr.ParamTypeError),
        ("x", mr.ParamTypeError),
        ([1], mr.ParamTypeError),
        (["a"], mr.MRMDefineIndexError),
        (["y"], mr.MRMAddIndexError),
        (["x", "x"], mr.MRMAddIndexError),
    ],
)
def test_what_can_t_be_an_index_is_refused(writer, fields, error):
    with pytest.raises(error, match="index_fields must"):
        writer.add_index(fields)
    with pytest.raises(mr.MRMGetMetaError, match="add_schema"):
        mr.FileWriter("f").add_index(["x"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"x": 1.5}, r"'x' must be an int in \[-2147483648, .*got 1.5 \(float\) in row 1"),
        ({"x": True}, "got True"),
        ({"x": 1 << 31}, "got 2147483648"),
        ({"x": None}, "got None"),
        ({"a": [1.0]}, r"'a' must be an array of float32 that fills the shape \[2, -1\]"),
        ({"a": np.zeros((2, 3))}, r"got float64 of shape \[2, 3\]"),
        ({"a": np.zeros(3, np.float32)}, r"got float32 of shape \[3\]"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_before_any_row_is_written(
    writer, tmp_path, wrong, message
):
    with pytest.raises(mr.MRMValidateDataError, match=message):
        writer.write_raw_data([row(), row(**wrong)])
    assert os.listdir(tmp_path) == []
    writer.write_raw_data([row()])
    writer.commit()
    assert len(read(str(tmp_path / "f"))) == 1


def test_a_row_without_a_field_is_refused_and_other_fields_are_left_out(writer, tmp_path):
    with pytest.raises(mr.MRMValidateDataError, match=r"row 0 .*must have the field 'x'"):
        writer.write_raw_data([{"a": row()["a"], "xx": 1}])
    writer.write_raw_data([row(more=1)])
    writer.commit()
    assert list(read(str(tmp_path / "f"))[0]) == ["x", "a"]


def test_numpy_s_numbers_are_numbers_and_an_int_is_no_float(tmp_path):
    schema = {"i": {"type": "int64"}, "f": {"type": "float32"}}
    name = write(tmp_path / "f", schema, [{"i": np.int8(3), "f": np.float64(0.25)}])
    assert read(name) == [{"f": 0.25, "i": 3}]
    with pytest.raises(mr.MRMValidateDataError, match="'f' must be a float"):
        write(tmp_path / "g", schema, [{"i": 3, "f": 1}])


@pytest.mark.parametrize("data", [{}, (), [1], "rows"])
def test_what_is_no_list_of_rows_is_refused(writer, data):
    with pytest.raises(mr.ParamTypeError):
        writer.write_raw_data(data)


def test_no_row_and_no_schema_are_refused(writer):
    with pytest.raises(mr.MRMValidateDataError):
        writer.write_raw_data([])
    for call in (lambda w: w.write_raw_data([{"x": 1}]), lambda w: w.commit()):
        with pytest.raises(mr.MRMGetMetaError):
            call(mr.FileWriter("f"))


def test_sizes_are_multiples_of_four_in_a_range_and_set_before_rows(writer):
    for value in (1, (1 << 14) + 1, 1 << 28):
        with pytest.raises(mr.MRMInvalidHeaderSizeError, match="header_size must"):
            writer.set_header_size(value)
    for value in (1, (1 << 15) + 2, 1 << 29):
        with pytest.raises(mr.MRMInvalidPageSizeError, match="page_size must"):
            writer.set_page_size(value)
    with pytest.raises(TypeError):
        writer.set_page_size("32768")
    writer.write_raw_data([row()])
    with pytest.raises(mr.MRMInvalidPageSizeError, match="before the first row"):
        writer.set_page_size(1 << 15)


def test_a_row_must_fit_a_page(tmp_path):
    fits, too_long = ({"x": 1, "data": bytes((1 << 15) - 8 + more)} for more in (0, 1))
    assert read(write(tmp_path / "f", PAIR, [fits])) == [fits]
    with pytest.raises(mr.MRMWriteDatasetError, match="set_page_size"):
        write(tmp_path / "g", PAIR, [fits, too_long])


def test_more_pages_than_the_header_has_room_for_leave_no_file(tmp_path):
    rows = [{"x": i, "data": bytes(30000)} for i in range(120)]
    with pytest.raises(mr.MRMSetHeaderError, match="set_header_size"):
        write(tmp_path / "f", PAIR, rows)
    assert os.listdir(tmp_path) == []


def test_an_existing_file_is_replaced_only_with_overwrite(tmp_path):
    name = write(tmp_path / "f", PAIR, pairs(0, 3))
    with pytest.raises(mr.MRMOpenError, match="overwrite=True"):
        write(tmp_path / "f", PAIR, pairs(3, 5))
    assert read(name) == pairs(0, 3)
    writer = mr.FileWriter(name, overwrite=True)
    writer.add_schema(PAIR)
    writer.write_raw_data(pairs(3, 5))
    assert read(name) == pairs(0, 3)
    writer.commit()
    assert read(name) == pairs(3, 5)
    assert sorted(os.listdir(tmp_path)) == ["f", "f.db"]


def test_a_missing_folder_is_an_open_error(tmp_path):
    with pytest.raises(mr.MRMOpenError, match="in a folder that can be written to"):
        write(tmp_path / "no" / "f", PAIR, pairs(0, 1))


def test_a_writer_that_is_let_go_leaves_no_file(writer, tmp_path):
    writer.write_raw_data([row()])
    assert not (tmp_path / "f").exists()
    writer.discard()
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")
def test_a_forked_process_does_not_remove_what_its_parent_writes(writer, tmp_path):
    writer.write_raw_data([row()])
    child = os.fork()
    if not child:
        writer._clean()  # as when it is let go
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(os.listdir(tmp_path)) == 2
    writer.commit()
    assert len(read(str(tmp_path / "f"))) == 1


def test_after_commit_nothing_more_is_written(writer):
    writer.write_raw_data([row()])
    writer.commit()
    for call in (lambda: writer.write_raw_data([row()]), writer.commit):
        with pytest.raises(RuntimeError, match="after commit"):
            call()


@pytest.mark.parametrize("stopped_by", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("at", range(5))
def test_a_commit_that_is_stopped_replaces_all_files_or_none(tmp_path, monkeypatch, stopped_by, at):
    name = write(tmp_path / "f", PAIR, pairs(0, 5), files=2)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    writer = mr.FileWriter(str(tmp_path / "f"), 2, overwrite=True)
    writer.add_schema(PAIR)
    writer.write_raw_data(pairs(5, 10))
    moves = iter(range(100))
    replace = os.replace

    def stop(*arguments):
        if next(moves) == at:
            raise stopped_by("now")
        replace(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", stop)
        with pytest.raises((KeyboardInterrupt, mr.MRMCommitError)):
            writer.commit()
    if at == 0:  # the move that decides
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert sorted(read(name), key=lambda row: row["x"]) == (pairs(5, 10) if at else pairs(0, 5))
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in before}


def test_ctrl_c_while_rows_are_written_leaves_no_file(writer, tmp_path, monkeypatch):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(writing.ShardWriter, "_append_to_page", stop)
    with pytest.raises(KeyboardInterrupt):
        writer.write_raw_data([row()])
    assert os.listdir(tmp_path) == []


def test_rows_are_appended_to_a_file(tmp_path):
    name = write(tmp_path / "f", PAIR, pairs(0, 40))
    for start in range(40, 4000, 990):
        writer = mr.FileWriter.open_for_append(name)
        writer.write_raw_data(pairs(start, start + 990))
        assert len(read(name)) == start
        writer.commit()
    assert read(name) == pairs(0, 4000)


def test_only_a_file_with_its_index_can_be_appended_to(tmp_path):
    name = write(tmp_path / "f", PAIR, pairs(0, 2))
    (tmp_path / "text").write_text("no such file")
    (tmp_path / "text.db").write_text("no index")
    for wrong in ("none", "text"):
        with pytest.raises(mr.MRMOpenForAppendError):
            mr.FileWriter.open_for_append(str(tmp_path / wrong))
    Path(f"{name}.db").unlink()
    with pytest.raises(mr.MRMOpenForAppendError, match=r"f\.db"):
        mr.FileWriter.open_for_append(name)


def test_rows_are_shared_among_files_and_odd_ones_go_to_them_in_turn(tmp_path):
    calls = [pairs(0, 1), pairs(1, 2), pairs(2, 9)]
    write(tmp_path / "f", PAIR, *calls, files=3)
    results = [[r["x"] for r in read([str(tmp_path / f"f{i}")])] for i in range(3)]
    assert results == [[0, 2, 3], [1, 4, 5], [6, 7, 8]]


def test_files_of_a_set_have_numbers_of_one_length(tmp_path):
    write(tmp_path / "f", PAIR, pairs(0, 3), files=11)
    assert sorted(os.listdir(tmp_path))[:3] == ["f00", "f00.db", "f01"]
    assert len(os.listdir(tmp_path)) == 22


def test_parallel_writer_must_stay_as_it_is(writer):
    writer.write_raw_data([row()], parallel_writer=True)
    with pytest.raises(RuntimeError, match="same in all calls"):
        writer.write_raw_data([row()])
    with pytest.raises(TypeError):
        writer.write_raw_data([row()], parallel_writer=1)


def test_open_and_set_header_refuses_an_existing_file_early(tmp_path):
    write(tmp_path / "f", PAIR, pairs(0, 1))
    writer = mr.FileWriter(str(tmp_path / "f"))
    writer.add_schema(PAIR)
    with pytest.raises(mr.MRMOpenError):
        writer.open_and_set_header()
