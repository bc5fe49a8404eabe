"""What scripts look for: the files of a failed row, the facts of a wrong argument, hooks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.dataset import debug, vision
from tests.dataset import files


def fails(*columns):
    raise ArithmeticError("no")


def message(data) -> str:
    with pytest.raises(RuntimeError) as caught:
        list(data.create_tuple_iterator(num_epochs=1))
    return str(caught.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.jpg").write_bytes(b"no picture")
    return tmp_path


def test_a_failed_map_names_the_file_of_its_row(folder):
    data = ds.ImageFolderDataset(str(folder), shuffle=False).skip(1).repeat(2)
    text = message(data.map(vision.Decode(), "image"))
    assert "map operation: [Decode] failed." in text
    assert f"The corresponding data file is: {folder / 'b' / '1.jpg'}." in text


def test_a_failed_function_names_the_file_of_its_record(tmp_path):
    paths = [tmp_path / name for name in ("a.txt", "b.txt")]
    for path in paths:
        path.write_text("one\n")
    data = ds.TextFileDataset([str(p) for p in paths], shuffle=False)
    text = message(data.skip(1).project("text").map(fails, "text"))
    assert f"map operation: [PyFunc] failed. The corresponding data file is: {paths[1]}." in text


def test_a_failed_function_on_a_single_table_names_its_files(tmp_path):
    files.mnist(tmp_path, "train", 3)
    text = message(ds.MnistDataset(str(tmp_path), "train").map(fails, "label"))
    assert "train-images-idx3-ubyte" in text


def test_rows_in_memory_have_no_file():
    assert "data file" not in message(ds.NumpySlicesDataset([1], ["x"]).map(fails, "x"))


@pytest.mark.parametrize(
    ("call", "facts"),
    [
        (
            lambda: ds.config.set_debug_mode(1),
            "Argument debug_mode_flag with value 1 is not of type [<class 'bool'>], but got "
            "<class 'int'>.",
        ),
        (
            lambda: ds.NumpySlicesDataset([1], num_samples="2"),
            "Argument num_samples with value 2 is not of type [<class 'int'>], but got "
            "<class 'str'>.",
        ),
        (
            lambda: vision.Resize(3, "linear"),
            "Argument interpolation with value linear is not of type [<enum 'Inter'>], but got "
            "<class 'str'>.",
        ),
    ],
)
def test_a_wrong_type_is_reported_with_both_types(call, facts):
    with pytest.raises(TypeError) as caught:
        call()
    assert facts in str(caught.value)


def test_a_hook_sees_what_goes_into_a_map_and_what_each_operation_gives():
    seen = []

    class Hook(debug.DebugHook):
        def compute(self, columns):
            seen.append((self.prev_op_name, self.is_first_op, int(columns[0])))

    ds.config.set_debug_mode(True, [Hook()])
    data = ds.NumpySlicesDataset([1, 2], ["x"], shuffle=False).map([abs, lambda x: -x], "x")
    assert [int(x) for (x,) in data.create_tuple_iterator(num_epochs=1)] == [-1, -2]
    assert seen == [
        ("abs", True, 1), ("abs", False, 1), ("<lambda>", False, -1),
        ("abs", True, 2), ("abs", False, 2), ("<lambda>", False, -2),
    ]  # fmt: skip


def test_a_hook_among_the_operations_leaves_the_columns_as_they_are(capsys):
    data = ds.NumpySlicesDataset([[3]], ["x"]).map([debug.PrintDataHook(), np.negative], "x")
    assert [x.tolist() for (x,) in data.create_tuple_iterator(None, 1, True)] == [[-3]]
    assert capsys.readouterr().out == "Column 0. The data is [[3]].\n"


def test_the_debug_mode_tells_what_each_operation_takes_and_gives(capsys):
    ds.config.set_debug_mode(True)
    data = ds.NumpySlicesDataset([[3, 4]], ["x"]).map([np.negative, lambda x: {"a": x}], "x")
    list(data.create_tuple_iterator(None, 1, True))
    assert capsys.readouterr().out.splitlines() == [
        "[Dataset debugger] Print the [INPUT] of the operation [negative].",
        "Column 0. The dtype is [int64]. The shape is [(2,)].",
        "[Dataset debugger] Print the [OUTPUT] of the operation [negative].",
        "Column 0. The dtype is [int64]. The shape is [(2,)].",
        "[Dataset debugger] Print the [OUTPUT] of the operation [<lambda>].",
        "Column 0. The type is [<class 'dict'>]. The size is [1].",
    ]


def test_parts_of_a_concat_must_be_alike_when_their_rows_come():
    one = ds.NumpySlicesDataset([1], ["x"])
    other = ds.NumpySlicesDataset([1], ["y"])
    assert one.concat(other).get_dataset_size() == 2
    assert "all datasets must have the columns" in message(one + other)
    both = [ds.NumpySlicesDataset({name: [1] for name in names}) for names in ("xy", "yx")]
    assert "must have the columns ['x', 'y'], in this order, got ['y', 'x']" in message(
        both[0] + both[1]
    )
    real = ds.NumpySlicesDataset([1.5], ["x"])
    assert "one rank and data type, got int64 of 0 axes and float64" in message(one + real)


def test_shards_of_a_concat_share_the_rows_and_none_comes_twice():
    parts = [ds.GeneratorDataset(lambda n=n: iter(range(n, n + 4)), ["x"]) for n in (0, 4)]
    whole, shards = parts[0] + parts[1], []
    for i in range(3):
        whole.use_sampler(ds.DistributedSampler(3, i, shuffle=False))
        shards.append([int(x) for (x,) in whole.create_tuple_iterator(num_epochs=1)])
        assert whole.get_dataset_size() == len(shards[-1])
    assert shards == [[0, 3, 6], [1, 4, 7], [2, 5]]


def test_a_line_of_a_file_is_read_by_its_number(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_bytes(b"one\r\n\nthr\xc3\xa9e")
    with ds.LineReader(str(path)) as lines:
        assert [lines[i] for i in (3, 1, 2)] == ["thr\u00e9e", "one", ""]
        with pytest.raises(ValueError, match=r"line must be in \[1, 3\], got 0"):
            lines.readline(0)
    with pytest.raises(RuntimeError, match="does not exist"):
        ds.LineReader(str(tmp_path / "none"))


@pytest.mark.parametrize(
    "row",
    [
        lambda i: (x for x in (i, 2.5)),
        lambda i: map(float, (i, 2.5)),
        lambda i: {"a": i, "b": 2.5}.values(),
        lambda i: iter([i, 2.5]),
    ],
    ids=["generator", "map", "values", "iterator"],
)
def test_a_row_may_be_anything_that_gives_its_values_one_by_one(row):
    class Rows:
        def __getitem__(self, i):
            return row(i)

        def __len__(self):
            return 2

    for source in (Rows(), lambda: (row(i) for i in range(2))):
        data = ds.GeneratorDataset(source, ["a", "b"], shuffle=False)
        rows = list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
        assert [[float(x) for x in r] for r in rows] == [[0, 2.5], [1, 2.5]]


def test_a_column_of_dicts_has_an_empty_axis():
    data = ds.GeneratorDataset(
        lambda: (({"a": i}, np.zeros(2, np.int8), np.int32(i)) for i in range(4)), ["d", "x", "n"]
    )
    two = data.map(lambda d: (d, {"b": d}), ["d"], ["d", "e"])
    assert data.output_shapes() == [[0], [2], []]
    assert data.output_shapes(estimate=True) == [[0], [2], []]
    assert two.output_shapes() == two.output_shapes(estimate=True) == [[0], [0], [2], []]
    assert two.batch(2).output_shapes() == [[0], [0], [2, 2], [2]]
    assert two.batch(2, True).output_shapes(estimate=True) == [[0], [0], [2, 2], [2]]
    assert two.output_types() == [np.dtype(object), np.dtype(object), np.int8, np.int32]
