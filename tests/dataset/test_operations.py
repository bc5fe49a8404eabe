"""map, batch and the other operations: what they give, and what they say of bad input."""

from __future__ import annotations

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.core.tensor import Tensor
from minispore.dataset import transforms, vision
from tests.dataset.conftest import counted, rows


def three_columns() -> ds.NumpySlicesDataset:
    x = np.arange(4)
    return ds.NumpySlicesDataset({"a": x, "b": x * 10, "c": x * 100}, shuffle=False)


# -- map ----------------------------------------------------------------------------------------


def test_map_uses_the_first_column_by_default():
    assert rows(three_columns().map(lambda x: x + 1).take(2)) == [[(1, 0, 0), (2, 10, 100)]]


def test_operations_of_a_list_take_what_the_one_before_gave():
    data = counted(3).map([lambda x: x + 1, lambda x: (x, x * 2), lambda x, y: x + y], "x")
    assert rows(data) == [[3, 6, 9]]


@pytest.mark.parametrize(
    ("inputs", "outputs", "function", "columns"),
    [
        (["b"], ["z"], lambda b: b, ["a", "z", "c"]),
        (["b"], ["y", "z"], lambda b: (b, b), ["y", "z", "a", "c"]),
        (["b", "c"], ["z"], lambda b, c: b + c, ["z", "a"]),
        (["c", "b"], None, lambda c, b: (c, b), ["a", "b", "c"]),
    ],
)
def test_output_columns_take_the_places_of_as_many_inputs_else_come_first(
    inputs, outputs, function, columns
):
    data = three_columns().map(function, inputs, outputs)
    assert data.get_col_names() == columns
    first = next(data.create_dict_iterator(num_epochs=1))
    assert list(first) == columns


def test_column_order_picks_the_columns_that_go_on():
    data = three_columns().map(lambda a: a, "a", column_order=["c", "a"])
    assert data.get_col_names() == ["c", "a"]


def test_functions_get_arrays_of_no_axes_for_scalars_that_they_may_write_to():
    table = np.arange(3)

    def written(x):
        assert isinstance(x, np.ndarray) and x.shape == ()
        x += 100
        return x

    data = ds.NumpySlicesDataset(table, ["x"], shuffle=False).map(written)
    assert rows(data, passes=2) == [[100, 101, 102]] * 2
    assert table.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("result", "dtype"),
    [
        (3, np.int64),
        (3.5, np.float64),
        (True, np.bool_),
        ("hey", np.dtype("U")),  # without a length, as in MindSpore
        (b"hey", np.dtype("S")),
        ([1, 2], np.int64),
        (np.float16(1), np.float16),
        (Tensor(np.ones(2, np.float32)), np.float32),
    ],
)
def test_what_a_function_gives_becomes_an_array(result, dtype):
    data = counted(1).map(lambda x: result)
    assert data.output_types() == [dtype]


def test_a_dict_stays_a_dict_and_batches_as_one():
    data = counted(4).map(lambda x: {"v": x, "n": {"w": x * 2}}).batch(2)
    (first, _) = [row["x"] for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]
    assert first["v"].tolist() == [0, 1] and first["n"]["w"].tolist() == [0, 2]


def test_the_same_transforms_give_the_same_rows_in_one_map_and_in_several():
    images = np.random.default_rng(0).integers(0, 256, (50, 8, 8, 3), dtype=np.uint8)
    steps = [vision.Rescale(1 / 255, 0.0), vision.Rescale(2.0, -1.0), vision.HWC2CHW()]
    source = ds.NumpySlicesDataset({"i": images, "l": np.arange(50)}, shuffle=False)
    one = source.map(steps, "i").batch(7)
    several = source.map(steps[0], "i").map(transforms.TypeCast(np.int32), "l")
    several = several.map(steps[1], "i").map(steps[2], "i").batch(7)
    for a, b in zip(
        one.create_tuple_iterator(num_epochs=1, output_numpy=True),
        several.create_tuple_iterator(num_epochs=1, output_numpy=True),
    ):
        np.testing.assert_array_equal(a[0], b[0])
        assert b[1].dtype == np.int32


FOUR = np.array([[[1], [2]], [[3], [4]]], np.uint8)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_random_operations_of_one_pipeline_draw_independently(seed: int) -> None:
    ds.config.set_seed(seed)
    data = ds.NumpySlicesDataset({"i": [FOUR] * 64}, shuffle=False)
    data = data.map(vision.RandomHorizontalFlip(), "i").map(vision.RandomVerticalFlip(), "i")
    assert {image[0][0][0] for image in rows(data)[0]} == {1, 2, 3, 4}


def test_a_random_row_does_not_depend_on_other_shapes_in_the_data() -> None:
    ds.config.set_seed(1)
    wide = np.concatenate([FOUR, FOUR], 1)
    flip = vision.RandomHorizontalFlip()
    alike, mixed = (
        rows(ds.GeneratorDataset(images, "i", shuffle=False).map(flip, "i"))[0]
        for images in ([FOUR] * 64, [FOUR, wide] * 32)
    )
    assert mixed[::2] == alike[::2]
    assert FOUR.tolist() in alike and FOUR[:, ::-1].tolist() in alike


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"operations": 3}, ValueError, "operations must be callable, got 3"),
        ({"input_columns": "q"}, RuntimeError, r"got 'q'.* It has \['a', 'b', 'c'\]"),
        ({"input_columns": "aa"}, RuntimeError, "got 'aa'"),
        ({"input_columns": ["b", "b"]}, ValueError, "each column once"),
        ({"input_columns": [1]}, TypeError, "must hold strs"),
        ({"input_columns": ""}, ValueError, "empty name"),
        ({"output_columns": ["b"]}, RuntimeError, r"\['b'\] exist already"),
        ({"num_parallel_workers": 0}, ValueError, r"must be in \[1, \d+\], got 0"),
        ({"num_parallel_workers": 10000}, ValueError, "got 10000"),
        ({"num_parallel_workers": 2.0}, TypeError, "must be an int"),
        ({"python_multiprocessing": 1}, TypeError, "must be a bool"),
        ({"input_column": "a"}, TypeError, "no argument 'input_column'"),
        ({"offlod": True}, TypeError, "Did you mean 'offload'"),
        ({"max_rowsize": "6"}, TypeError, "max_rowsize must be an int"),
        ({"cache": 3}, TypeError, "must be a DatasetCache"),
    ],
)
def test_map_says_what_is_wrong_with_its_arguments(arguments, error, text):
    with pytest.raises(error, match=f"map: .*{text}"):
        three_columns().map(**{"operations": lambda x: x} | arguments)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: None, "TypeError: the result must be an array, .* got None"),
        (lambda x: object(), "which NumPy only holds as objects"),
        (lambda x: (x, x), r"must give 1 columns for \['x'\], got 2"),
        (lambda x: {}[1], "KeyError: 1"),
    ],
)
def test_a_function_that_fails_is_reported_with_operation_row_and_column(function, text):
    with pytest.raises(
        RuntimeError, match=rf"map: <lambda> failed on row 0, column 'x'\. .*{text}"
    ):
        rows(counted(3).map(function))


def test_rows_before_a_failing_one_arrive_and_the_users_exception_is_the_cause():
    def third_fails(x):
        return 1 // int(x - 2)

    iterator = counted(10).map(third_fails).create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [int(next(iterator)[0]) for _ in range(2)] == [-1, -1]
    with pytest.raises(RuntimeError, match="third_fails failed on row 2") as caught:
        next(iterator)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert caught.value.__cause__.__traceback__ is not None
    with pytest.raises(RuntimeError, match="row 2"):  # and it stays so
        next(iterator)


def test_a_transform_that_fails_on_a_block_is_reported_with_its_row():
    labels = np.array([0, 1, 2, 9, 1])
    data = ds.NumpySlicesDataset({"y": labels}, shuffle=False).map(transforms.OneHot(3), "y")
    iterator = data.create_tuple_iterator(num_epochs=1)
    assert len([next(iterator) for _ in range(3)]) == 3
    with pytest.raises(RuntimeError, match="OneHot failed on row 3, column 'y'"):
        next(iterator)


def test_batches_before_a_failing_one_arrive():
    iterator = counted(100).map(lambda x: 1 // int(x - 50)).batch(8).create_tuple_iterator()
    assert len([next(iterator) for _ in range(6)]) == 6
    with pytest.raises(RuntimeError, match="row 50"):
        next(iterator)


@pytest.mark.parametrize(
    ("mode", "kept"),
    [
        (ds.config.ErrorSamplesMode.SKIP, [0, 1, 3, 4]),
        (ds.config.ErrorSamplesMode.REPLACE, [0, 1, 3, 4, 0]),
    ],
)
def test_failing_rows_are_skipped_or_replaced_in_those_modes(mode, kept):
    ds.config.set_error_samples_mode(mode)

    def fails(x):
        if x == 2:
            raise ValueError("no")
        return x

    assert rows(counted(5).map(fails)) == [kept]


def test_an_empty_list_of_operations_changes_nothing():
    assert rows(counted(3).map([])) == [[0, 1, 2]]


# -- the others ---------------------------------------------------------------------------------


def test_filter_keeps_rows_for_which_the_predicate_is_true():
    data = three_columns().filter(lambda b: b % 20 == 0, "b")
    assert rows(data) == [[(0, 0, 0), (2, 20, 200)]]
    assert data.get_dataset_size() == 2
    assert rows(three_columns().filter(lambda a, b, c: b > 20)) == [[(3, 30, 300)]]


def test_a_predicate_that_fails_is_reported_with_its_row():
    iterator = counted(5).filter(lambda x: 1 // int(x - 1)).create_tuple_iterator(num_epochs=1)
    assert int(next(iterator)[0]) == 0
    with pytest.raises(RuntimeError, match=r"predicate failed on row 1\. Zero") as caught:
        next(iterator)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_flat_map_gives_the_rows_of_the_datasets_it_makes():
    data = counted(3).flat_map(lambda x: ds.NumpySlicesDataset({"y": [x, x + 10]}, shuffle=False))
    assert data.get_col_names() == ["y"]
    assert rows(data) == [[0, 10, 1, 11, 2, 12]]
    assert data.get_dataset_size() == 6


def test_flat_map_goes_over_rows_that_were_left_out_before_the_first():
    stored = counted(9).filter(lambda x: x > 5)
    assert rows(stored.flat_map(lambda x: counted(int(x) - 5))) == [[0, 0, 1, 0, 1, 2]]


def test_flat_map_tells_the_batch_size_and_the_repeats_of_what_it_makes():
    output = counted(3).batch(3).flat_map(lambda x: counted(4).batch(2).repeat(5))
    assert (output.get_batch_size(), output.get_repeat_count()) == (2, 5)
    assert output.map(abs).get_batch_size() == 2 and output.batch(4).get_batch_size() == 4
    rowwise = counted(3).batch(3).repeat(2).flat_map(lambda x: counted(4))
    assert (rowwise.get_batch_size(), rowwise.get_repeat_count()) == (1, 1)
    none = counted(3).filter(lambda x: False).flat_map(lambda x: counted(4).batch(2))
    assert (none.get_batch_size(), none.get_repeat_count()) == (1, 1)


def test_concat_takes_datasets_without_rows():
    empty = counted(3).skip(3)
    assert rows(empty + counted(2) + counted(3).filter(lambda x: False)) == [[0, 1]]
    assert rows(empty + ds.NumpySlicesDataset([[1.5]], ["x"])) == [[[1.5]]]


def test_flat_map_must_give_datasets():
    with pytest.raises(TypeError, match="flat_map: func must give a dataset, got 3"):
        rows(counted(3).flat_map(lambda x: 3))


def test_a_function_of_flat_map_that_fails_is_reported_with_its_row():
    def second_fails(x):
        return ds.NumpySlicesDataset({"y": [1 // (1 - int(x))]})

    iterator = counted(3).flat_map(second_fails).create_tuple_iterator(num_epochs=1)
    assert int(next(iterator)[0]) == 1
    with pytest.raises(RuntimeError, match=r"function failed on row 1\. Zero") as caught:
        next(iterator)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_columns_are_renamed_and_projected():
    data = three_columns().rename(["a", "b"], ["b", "a"])
    assert data.get_col_names() == ["b", "a", "c"]
    assert rows(data.project(["c", "a"]).take(2)) == [[(0, 0), (100, 10)]]


@pytest.mark.parametrize(
    ("operation", "error"),
    [
        (lambda d: d.rename(["a"], ["x", "y"]), ValueError),
        (lambda d: d.rename(["q"], ["x"]), RuntimeError),
        (lambda d: d.rename(["a"], ["b"]), RuntimeError),
        (lambda d: d.project(["q"]), RuntimeError),
        (lambda d: d.project(["a", "a"]), ValueError),
        (lambda d: d.concat(3), TypeError),
        (lambda d: d.concat([]), ValueError),
        (lambda d: rows(d.concat(d.rename("a", "z"))), RuntimeError),
        (lambda d: d.zip(d), RuntimeError),
        (lambda d: d.zip(3), TypeError),
        (lambda d: ds.zip([d, d]), TypeError),
        (lambda d: ds.zip((d,)), ValueError),
        (lambda d: d.apply(3), TypeError),
        (lambda d: d.apply(lambda x: 3), TypeError),
        (lambda d: d.filter(3), TypeError),
        (lambda d: d.filter(len, "q"), RuntimeError),
        (lambda d: d.flat_map(3), TypeError),
        (lambda d: d.shuffle(1), ValueError),
        (lambda d: d.shuffle(2.0), TypeError),
        (lambda d: d.repeat(0), ValueError),
        (lambda d: d.repeat(-2), ValueError),
        (lambda d: d.take(0), ValueError),
        (lambda d: d.take(1.0), TypeError),
        (lambda d: d.skip(-1), ValueError),
        (lambda d: d.sync_wait(1), TypeError),
        (lambda d: d.sync_wait("c", 0), ValueError),
        (lambda d: d.sync_wait("c").sync_wait("c"), RuntimeError),
        (lambda d: d.sync_update("c"), RuntimeError),
        (lambda d: d.save(3), TypeError),
        (lambda d: d.save("f", 0), ValueError),
        (lambda d: d.save("f", 1, "csv"), ValueError),
        (lambda d: d.use_sampler(None), TypeError),
        (lambda d: d.device_iterator(0), ValueError),
        (lambda d: d.device_iterator(1, -1), ValueError),
        (lambda d: d.output_shapes(estimate=1), TypeError),
    ],
)
def test_other_operations_say_what_is_wrong_with_their_arguments(operation, error):
    with pytest.raises(error, match=r"\w+: .*(must|no argument)"):
        operation(three_columns())


def test_apply_gives_what_the_function_makes():
    assert counted(6).apply(lambda d: d.batch(2)).get_dataset_size() == 3


def test_no_row_passes_a_sync_wait_before_its_update():
    seen = []
    data = counted(6).map(lambda x: seen.append(int(x)) or x)
    data = data.sync_wait("step", num_batch=2, callback=seen.append)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [int(next(iterator)[0]) for _ in range(2)] == [0, 1]
    data.sync_update("step", num_batch=4, data="go")
    assert [int(x) for (x,) in iterator] == [2, 3, 4, 5]
    assert seen.index("go") >= 2 and data.is_sync()


@pytest.mark.parametrize("name", ["step", ""])
def test_sync_wait_counts_batches_after_later_operations(name):
    seen = []
    data = counted(12).sync_wait(name, num_batch=1).map(lambda x: seen.append(int(x)) or x)
    data = data.batch(2).map(lambda x: x).batch(2)
    for k, _ in enumerate(data.create_tuple_iterator(num_epochs=1)):
        assert seen == list(range(4 * (k + 1)))  # none of the next batch before its update
        data.sync_update(name)
    assert len(seen) == 12


def test_a_sync_wait_counts_batches_in_debug_mode_too():
    ds.config.set_debug_mode(True, [])
    data = counted(4).sync_wait("step").batch(2)
    got = []
    for (batch,) in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        got.append(batch.tolist())
        data.sync_update("step")
    assert got == [[0, 1], [2, 3]]


def test_a_look_at_the_shapes_does_not_move_a_sync_wait():
    data = counted(4).sync_wait("step").batch(2)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert next(iterator)[0].tolist() == [0, 1]
    data.sync_update("step")
    assert data.output_shapes() == [[2]]
    assert next(iterator)[0].tolist() == [2, 3]


def test_a_sync_wait_that_nobody_updates_is_an_error():
    ds.config.set_callback_timeout(1)
    data = counted(6).sync_wait("step")
    iterator = data.create_tuple_iterator(num_epochs=1)
    next(iterator)
    with pytest.raises(RuntimeError, match="got no sync_update for 1 s"):
        next(iterator)


def test_to_json_tells_the_whole_tree(tmp_path):
    data = counted(4).map(transforms.TypeCast(np.int32), "x").shuffle(2).batch(2)
    tree = data.to_json(str(tmp_path / "tree.json"))
    names = []
    while tree:
        names.append(tree["op_type"])
        tree = tree["children"][0] if tree["children"] else None
    assert names == ["Batch", "Shuffle", "Map", "NumpySlicesDataset"]
    assert '"TypeCast' in (tmp_path / "tree.json").read_text()


def test_datasets_have_the_classes_and_questions_that_scripts_use():
    data = counted(10, num_shards=2, shard_id=0).map(lambda x: x).repeat(2).batch(3)
    assert isinstance(data, ds.BatchDataset) and isinstance(data.children[0], ds.RepeatDataset)
    assert isinstance(data, ds.Dataset) and isinstance(counted(1), ds.MappableDataset)
    assert data.get_repeat_count() == 2 and data.get_batch_size() == 3
    assert data.is_sharded() and not data.is_shuffled() and data.shuffle(2).is_shuffled()
    assert data.num_classes() is None and data.get_class_indexing() == {}
    data.input_indexs = [1]
    assert data.take(1).input_indexs == [1]
    data.reset()
    data.close()
