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
        """Return the largest number of classes that a part knows; None if no part knows one."""
        class_counts = [
            count for part in self.children if (count := part.num_classes()) is not None
        ]
        return max(class_counts, default=None)

    def use_sampler(self, sampler: Any) -> None:
        """Let ``sampler`` choose from the rows of all parts together. Shards may differ by a row,
        and take the rows of sources in order.

        Args:
            sampler (Sampler): a DistributedSampler without shuffle, or a RandomSampler without
                replacement, which takes rows of the parts in turn at random, those of each part in
                its own order; neither with ``num_samples``.

        Raises:
            TypeError: another sampler.
            ValueError: it shuffles shards, puts rows back, or has ``num_samples``.
            RuntimeError: it is what ``flat_map`` gave.
        """
        api_name = "ConcatDataset.use_sampler"
        if not isinstance(sampler, DistributedSampler | RandomSampler):
            rule = "be a DistributedSampler or a RandomSampler"
            raise TypeError(
                checks.format_error(api_name, "sampler", rule, checks.format_value(sampler))
            )
        unsupported = {
            "shuffle": isinstance(sampler, DistributedSampler) and sampler.shuffle,
            "replacement": isinstance(sampler, RandomSampler) and sampler.replacement,
        }
        for name, is_set in unsupported.items():
            if is_set:
                mindspore_text = f"The parameter {name} of {type(sampler).__name__} must be False!"
                raise ValueError(
                    checks.format_error(
                        api_name, name, "be False in the sampler", "True", mindspore_text
                    )
                )
        if (count := sampler.get_num_samples()) is not None:
            mindspore_text = (
                f"The parameter num_samples of {type(sampler).__name__} must not be set."
            )
            raise ValueError(
                checks.format_error(api_name, "num_samples", "be None", str(count), mindspore_text)
            )
        if not isinstance(self.node, Concat):
            raise RuntimeError(f"{api_name}: what flat_map gives has no rows to pick from.")
        if isinstance(sampler, RandomSampler):
            for part in self.children:
                if isinstance(part, ConcatDataset):
                    part.use_sampler(sampler)
            sizes = tuple(part.get_dataset_size() for part in self.children)
            self.node = Concat(
                tuple(part.node for part in self.children), RandomInterleaving(sizes)
            )
            return
        nodes = []
        for part in self.children:
            if isinstance(part, BatchDataset):
                rule = "be concatenated of rows: a sampler must not pick from a BatchDataset"
                raise TypeError(checks.format_error(api_name, "the dataset", rule, repr(part)))
            part_sampler = getattr(part.node, "sampler", None)
            if getattr(part_sampler, "num_samples", None) is not None:
                rule = "have no num_samples of their own"
                raise ValueError(checks.format_error(api_name, "the datasets", rule, repr(part)))
            node = part.node
            if isinstance(part, MappableDataset) and isinstance(node, Sampled):
                order = SequentialSampler()
                order.child_sampler = getattr(part_sampler, "child_sampler", None)
                node = replace(node, sampler=order)
            nodes.append(node)
        self.node = Concat(tuple(nodes), StridedShard(sampler.num_shards, sampler.shard_id))
        self._size = None


class ZipDataset(Dataset, of=(Zip,)):
    """The dataset that ``zip`` returns."""


class ProjectDataset(Dataset, of=(Select,)):
    """The dataset that ``project`` returns."""


class RenameDataset(Dataset, of=(Rename,)):
    """The dataset that ``rename`` returns."""


class SyncWaitDataset(Dataset, of=(SyncWait,)):
    """The dataset that ``sync_wait`` returns."""


def zip_datasets(datasets: tuple[Dataset, ...]) -> Dataset:
    """Combine the columns of datasets side by side; it has as many rows as the shortest.

    Args:
        datasets (tuple): two or more.

    Raises:
        TypeError: ``datasets`` is no tuple of datasets.
        ValueError: there are less than two.
        RuntimeError: two have a column of the same name.
    """
    if not isinstance(datasets, tuple) or not all(isinstance(d, Dataset) for d in datasets):
        raise check.wrong_type("zip", "datasets", "be a tuple of datasets", datasets, tuple)
    return zip_rows(datasets)
