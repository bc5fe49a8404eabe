"""serialize, deserialize, compare, show: a pipeline as the JSON that MindSpore writes for it.

For sources of files and built-in operations, JSON written by minispore can be read by MindSpore,
and vice versa. Functions and data in memory are written only as names: such pipelines can only be
shown and compared.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from minispore import log
from minispore.dataset.dataset import Dataset, SourceDataset
from minispore.dataset.derived import zip_datasets
from minispore.dataset.pipeline.batching import Batch
from minispore.dataset.pipeline.caching import Cached
from minispore.dataset.pipeline.combine import Concat, Zip
from minispore.dataset.pipeline.flow import Filter, SyncWait
from minispore.dataset.pipeline.mapping import Map
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.order import Rename, Repeat, Select, Shuffle, Skip, Take
from minispore.dataset.serialized import operations, sources
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.files import check_regular_file, parse_json, write_text

Json = dict[str, Any]

_FUNCTION = "pyfunc"  # MindSpore's entry for a function


def serialize(dataset: Dataset, json_filepath: str = "") -> Json:
    """Return the pipeline as MindSpore's JSON, which holds only the name of a function.

    Args:
        dataset (Dataset): the pipeline.
        json_filepath (str): the file to write the JSON to. Default: ``""``, none.

    Returns:
        dict.

    Raises:
        TypeError: ``dataset`` is not a dataset, or ``json_filepath`` is not a str.
        RuntimeError: an operation can't be written as JSON, or the file can't be written.

    Example:
        >>> import minispore.dataset as ds
        >>> data = ds.FakeImageDataset(5, (2, 2, 1), 3, shuffle=False).skip(1).batch(2)
        >>> tree = ds.serialize(data)
        >>> tree["op_type"], tree["batch_size"], tree["children"][0]["op_type"]
        ('Batch', 2, 'Skip')
    """
    if not isinstance(dataset, Dataset):
        text = checks.format_short(dataset)
        raise TypeError(f"serialize: dataset must be a Dataset, got {text}. It has no to_json.")
    if not isinstance(json_filepath, str):
        raise TypeError(f"serialize: json_filepath must be a str, got {json_filepath!r}.")
    tree = _serialize_node(dataset)
    if json_filepath:
        try:
            write_text(json_filepath, json.dumps(tree))
        except OSError as error:
            raise RuntimeError(
                f"serialize: json_filepath must be a file that can be written, got "
                f"{json_filepath!r}. {error}"
            ) from error
    return tree


def deserialize(input_dict: Json | None = None, json_filepath: str | None = None) -> Dataset | None:
    """Rebuild a pipeline from the JSON of :func:`serialize`, of minispore or of MindSpore.

    Args:
        input_dict (dict): the result of ``serialize``. Default: ``None``.
        json_filepath (str): a file of ``serialize``, read if there is no dict. Default: ``None``.

    Returns:
        Dataset; None if both arguments are None.

    Raises:
        RuntimeError: the file can't be read, is not a pipeline, or holds a function, a generator or
            data in memory.

    Example:
        >>> import minispore.dataset as ds
        >>> data = ds.FakeImageDataset(4, (2, 2, 1), 3, shuffle=False).batch(3)
        >>> ds.deserialize(ds.serialize(data)).get_dataset_size()
        2
    """
    if input_dict:
        return _deserialize_node(input_dict)
    if not json_filepath:
        return None
    try:
        tree = parse_json(Path(check_regular_file(json_filepath)).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RuntimeError(
            f"deserialize: json_filepath must be a file that serialize wrote, got "
            f"{json_filepath!r}, failed to open json file. {error}"
        ) from error
    return _deserialize_node(tree)


def compare(pipeline1: Dataset, pipeline2: Dataset) -> bool:
    """Whether two pipelines have the same JSON; functions are compared by name.

    Args:
        pipeline1, pipeline2 (Dataset): the pipelines.

    Returns:
        bool.

    Example:
        >>> import minispore.dataset as ds
        >>> data = ds.FakeImageDataset(4, (2, 2, 1), 3, shuffle=False)
        >>> ds.compare(data.batch(2), data.batch(2)), ds.compare(data.batch(2), data.batch(4))
        (True, False)
    """
    return serialize(pipeline1) == serialize(pipeline2)


def show(dataset: Dataset, indentation: int = 2) -> None:
    """Log the JSON of a pipeline at level INFO.

    Args:
        dataset (Dataset): the pipeline.
        indentation (int): the number of spaces per level. Default: ``2``.

    Example:
        >>> import minispore.dataset as ds
        >>> ds.show(ds.FakeImageDataset(4, (2, 2, 1), 3, shuffle=False).batch(2))
    """
    log.info("%s", json.dumps(serialize(dataset), indent=indentation))


# -- writing ---------------------------------------------------------------------------------------


def _serialize_node(dataset: Dataset) -> Json:
    """Return the JSON of a dataset and all datasets below it."""
    if isinstance(dataset, SourceDataset):
        return {"children": [], **sources.serialize_source(dataset)}
    node = dataset.node
    if isinstance(node, Cached):
        node = node.child
    tree: Json = {"children": [_serialize_node(child) for child in dataset.children]}
    write = _WRITERS.get(type(node))
    if write is None:
        return {**tree, "op_type": type(node).__name__}
    return {**tree, "op_type": _NAMES.get(type(node), type(node).__name__), **write(node, dataset)}


def _serialize_map(node: Map, dataset: Dataset) -> Json:
    """Return the JSON entries of a map."""
    return {
        **sources.make_common_entries(node.workers),
        "callback": [],
        "input_columns": list(node.inputs),
        "operations": [
            tree for op in node.operations for tree in operations.serialize_operation(op)
        ],
        "output_columns": list(node.outputs),
    }


def _serialize_batch(node: Batch, dataset: Dataset) -> Json:
    """Return the JSON entries of a batch."""
    has_function = node.function is not None
    tree: Json = {
        **sources.make_common_entries(node.workers),
        "batch_size": _FUNCTION if callable(node.batch_size) else node.batch_size,
        "drop_remainder": node.drop,
        "input_columns": list(node.inputs) if has_function else [],
        "output_columns": list(node.outputs) if has_function else [],
    }
    if has_function:
        tree["per_batch_map"] = _FUNCTION
    if node.padding is not None:  # MindSpore does not write this entry
        padding = {name: _serialize_padding(*pad) for name, pad in node.padding.items()}
        tree["pad_info"] = padding
    return tree


def _serialize_padding(shape: Any, value: Any) -> list[Any]:
    """Return the ``pad_info`` of one column."""
    fill = value.item() if hasattr(value, "item") else value
    return [None if shape is None else list(shape), fill]


def _serialize_concat(node: Concat, dataset: Dataset) -> Json:
    """Return the JSON entries of a concat."""
    sizes = [part.get_dataset_size() for part in dataset.children]
    return {
        "children_flag_and_nums": [[0, size] for size in sizes],
        "children_sizes": sizes,
        "children_start_end_index": [[-1, -1] for _ in sizes],
        "sampler": {"num_samples": 0, "sampler_name": "SequentialSampler", "start_index": 0},
    }


_NAMES: dict[type[Node], str] = {Select: "Project"}
_WRITERS: dict[type[Node], Callable[[Any, Dataset], Json]] = {
    Batch: _serialize_batch,
    Concat: _serialize_concat,
    Filter: lambda node, _: {
        "input_columns": list(node.inputs),
        "num_parallel_workers": sources.make_common_entries(None)["num_parallel_workers"],
        "predicate": _FUNCTION,
    },
    Map: _serialize_map,
    Rename: lambda node, _: node.get_arguments(),
    Repeat: lambda node, _: node.get_arguments(),
    Select: lambda node, _: node.get_arguments(),
    Shuffle: lambda node, _: {"buffer_size": node.buffer, "reset_each_epoch": node.reshuffle},
    Skip: lambda node, _: node.get_arguments(),
    SyncWait: lambda node, _: sources.make_common_entries(None),
    Take: lambda node, _: node.get_arguments(),
    Zip: lambda node, _: sources.make_common_entries(None),
}

# -- reading ---------------------------------------------------------------------------------------


def _deserialize_node(tree: Any) -> Dataset:
    """Make a dataset from a JSON tree.

    Raises:
        RuntimeError: an entry is missing, or an operation can't be made from JSON.
    """
    if not isinstance(tree, dict) or "op_type" not in tree or "children" not in tree:
        raise RuntimeError(
            "deserialize: input_dict must be what serialize gave, with op_type and children, got "
            f"{checks.format_short(tree)}. Failed to find children."
        )
    make = _READERS.get(tree["op_type"])
    try:
        if make is None:
            return sources.deserialize_source(tree)
        return make(tree, *[_deserialize_node(child) for child in tree["children"]])
    except KeyError as error:
        raise RuntimeError(
            f"deserialize: a {tree['op_type']} must have all its entries, failed to find {error}."
        ) from error


def _deserialize_batch(tree: Json, data: Dataset) -> Dataset:
    """Batch a dataset by its JSON entries.

    Raises:
        RuntimeError: the batch has functions.
    """
    if tree["batch_size"] == _FUNCTION or "per_batch_map" in tree:
        raise RuntimeError(
            "deserialize: a Batch must have no functions, got batch_size="
            f"{tree['batch_size']!r} and per_batch_map={tree.get('per_batch_map')!r}, of which a "
            "file holds nothing. Batch in Python."
        )
    size, drop = tree["batch_size"], tree["drop_remainder"]
    if "pad_info" in tree:
        padding = {name: tuple(pad) for name, pad in tree["pad_info"].items()}
        return data.padded_batch(size, drop, tree["num_parallel_workers"], padding)
    return data.batch(size, drop, tree["num_parallel_workers"])


def _deserialize_map(tree: Json, data: Dataset) -> Dataset:
    """Apply map operations to a dataset by their JSON entries."""
    return data.map(
        operations.deserialize_operations(tree["operations"]),
        tree["input_columns"] or None,
        tree["output_columns"] or None,
        num_parallel_workers=tree["num_parallel_workers"],
    )


_READERS: dict[str, Callable[..., Dataset]] = {
    "Batch": _deserialize_batch,
    "Concat": lambda tree, first, *others: first.concat(list(others)),
    "Map": _deserialize_map,
    "Project": lambda tree, data: data.project(tree["columns"]),
    "Rename": lambda tree, data: data.rename(tree["input_columns"], tree["output_columns"]),
    "Repeat": lambda tree, data: data.repeat(tree["count"]),
    "Shuffle": lambda tree, data: data.shuffle(tree["buffer_size"]),
    "Skip": lambda tree, data: data.skip(tree["count"]),
    "Take": lambda tree, data: data.take(tree["count"]),
    "Zip": lambda tree, *parts: zip_datasets(parts),
}

__all__ = ["compare", "deserialize", "serialize", "show"]

_describe("minispore.dataset", __name__)
