"""A pipeline as MindSpore's JSON: what one writes the other reads."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.dataset import transforms, vision
from tests.dataset.files import mnist

RESIZED = {"device_target": "CPU", "interpolation": 0, "size": [32, 32]}


@pytest.fixture
def folder(tmp_path: Path) -> str:
    mnist(tmp_path)
    return str(tmp_path)


def rows(data: ds.Dataset) -> list[list[Any]]:
    output = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [[column.tolist() for column in row] for row in output]


def of_mindspore(folder: str) -> dict[str, Any]:
    """What the real MindSpore 2.10 writes of :func:`ours`, on a machine of two processors."""
    common = {"connector_queue_size": 16, "num_parallel_workers": 2}
    source = {
        "children": [],
        **common,
        "dataset_dir": folder,
        "op_type": "MnistDataset",
        "sampler": {"num_samples": 0, "sampler_name": "SequentialSampler", "start_index": 0},
        "usage": "train",
    }
    mapped = {
        "callback": [],
        "children": [source],
        **common,
        "input_columns": ["image"],
        "op_type": "Map",
        "operations": [
            {"tensor_op_name": "Resize", "tensor_op_params": RESIZED},
            {"tensor_op_name": "Rescale", "tensor_op_params": {"rescale": 0.5, "shift": 0.0}},
            {"tensor_op_name": "HwcToChw", "tensor_op_params": None},
        ],
        "output_columns": ["image"],
    }
    batch = {
        "batch_size": 2,
        "children": [mapped],
        **common,
        "drop_remainder": True,
        "input_columns": [],
        "op_type": "Batch",
        "output_columns": [],
    }
    return {"children": [batch], "count": 2, "op_type": "Repeat"}


def ours(folder: str) -> ds.Dataset:
    data = ds.MnistDataset(folder, "train", shuffle=False)
    steps = [vision.Resize((32, 32)), vision.Rescale(0.5, 0.0), vision.HWC2CHW()]
    return data.map(steps, "image").batch(2, drop_remainder=True).repeat(2)


def test_a_pipeline_is_written_as_mindspore_writes_it(folder: str) -> None:
    ds.config.set_num_parallel_workers(2)
    assert ds.serialize(ours(folder)) == of_mindspore(folder)


def test_what_mindspore_wrote_gives_the_same_rows(folder: str) -> None:
    read = ds.deserialize(of_mindspore(folder))
    assert read is not None
    assert rows(read) == rows(ours(folder))


def test_a_file_holds_the_pipeline(folder: str, tmp_path: Path) -> None:
    path = str(tmp_path / "tree.json")
    tree = ds.serialize(ours(folder), path)
    assert json.loads(Path(path).read_text()) == tree
    read = ds.deserialize(json_filepath=path)
    assert read is not None
    assert ds.compare(read, ours(folder))
    assert not ds.compare(read, ours(folder).skip(1))


@pytest.mark.parametrize(
    "operation",
    [
        vision.Crop((1, 2), (3, 4)),
        vision.GaussianBlur(3, 1.5),
        vision.GaussianBlur((3, 7)),
        vision.GaussianBlur((3, 7), (0, 0)),
        vision.Pad((1, 2), 7, vision.Border.REFLECT),
        vision.RandomCrop(3, 2),
        vision.RandomSelectSubpolicy([[(vision.VerticalFlip(), 0.5)]]),
        vision.Resize(9, vision.Inter.CUBIC),
        vision.Rotate(30, center=(1, 2)),
        vision.ToPIL(),
        transforms.Fill(3),
        transforms.PadEnd([30, None, 1]),
        transforms.RandomChoice([vision.VerticalFlip(), vision.HWC2CHW()]),
        transforms.RandomOrder([vision.ToPIL(), vision.Grayscale(3)]),
        transforms.TypeCast(np.float32),
    ],
    ids=repr,
)
def test_an_operation_comes_back_as_it_was(folder: str, operation: Any) -> None:
    data = ds.MnistDataset(folder, "train", shuffle=False).map(operation, "image")
    read = ds.deserialize(json.loads(json.dumps(ds.serialize(data))))
    assert isinstance(read, ds.MapDataset)
    (output,) = read.operations
    assert isinstance(output, type(operation))
    assert ds.compare(read, data)
    if not operation.random and not isinstance(operation, vision.ToPIL):
        assert rows(read) == rows(data)


def test_one_sigma_of_0_and_two_are_written_as_mindspore_writes_them(folder: str) -> None:
    data = ds.MnistDataset(folder, "train")
    for sigma, expected in ((0, [0]), ((0, 0), [0, 0]), (1.5, [1.5])):
        blurred = data.map(vision.GaussianBlur((3, 7), sigma), "image")
        (text,) = ds.serialize(blurred)["operations"]
        assert text["tensor_op_params"]["sigma"] == expected


def test_the_numbers_of_enumerations_are_those_of_mindspores_c_side(folder: str) -> None:
    data = ds.MnistDataset(folder, "train")
    resized = data.map(vision.Resize(9, vision.Inter.CUBIC), "image")
    (text,) = ds.serialize(resized)["operations"]
    assert text["tensor_op_params"] == {"device_target": "CPU", "interpolation": 2, "size": [9]}
    cropped = data.map(vision.Crop((1, 2), (3, 4)), "image")
    (text,) = ds.serialize(cropped)["operations"]
    assert text["tensor_op_params"]["coordinates"] == [2, 1]  # from the left, from the top


@pytest.mark.parametrize(
    "sampler",
    [
        ds.SequentialSampler(1, 2),
        ds.RandomSampler(True, 3),
        ds.SubsetSampler([3, 1]),
        ds.SubsetRandomSampler([0, 2]),
        ds.WeightedRandomSampler([1.0] * 4, 2),
        ds.DistributedSampler(2, 1, num_samples=1),
    ],
    ids=repr,
)
def test_a_sampler_gives_the_same_rows_under_a_seed(folder: str, sampler: ds.Sampler) -> None:
    ds.config.set_seed(7)
    data = ds.MnistDataset(folder, "train", sampler=sampler)
    ds.config.set_seed(7)
    read = ds.deserialize(ds.serialize(data))
    assert read is not None
    assert rows(read) == rows(data)


def test_the_seed_of_shards_is_that_of_their_first_pass() -> None:
    ds.config.set_seed(7)
    data = ds.FakeImageDataset(4, (1, 1, 1), num_shards=2, shard_id=1)
    assert ds.serialize(data)["sampler"]["seed"] == 8


def test_zipped_and_concatenated_sources_survive_serialization(folder: str) -> None:
    data = ds.MnistDataset(folder, "train", shuffle=False)
    beside = ds.zip((data.project("label"), data.rename("label", "digit").project("digit")))
    for pipeline in (beside.skip(1).take(2), data + data):
        read = ds.deserialize(ds.serialize(pipeline))
        assert read is not None
        assert rows(read) == rows(pipeline)


def test_lines_of_files_keep_how_they_are_shuffled(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("a\nb\n")
    tree = ds.serialize(ds.TextFileDataset(str(path), shuffle=ds.Shuffle.FILES, num_samples=1))
    assert (tree["dataset_files"], tree["shuffle"], tree["num_samples"]) == ([str(path)], 1, 1)
    read = ds.deserialize(tree)
    assert read is not None
    assert rows(read) == [["a"]]


def test_padding_comes_back() -> None:
    data = ds.FakeImageDataset(2, (1, 1, 1), shuffle=False)
    padded = data.padded_batch(2, pad_info={"image": ([2, 1, 1], 9)})
    read = ds.deserialize(ds.serialize(padded))
    assert read is not None
    assert rows(read) == rows(padded)


def test_pipelines_with_functions_or_data_serialize_but_do_not_load(folder: str) -> None:
    data = ds.MnistDataset(folder, "train")
    options = {
        "the function 'abs'": data.map(abs, "label"),
        "per_batch_map='pyfunc'": data.batch(2, per_batch_map=lambda x, y, info: (x, y)),
        "got 'Filter'": data.filter(bool, "label"),
        "got 'GeneratorDataset'": ds.NumpySlicesDataset([1], ["x"]),
        "sampler_name must": ds.MnistDataset(folder, sampler=_Mine()),
    }
    for message, pipeline in options.items():
        tree = ds.serialize(pipeline)
        with pytest.raises(RuntimeError, match=message):
            ds.deserialize(tree)


class _Mine(ds.Sampler):
    def __iter__(self) -> Any:
        return iter([0])


def test_what_can_not_be_written_or_read_is_refused(tmp_path: Path) -> None:
    data = ds.FakeImageDataset(2, (1, 1, 1))
    assert ds.deserialize() is None
    with pytest.raises(TypeError, match="dataset must be a Dataset"):
        ds.serialize(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="json_filepath must be a str"):
        ds.serialize(data, 5)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="can be written"):
        ds.serialize(data, str(tmp_path / "no" / "file"))
    with pytest.raises(RuntimeError, match="built-in ones"):
        ds.serialize(data.map(transforms.Slice(1), "image"))
    with pytest.raises(TypeError, match="not JSON serializable"):
        ds.serialize(data.map(vision.LinearTransformation(np.eye(1), np.zeros(1)), "image"))
    with pytest.raises(RuntimeError, match="no form in JSON"):
        ds.serialize(data.map(vision.Resize(3, vision.Inter.ANTIALIAS), "image"))
    with pytest.raises(RuntimeError, match="Failed to find children"):
        ds.deserialize({"a": 1})
    with pytest.raises(RuntimeError, match="failed to open json file"):
        ds.deserialize(json_filepath=os.path.join(str(tmp_path), "none"))
    with pytest.raises(RuntimeError, match="failed to find 'count'"):
        ds.deserialize({"op_type": "Skip", "children": [ds.serialize(data)]})
    with pytest.raises(RuntimeError, match="unsupported operation"):
        operation = {"tensor_op_name": "No", "tensor_op_params": None}
        ds.deserialize(
            {**ds.serialize(data.map(vision.HWC2CHW(), "image")), "operations": [operation]}
        )


def test_line_reader_is_exported_from_the_utils_module() -> None:
    from minispore.dataset.utils import LineReader
    from minispore.dataset.utils.line_reader import LineReader as there

    assert LineReader is ds.LineReader is there
