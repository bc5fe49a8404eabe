"""The sampler that the arguments of a source ask for."""

from __future__ import annotations

from typing import Any

from minispore.dataset import check
from minispore.dataset.samplers import (
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    as_sampler,
    iterable,
)
from minispore.errors import DatasetError


def select(
    op: str,
    num_samples: int | None,
    sampler: Any,
    shuffle: Any,
    num_shards: Any,
    shard_id: Any,
    of_functions: bool = False,
    of_files: bool = True,
) -> Sampler:
    """The sampler that a source's arguments ask for; without any, a random one. As in MindSpore,
    ``num_samples`` random rows are drawn one by one, so that a row may come again; 0 are as many as
    there are.

    Args:
        op: the source.
        num_samples, sampler, shuffle, num_shards, shard_id: its arguments.
        of_functions: whether rows come from Python, where MindSpore has rules of its own.
        of_files: whether they are read from files.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: ``sampler`` and others say contradictory things; a ValueError of rows that
            are read from no file.
    """
    check.num_samples(op, num_samples)
    if shuffle is not None:
        check.boolean(op, "shuffle", shuffle)
    kind = DatasetError if of_files else ValueError
    if sampler is not None and of_functions:
        _check_of_functions(op, sampler)
    shards = check.shards(op, num_shards, shard_id, alone=kind)
    if sampler is not None:
        alone = isinstance(sampler, Sampler) or of_files
        picked = shuffle is not None or shards is not None or num_samples is not None
        if alone and picked:
            clash = "shuffle" if shuffle is not None else "num_samples"
            clash = "sharding" if shards is not None and shuffle is None else clash
            raise kind(
                f"{op}: sampler and {clash} cannot be specified at the same time: sampler must "
                f"stand alone, got it with shuffle={shuffle}, "
                f"num_samples={num_samples}, num_shards={num_shards}, shard_id={shard_id}. Give "
                "these to the sampler."
            )
        return as_sampler(sampler, num_samples)
    wanted = num_samples or None
    if shards is not None:
        return DistributedSampler(*shards, shuffle is None or shuffle, wanted)
    if shuffle is None or shuffle:
        return RandomSampler(replacement=num_samples is not None, num_samples=wanted)
    return SequentialSampler(num_samples=wanted)


def _check_of_functions(op: str, sampler: Any) -> None:
    """What may pick rows that come from Python."""
    if isinstance(sampler, Sampler) and sampler._of_classes_:
        raise ValueError(
            f"{op}: sampler must not be a PKSampler, got {sampler!r}: rows from Python have no "
            "classes. GeneratorDataset doesn't support PKSampler."
        )
    if isinstance(sampler, Sampler):
        return
    if not iterable(sampler):
        raise TypeError(
            f"{op}: sampler must be a Sampler or an iterable of ints, got {sampler!r}: sampler "
            "should be either iterable or from mindspore.dataset.samplers."
        )
