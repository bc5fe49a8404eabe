"""Sources and samplers in MindSpore's JSON.

A source is written by the arguments that it was made with, and by the sampler that it has by now.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore import dataset as front
from minispore.dataset import config, samplers
from minispore.dataset.dataset import SourceDataset
from minispore.dataset.drawn_samplers import PKSampler, WeightedRandomSampler
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.pipeline.source import Sampled
from minispore.dataset.sources.memory import NumpySlicesDataset, PaddedDataset
from minispore.dataset.sources.records import Shuffle, shuffle_kind

Json = dict[str, Any]

_NAMES = {"FakeImageDataset": "FakeImageNode"}
_PICKING = ("num_samples", "shuffle", "sampler", "num_shards", "shard_id")  # what a sampler says
_APART = ("num_parallel_workers", "cache", "decrypt")
_EMPTY: Json = {"class_indexing": {}, "compression_type": "", "schema": "", "usage": "all"}
_KEYS = {"schema": "schema_file_path"}
_LISTS = {"columns_list", "column_names", "column_defaults", "extensions"}
_ALWAYS: dict[str, Json] = {  # what MindSpore asks for and has no other value here
    "CocoDataset": {"extra_metadata": False},
    "ImageFolderDataset": {"recursive": False},
    "VOCDataset": {"extra_metadata": False},
}
_SHUFFLES = {Shuffle.FALSE: 0, Shuffle.FILES: 1, Shuffle.GLOBAL: 2}
_FIELDS: dict[type[samplers.Sampler], tuple[str, ...]] = {
    samplers.DistributedSampler: ("num_shards", "shard_id", "offset"),
    PKSampler: ("num_val", "shuffle"),
    samplers.RandomSampler: ("replacement",),
    samplers.SequentialSampler: ("start_index",),
    samplers.SubsetRandomSampler: ("indices",),
    samplers.SubsetSampler: ("indices",),
    WeightedRandomSampler: ("weights", "replacement"),
}


def common(workers: int | None) -> Json:
    """What MindSpore writes of each node that has workers."""
    return {
        "connector_queue_size": config.get_prefetch_size(),
        "num_parallel_workers": workers or config.get_num_parallel_workers(),
    }


def written(source: SourceDataset) -> Json:
    """A source as MindSpore writes it; one of data in memory has nothing but a name.

    Raises:
        RuntimeError: an argument has no form in JSON.
    """
    name = type(source).__name__
    if source.given is None:
        in_memory = isinstance(source, NumpySlicesDataset | PaddedDataset)
        return {"op_type": "GeneratorDataset" if in_memory else name, **common(1)}
    positional, named = source.given
    call = inspect.signature(type(source)).bind(*positional, **named)
    call.apply_defaults()
    arguments = {key: value for key, value in call.arguments.items() if key not in _APART}
    picked = "sampler" in arguments
    tree = {"op_type": _NAMES.get(name, name), **common(call.arguments["num_parallel_workers"])}
    tree |= _ALWAYS.get(name, {})
    for key, value in arguments.items():
        if not (picked and key in _PICKING):
            tree[_KEYS.get(key, key)] = _written(name, key, value)
    if picked:
        tree["sampler"] = sampler_written(source)
    else:
        tree |= {
            "num_samples": arguments["num_samples"] or 0,
            "num_shards": arguments["num_shards"] or 1,
            "shard_id": arguments["shard_id"] or 0,
            "shuffle": _SHUFFLES[shuffle_kind(name, arguments["shuffle"])],
        }
    return tree


def _written(name: str, key: str, value: Any) -> Any:
    if value is None:
        return [] if key in _LISTS else _EMPTY.get(key)
    if key == "dataset_files" and isinstance(value, str):
        return [value]
    if isinstance(value, Shuffle):
        return _SHUFFLES[shuffle_kind(name, value)]
    if isinstance(value, dict):
        return {k: _written(name, k, v) for k, v in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_written(name, "", v) for v in value]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bool | int | float | str):
        return value
    raise RuntimeError(
        f"serialize: the arguments of {name} must be numbers, texts, lists or dicts, got {key}="
        f"{value!r:.80}."
    )


def read(tree: Json) -> SourceDataset:
    """The source that MindSpore wrote.

    Raises:
        RuntimeError: it is none of files.
    """
    theirs = tree["op_type"]
    name = {written: ours for ours, written in _NAMES.items()}.get(theirs, theirs)
    kind = getattr(front, name, None) if name in front.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, SourceDataset) and kind.of_files):
        raise RuntimeError(
            f"deserialize: op_type must name an operation or a source of files, got {theirs!r}, an "
            "unsupported operation type. Build this part of the pipeline in Python."
        )
    known = inspect.signature(kind).parameters
    keys = {ours: _KEYS.get(ours, ours) for ours in known}
    arguments = {
        ours: tree[key] for ours, key in keys.items() if tree.get(key) not in (None, "", [], {})
    }
    if "sampler" in known:
        arguments["sampler"] = sampler_read(tree.get("sampler") or {})
    else:
        arguments |= _shares(tree)
    return kind(**arguments)


def _shares(tree: Json) -> Json:
    shards = tree.get("num_shards", 1)
    return {
        "num_samples": tree.get("num_samples") or None,
        "num_shards": shards if shards > 1 else None,
        "shard_id": tree.get("shard_id") if shards > 1 else None,
        "shuffle": {number: kind for kind, number in _SHUFFLES.items()}[tree.get("shuffle", 2)],
    }


def sampler_written(source: SourceDataset) -> Json:
    """The sampler of a source; of a user's own no more than how many rows it gives at most."""
    node = source.node
    assert isinstance(node, Sampled)
    return _sampler(node.sampler)


def _sampler(sampler: Any) -> Json:
    tree: Json = {"num_samples": sampler.num_samples or 0}
    kind = samplers.public(sampler)
    fields = _FIELDS.get(kind)
    if fields is None:
        return tree
    tree |= {field: _written("sampler", field, getattr(sampler, field)) for field in fields}
    if isinstance(sampler, samplers.RandomSampler):
        tree |= {"reshuffle_each_epoch": sampler._dealt is None, "shuffle_mode": 2}
    if isinstance(sampler, samplers.DistributedSampler):
        tree |= {"even_dist": sampler.offset == -1, "shuffle_mode": 2 if sampler.shuffle else 0}
        tree["seed"] = sampler.seed + 1  # of the first pass
    if sampler.child_sampler is not None:
        tree["child_sampler"] = [_sampler(sampler.child_sampler)]
    return {**tree, "sampler_name": kind.__name__}


def sampler_read(tree: Json) -> samplers.Sampler:
    """The sampler that MindSpore wrote.

    Raises:
        RuntimeError: it is a user's own.
    """
    kinds = {kind.__name__: kind for kind in _FIELDS}
    kind = kinds.get(tree.get("sampler_name", ""))
    if kind is None:
        raise RuntimeError(
            "deserialize: sampler_name must be that of a built-in sampler, got "
            f"{tree.get('sampler_name')!r}: a file holds nothing of a sampler in Python."
        )
    fields = {f: tree[f] for f in _FIELDS[kind] if f in tree}
    if kind is samplers.DistributedSampler:
        fields["shuffle"] = tree.get("shuffle_mode", 2) != 0
    made = kind(**fields, num_samples=tree["num_samples"] or None)
    if "seed" in tree and isinstance(made, samplers.DistributedSampler):
        made.seed = tree["seed"] - 1
    if tree.get("reshuffle_each_epoch") is False:  # of a split: one order for all passes
        made = samplers.RandomSampler.dealt(Seed.of(config.effective_seed()).value)
    for child in tree.get("child_sampler", ()):
        made.add_child(sampler_read(child))
    return made
