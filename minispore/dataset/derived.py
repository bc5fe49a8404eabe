"""The dataset classes that operations return, one for each operation, named as in MindSpore."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from minispore.dataset import check
from minispore.dataset.dataset import Dataset, MappableDataset
from minispore.dataset.pipeline.batching import Batch
from minispore.dataset.pipeline.bucketing import BucketBatch
from minispore.dataset.pipeline.caching import Cached
from minispore.dataset.pipeline.combine import Concat, RandomInterleaving, StridedShard, Zip
from minispore.dataset.pipeline.flow import Filter, FlatMap, SyncWait
from minispore.dataset.pipeline.mapping import Map
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.order import Rename, Repeat, Select, Shuffle, Skip, Take
from minispore.dataset.pipeline.source import Sampled
from minispore.dataset.row_operations import zip_rows
from minispore.dataset.samplers import DistributedSampler, RandomSampler, SequentialSampler
from minispore.foundation import checks


class MapDataset(Dataset, of=(Map, Cached)):
    """The dataset that ``map`` returns."""

    @property
    def operations(self) -> list[Any]:
        """The operations, in order."""
        return list(getattr(self.node, "operations", ()))


class BatchDataset(Dataset, of=(Batch,)):
    """The dataset that ``batch`` returns."""


class BucketBatchByLengthDataset(Dataset, of=(BucketBatch,)):
    """The dataset that ``bucket_batch_by_length`` returns."""


class ShuffleDataset(Dataset, of=(Shuffle,)):
    """The dataset that ``shuffle`` returns."""


class RepeatDataset(Dataset, of=(Repeat,)):
    """The dataset that ``repeat`` returns."""


class TakeDataset(Dataset, of=(Take,)):
    """The dataset that ``take`` returns."""


class SkipDataset(Dataset, of=(Skip,)):
    """The dataset that ``skip`` returns."""


class FilterDataset(Dataset, of=(Filter,)):
    """The dataset that ``filter`` returns."""


class ConcatDataset(Dataset, of=(Concat, FlatMap)):
    """The dataset that ``concat`` and ``flat_map`` return."""

    def num_classes(self) -> int | None:
        """Return the largest number of classes of any part; None if no part knows its number."""
        counts = [part.num_classes() for part in self.children]
        return max((count for count in counts if count is not None), default=None)

    def use_sampler(self, sampler: Any) -> None:
        """Let ``sampler`` choose from the rows of all parts together, in place.

        Shard sizes may differ by one row, and shards take the rows of sources in order.

        Args:
            sampler (Sampler): a DistributedSampler without shuffle, or a RandomSampler without
                replacement, which interleaves the parts at random and keeps the order within each
                part; neither with ``num_samples``.

        Raises:
            TypeError: ``sampler`` is of any other class.
            ValueError: ``sampler`` shuffles shards, draws with replacement, or has
                ``num_samples``.
            RuntimeError: the dataset comes from ``flat_map``.
        """
        _check_concat_sampler(sampler)
        if not isinstance(self.node, Concat):
            raise RuntimeError(f"{_USE_SAMPLER}: what flat_map gives has no rows to pick from.")
        if isinstance(sampler, RandomSampler):
            for part in self.children:
                if isinstance(part, ConcatDataset):
                    part.use_sampler(sampler)
            nodes = tuple(part.node for part in self.children)
            sizes = tuple(part.get_dataset_size() for part in self.children)
            self.node = Concat(nodes, RandomInterleaving(sizes))
            return
        nodes = tuple(map(_put_in_order, self.children))
        self.node = Concat(nodes, StridedShard(sampler.num_shards, sampler.shard_id))
        self._size = None


_USE_SAMPLER = "ConcatDataset.use_sampler"


def _check_concat_sampler(sampler: Any) -> None:
    """Check that a sampler can choose from the rows of several datasets together.

    Raises:
        TypeError: ``sampler`` is neither a DistributedSampler nor a RandomSampler.
        ValueError: ``sampler`` shuffles shards, draws with replacement, or has ``num_samples``.
    """
    if not isinstance(sampler, DistributedSampler | RandomSampler):
        rule = "be a DistributedSampler or a RandomSampler"
        raise TypeError(
            checks.format_error(_USE_SAMPLER, "sampler", rule, checks.format_value(sampler))
        )
    api_name = type(sampler).__name__
    unsupported = {
        "shuffle": isinstance(sampler, DistributedSampler) and sampler.shuffle,
        "replacement": isinstance(sampler, RandomSampler) and sampler.replacement,
    }
    for name, is_set in unsupported.items():
        if is_set:
            rule = "be False in the sampler"
            hint = f"The parameter {name} of {api_name} must be False!"
            raise ValueError(checks.format_error(_USE_SAMPLER, name, rule, "True", hint))
    count = sampler.get_num_samples()
    if count is not None:
        hint = f"The parameter num_samples of {api_name} must not be set."
        raise ValueError(
            checks.format_error(_USE_SAMPLER, "num_samples", "be None", str(count), hint)
        )


def _put_in_order(part: Dataset) -> Node:
    """Return the node of a part of a ConcatDataset; a source gives its rows in order.

    Raises:
        TypeError: ``part`` is a BatchDataset.
        ValueError: the sampler of ``part`` has ``num_samples``.
    """
    if isinstance(part, BatchDataset):
        rule = "be concatenated of rows: a sampler must not pick from a BatchDataset"
        raise TypeError(checks.format_error(_USE_SAMPLER, "the dataset", rule, repr(part)))
    node = part.node
    sampler = getattr(node, "sampler", None)
    if getattr(sampler, "num_samples", None) is not None:
        rule = "have no num_samples of their own"
        raise ValueError(checks.format_error(_USE_SAMPLER, "the datasets", rule, repr(part)))
    if not isinstance(part, MappableDataset) or not isinstance(node, Sampled):
        return node
    in_order = SequentialSampler()
    in_order.child_sampler = getattr(sampler, "child_sampler", None)
    return replace(node, sampler=in_order)


class ZipDataset(Dataset, of=(Zip,)):
    """The dataset that ``zip`` returns."""


class ProjectDataset(Dataset, of=(Select,)):
    """The dataset that ``project`` returns."""


class RenameDataset(Dataset, of=(Rename,)):
    """The dataset that ``rename`` returns."""


class SyncWaitDataset(Dataset, of=(SyncWait,)):
    """The dataset that ``sync_wait`` returns."""


def zip_datasets(datasets: tuple[Dataset, ...]) -> Dataset:
    """Combine the columns of datasets side by side; the result is as long as the shortest.

    Args:
        datasets (tuple): two or more.

    Raises:
        TypeError: ``datasets`` is not a tuple of datasets.
        ValueError: there are fewer than two datasets.
        RuntimeError: two datasets have a column of the same name.
    """
    if not isinstance(datasets, tuple) or not all(isinstance(d, Dataset) for d in datasets):
        raise check.wrong_type("zip", "datasets", "be a tuple of datasets", datasets, tuple)
    return zip_rows(datasets)
