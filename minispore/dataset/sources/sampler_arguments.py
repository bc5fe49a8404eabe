"""Makes the sampler of a source dataset from its arguments."""

from __future__ import annotations

from typing import Any

from minispore.dataset import check
from minispore.dataset.samplers import (
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    as_sampler,
    is_iterable,
)
from minispore.errors import DatasetError


def make_sampler(
    api_name: str,
    num_samples: int | None,
    sampler: Any,
    shuffle: Any,
    num_shards: Any,
    shard_id: Any,
    rows_from_python: bool = False,
    reads_files: bool = True,
) -> Sampler:
    """Make the sampler of a source from its arguments; without any, a random sampler.

    Shards give a distributed sampler, ``shuffle=False`` a sequential one.

    As in MindSpore, ``num_samples`` random rows are drawn with replacement; 0 draws as many as
    there are rows.

    Args:
        api_name: the name of the source.
        num_samples, sampler, shuffle, num_shards, shard_id: the arguments of the source.
        rows_from_python: whether rows come from Python, for which MindSpore has different rules.
        reads_files: whether rows are read from files.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: ``sampler`` is in conflict with other arguments; a ValueError if the rows are
            not read from files.
    """
    check.num_samples(api_name, num_samples)
    if shuffle is not None:
        check.boolean(api_name, "shuffle", shuffle)
    error_type = DatasetError if reads_files else ValueError
    if sampler is not None and rows_from_python:
        _check_python_sampler(api_name, sampler)
    shards = check.shards(api_name, num_shards, shard_id, incomplete_error=error_type)
    if sampler is not None:
        excludes_others = isinstance(sampler, Sampler) or reads_files
        has_others = shuffle is not None or shards is not None or num_samples is not None
        if excludes_others and has_others:
            other_argument = "num_samples"
            if shuffle is not None:
                other_argument = "shuffle"
            elif shards is not None:
                other_argument = "sharding"
            raise error_type(
                f"{api_name}: sampler and {other_argument} cannot be specified at the same time: "
                f"sampler must stand alone, got it with shuffle={shuffle}, "
                f"num_samples={num_samples}, num_shards={num_shards}, shard_id={shard_id}. Give "
                "these to the sampler."
            )
        return as_sampler(sampler, num_samples)
    limit = num_samples or None
    if shards is not None:
        return DistributedSampler(*shards, shuffle is None or shuffle, limit)
    if shuffle is None or shuffle:
        return RandomSampler(replacement=num_samples is not None, num_samples=limit)
    return SequentialSampler(num_samples=limit)


def _check_python_sampler(api_name: str, sampler: Any) -> None:
    """Check a sampler of rows that come from Python.

    Raises:
        ValueError: ``sampler`` is a PKSampler, which needs classes.
        TypeError: ``sampler`` is neither a sampler nor an iterable.
    """
    if isinstance(sampler, Sampler) and sampler._needs_classes_:
        raise ValueError(
            f"{api_name}: sampler must not be a PKSampler, got {sampler!r}: rows from Python have "
            "no classes. GeneratorDataset doesn't support PKSampler."
        )
    if isinstance(sampler, Sampler):
        return
    if not is_iterable(sampler):
        raise TypeError(
            f"{api_name}: sampler must be a Sampler or an iterable of ints, got {sampler!r}: "
            "sampler should be either iterable or from mindspore.dataset.samplers."
        )
