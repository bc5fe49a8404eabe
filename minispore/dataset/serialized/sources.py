"""Sources and samplers in MindSpore's JSON.

A source is written as the arguments of its constructor and its current sampler.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore import dataset as front
from minispore.dataset import config, samplers
from minispore.dataset.dataset import SourceDataset
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.pipeline.source import Sampled
from minispore.dataset.random_samplers import PKSampler, WeightedRandomSampler
from minispore.dataset.sources.memory import NumpySlicesDataset, PaddedDataset
from minispore.dataset.sources.records import Shuffle, check_shuffle

Json = dict[str, Any]

_NAMES = {"FakeImageDataset": "FakeImageNode"}
# Arguments that the sampler's entry replaces.
_SAMPLING_ARGUMENTS = (
    "num_samples",
    "shuffle",
    "sampler",
    "num_shards",
    "shard_id",
)
_SEPARATE_ARGUMENTS = ("num_parallel_workers", "cache", "decrypt")
_EMPTY: Json = {"class_indexing": {}, "compression_type": "", "schema": "", "usage": "all"}
_KEYS = {"schema": "schema_file_path"}
_LISTS = {"columns_list", "column_names", "column_defaults", "extensions"}
_CONSTANT_ENTRIES: dict[str, Json] = {  # entries that MindSpore requires, here constant
    "CocoDataset": {"extra_metadata": False},
    "ImageFolderDataset": {"recursive": False},
    "VOCDataset": {"extra_metadata": False},
}
_SHUFFLE_NUMBERS = {Shuffle.FALSE: 0, Shuffle.FILES: 1, Shuffle.GLOBAL: 2}
_FIELDS: dict[type[samplers.Sampler], tuple[str, ...]] = {
    samplers.DistributedSampler: ("num_shards", "shard_id", "offset"),
    PKSampler: ("num_val", "shuffle"),
    samplers.RandomSampler: ("replacement",),
    samplers.SequentialSampler: ("start_index",),
    samplers.SubsetRandomSampler: ("indices",),
    samplers.SubsetSampler: ("indices",),
    WeightedRandomSampler: ("weights", "replacement"),
}


def make_common_entries(workers: int | None) -> Json:
    """Return the entries that MindSpore writes for each node that has workers."""
    return {
        "connector_queue_size": config.get_prefetch_size(),
        "num_parallel_workers": workers or config.get_num_parallel_workers(),
    }


def serialize_source(source: SourceDataset) -> Json:
    """Return the entries of a source; a source of data in memory has only a name.

    Raises:
        RuntimeError: an argument can't be written as JSON.
    """
    name = type(source).__name__
    if source.init_args is None:
        in_memory = isinstance(source, NumpySlicesDataset | PaddedDataset)
        return {"op_type": "GeneratorDataset" if in_memory else name, **make_common_entries(1)}
    positional, keywords = source.init_args
    call = inspect.signature(type(source)).bind(*positional, **keywords)
    call.apply_defaults()
    arguments = {
        key: value for key, value in call.arguments.items() if key not in _SEPARATE_ARGUMENTS
    }
    has_sampler = "sampler" in arguments
    tree = {
        "op_type": _NAMES.get(name, name),
        **make_common_entries(call.arguments["num_parallel_workers"]),
    }
    tree |= _CONSTANT_ENTRIES.get(name, {})
    for key, value in arguments.items():
        if not (has_sampler and key in _SAMPLING_ARGUMENTS):
            tree[_KEYS.get(key, key)] = _serialize_argument(name, key, value)
    if has_sampler:
        tree["sampler"] = serialize_source_sampler(source)
    else:
        tree |= {
            "num_samples": arguments["num_samples"] or 0,
            "num_shards": arguments["num_shards"] or 1,
            "shard_id": arguments["shard_id"] or 0,
            "shuffle": _SHUFFLE_NUMBERS[check_shuffle(name, arguments["shuffle"])],
        }
    return tree


def _serialize_argument(name: str, key: str, value: Any) -> Any:
    """Return a constructor argument of a source as JSON.

    Raises:
        RuntimeError: the argument can't be written as JSON.
    """
    if value is None:
        return [] if key in _LISTS else _EMPTY.get(key)
    if key == "dataset_files" and isinstance(value, str):
        return [value]
    if isinstance(value, Shuffle):
        return _SHUFFLE_NUMBERS[check_shuffle(name, value)]
    if isinstance(value, dict):
        return {k: _serialize_argument(name, k, v) for k, v in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_serialize_argument(name, "", v) for v in value]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bool | int | float | str):
        return value
    raise RuntimeError(
        f"serialize: the arguments of {name} must be numbers, texts, lists or dicts, got {key}="
        f"{value!r:.80}."
    )


def deserialize_source(tree: Json) -> SourceDataset:
    """Make a source from its entries.

    Raises:
        RuntimeError: the source does not read files.
    """
    mindspore_name = tree["op_type"]
    name = {written: minispore_name for minispore_name, written in _NAMES.items()}.get(
        mindspore_name, mindspore_name
    )
    cls = getattr(front, name, None) if name in front.__all__ else None
    if not (isinstance(cls, type) and issubclass(cls, SourceDataset) and cls.reads_files):
        raise RuntimeError(
            "deserialize: op_type must name an operation or a source of files, got "
            f"{mindspore_name!r}, an unsupported operation type. Build this part of the pipeline "
            "in Python."
        )
    parameters = inspect.signature(cls).parameters
    keys = {
        minispore_name: _KEYS.get(minispore_name, minispore_name) for minispore_name in parameters
    }
    arguments = {
        minispore_name: tree[key]
        for minispore_name, key in keys.items()
        if tree.get(key) not in (None, "", [], {})
    }
    if "sampler" in parameters:
        arguments["sampler"] = deserialize_sampler(tree.get("sampler") or {})
    else:
        arguments |= _restore_sampling(tree)
    return cls(**arguments)


def _restore_sampling(tree: Json) -> Json:
    """Return the sampling arguments of a source that has no sampler entry."""
    shards = tree.get("num_shards", 1)
    return {
        "num_samples": tree.get("num_samples") or None,
        "num_shards": shards if shards > 1 else None,
        "shard_id": tree.get("shard_id") if shards > 1 else None,
        "shuffle": {number: kind for kind, number in _SHUFFLE_NUMBERS.items()}[
            tree.get("shuffle", 2)
        ],
    }


def serialize_source_sampler(source: SourceDataset) -> Json:
    """Return the sampler entry of a source; for a user's own sampler only its ``num_samples``."""
    node = source.node
    assert isinstance(node, Sampled)
    return _serialize_sampler(node.sampler)


def _serialize_sampler(sampler: Any) -> Json:
    """Return the entry of a sampler and its child."""
    tree: Json = {"num_samples": sampler.num_samples or 0}
    cls = samplers.public_class(sampler)
    fields = _FIELDS.get(cls)
    if fields is None:
        return tree
    tree |= {
        field: _serialize_argument("sampler", field, getattr(sampler, field)) for field in fields
    }
    if isinstance(sampler, samplers.RandomSampler):
        tree |= {"reshuffle_each_epoch": sampler._fixed_seed is None, "shuffle_mode": 2}
    if isinstance(sampler, samplers.DistributedSampler):
        tree |= {"even_dist": sampler.offset == -1, "shuffle_mode": 2 if sampler.shuffle else 0}
        tree["seed"] = sampler.seed + 1  # seed of the first pass
    if sampler.child_sampler is not None:
        tree["child_sampler"] = [_serialize_sampler(sampler.child_sampler)]
    return {**tree, "sampler_name": cls.__name__}


def deserialize_sampler(tree: Json) -> samplers.Sampler:
    """Make a sampler from its entry.

    Raises:
        RuntimeError: the sampler is user-defined.
    """
    classes = {cls.__name__: cls for cls in _FIELDS}
    cls = classes.get(tree.get("sampler_name", ""))
    if cls is None:
        raise RuntimeError(
            "deserialize: sampler_name must be that of a built-in sampler, got "
            f"{tree.get('sampler_name')!r}: a file holds nothing of a sampler in Python."
        )
    fields = {f: tree[f] for f in _FIELDS[cls] if f in tree}
    if cls is samplers.DistributedSampler:
        fields["shuffle"] = tree.get("shuffle_mode", 2) != 0
    sampler = cls(**fields, num_samples=tree["num_samples"] or None)
    if "seed" in tree and isinstance(sampler, samplers.DistributedSampler):
        sampler.seed = tree["seed"] - 1
    # The sampler of a split: one order for all passes.
    if tree.get("reshuffle_each_epoch") is False:
        sampler = samplers.RandomSampler.with_fixed_order(
            Seed.from_value(config.effective_seed()).value
        )
    for child in tree.get("child_sampler", ()):
        sampler.add_child(deserialize_sampler(child))
    return sampler
