"""What the operations give: a kind of dataset for each, which scripts know by its name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from minispore.dataset import check
from minispore.dataset.dataset import Dataset, MappableDataset
from minispore.dataset.pipeline.batching import Batch
from minispore.dataset.pipeline.bucketing import BucketBatch
from minispore.dataset.pipeline.caching import Cached
from minispore.dataset.pipeline.flow import Filter, FlatMap, SyncWait
from minispore.dataset.pipeline.mapping import Map
from minispore.dataset.pipeline.order import Rename, Repeat, Select, Shuffle, Skip, Take
from minispore.dataset.pipeline.source import Sampled
from minispore.dataset.pipeline.together import Concat, Every, Mixed, Zip
from minispore.dataset.row_operations import zipped
from minispore.dataset.samplers import DistributedSampler, RandomSampler, SequentialSampler
from minispore.foundation import checks


class MapDataset(Dataset, of=(Map, Cached)):
    """What ``map`` gives."""

    @property
    def operations(self) -> list[Any]:
        """The operations, in order."""
        return list(getattr(self.node, "operations", ()))


class BatchDataset(Dataset, of=(Batch,)):
    """What ``batch`` gives."""


class BucketBatchByLengthDataset(Dataset, of=(BucketBatch,)):
    """What ``bucket_batch_by_length`` gives."""


class ShuffleDataset(Dataset, of=(Shuffle,)):
    """What ``shuffle`` gives."""


class RepeatDataset(Dataset, of=(Repeat,)):
    """What ``repeat`` gives."""


class TakeDataset(Dataset, of=(Take,)):
    """What ``take`` gives."""


class SkipDataset(Dataset, of=(Skip,)):
    """What ``skip`` gives."""


class FilterDataset(Dataset, of=(Filter,)):
    """What ``filter`` gives."""


class ConcatDataset(Dataset, of=(Concat, FlatMap)):
    """What ``concat`` and ``flat_map`` give."""

    def num_classes(self) -> int | None:
        """The largest number of classes that a part knows."""
        known = [count for part in self.children if (count := part.num_classes()) is not None]
        return max(known, default=None)

    def use_sampler(self, sampler: Any) -> None:
        """Let ``sampler`` pick from the rows of all parts together. Shards may differ by a row,
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
        owner = "ConcatDataset.use_sampler"
        if not isinstance(sampler, DistributedSampler | RandomSampler):
            rule = "be a DistributedSampler or a RandomSampler"
            raise TypeError(
                checks.format_error(owner, "sampler", rule, checks.format_value(sampler))
            )
        refused = {
            "shuffle": isinstance(sampler, DistributedSampler) and sampler.shuffle,
            "replacement": isinstance(sampler, RandomSampler) and sampler.replacement,
        }
        for name, is_set in refused.items():
            if is_set:
                told = f"The parameter {name} of {type(sampler).__name__} must be False!"
                raise ValueError(
                    checks.format_error(owner, name, "be False in the sampler", "True", told)
                )
        if (count := sampler.get_num_samples()) is not None:
            told = f"The parameter num_samples of {type(sampler).__name__} must not be set."
            raise ValueError(checks.format_error(owner, "num_samples", "be None", str(count), told))
        if not isinstance(self.node, Concat):
            raise RuntimeError(f"{owner}: what flat_map gives has no rows to pick from.")
        if isinstance(sampler, RandomSampler):
            for part in self.children:
                if isinstance(part, ConcatDataset):
                    part.use_sampler(sampler)
            sizes = tuple(part.get_dataset_size() for part in self.children)
            self.node = Concat(tuple(part.node for part in self.children), Mixed(sizes))
            return
        nodes = []
        for part in self.children:
            if isinstance(part, BatchDataset):
                rule = "be concatenated of rows: a sampler must not pick from a BatchDataset"
                raise TypeError(checks.format_error(owner, "the dataset", rule, repr(part)))
            picked = getattr(part.node, "sampler", None)
            if getattr(picked, "num_samples", None) is not None:
                rule = "have no num_samples of their own"
                raise ValueError(checks.format_error(owner, "the datasets", rule, repr(part)))
            node = part.node
            if isinstance(part, MappableDataset) and isinstance(node, Sampled):
                order = SequentialSampler()
                order.child_sampler = getattr(picked, "child_sampler", None)
                node = replace(node, sampler=order)
            nodes.append(node)
        self.node = Concat(tuple(nodes), Every(sampler.num_shards, sampler.shard_id))
        self._size = None


class ZipDataset(Dataset, of=(Zip,)):
    """What ``zip`` gives."""


class ProjectDataset(Dataset, of=(Select,)):
    """What ``project`` gives."""


class RenameDataset(Dataset, of=(Rename,)):
    """What ``rename`` gives."""


class SyncWaitDataset(Dataset, of=(SyncWait,)):
    """What ``sync_wait`` gives."""


def zip_datasets(datasets: tuple[Dataset, ...]) -> Dataset:
    """The columns of datasets side by side, as many rows as the shortest has.

    Args:
        datasets (tuple): two or more.

    Raises:
        TypeError: ``datasets`` is no tuple of datasets.
        ValueError: there are less than two.
        RuntimeError: two have a column of the same name.
    """
    if not isinstance(datasets, tuple) or not all(isinstance(d, Dataset) for d in datasets):
        raise check.wrong_type("zip", "datasets", "be a tuple of datasets", datasets, tuple)
    return zipped(datasets)
