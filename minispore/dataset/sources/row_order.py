"""In which order MindRecord files give their rows."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np

from minispore.dataset import config
from minispore.dataset.pipeline.mersenne import MINSTD, Reshuffled, shuffled
from minispore.dataset.pipeline.random import Draws
from minispore.dataset.samplers import (
    BuiltinSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    Shuffle,
)
from minispore.errors import DatasetError

_PARTIAL_ROWS = 1_000_000  # rows that PARTIAL shuffles among themselves
_ADAPTIVE_ROWS = 100_000_000  # with more, ADAPTIVE is PARTIAL


class _FileOrder(BuiltinSampler):
    """The order of the rows of some files, or of one shard of them.

    Under a seed, and always for shards, which must agree, it is MindSpore's: each pass has a seed
    of its own. Without shards it shuffles what the pass before it gave. PARTIAL shuffles the files,
    then the rows of the shard.

    Args:
        kind: what is shuffled.
        shards: (number, which), None for all rows.
        num_samples: at most so many.
        offset: the first shard of those that get a row more; shards are runs of rows then. -1 for
            every ``number``-th row, going round at the end.
    """

    def __init__(
        self,
        kind: Shuffle,
        shards: tuple[int, int] | None = None,
        num_samples: int | None = None,
        offset: int = -1,
    ) -> None:
        super().__init__(num_samples)
        self.kind, self.shards, self.offset = kind, shards, offset
        self._seed = config.get_seed()
        self._passes = Reshuffled()

    def is_shuffled(self) -> bool:
        return self.kind is not Shuffle.FALSE

    def is_sharded(self) -> bool:
        return self.shards is not None

    def _own_size_(self, rows: int) -> int:
        return self._limit_(rows if self.shards is None else len(self._share(rows)))

    def _own_order_(self, rows: int, rng: Draws, number: int, table: Any) -> np.ndarray:
        if not rows:
            return np.arange(0)
        kind, order = self.kind, np.arange(rows)
        if kind is Shuffle.ADAPTIVE:
            kind = Shuffle.GLOBAL if rows <= _ADAPTIVE_ROWS else Shuffle.PARTIAL
        seed = rng.seed if self.shards is None else self._seed
        goes_on = seed is not None and self.shards is None and kind is not Shuffle.PARTIAL
        seed = int(rng.integers(2**31)) if seed is None else seed + 1
        if kind is not Shuffle.FALSE:
            by = partial(_shuffled, kind=kind, counts=table.counts())
            if goes_on:
                order = self._passes.order(order, seed, number, by=by)
            else:
                order = by(order, seed + number)
        if self.shards is not None:
            order = order[self._share(rows)]
        if kind is Shuffle.PARTIAL:
            runs = np.split(order, range(_PARTIAL_ROWS, len(order), _PARTIAL_ROWS))
            order = np.concatenate([shuffled(run, seed + number, MINSTD) for run in runs])
        return order[: self.num_samples]

    def _share(self, rows: int) -> np.ndarray:
        """The places of this shard's rows."""
        assert self.shards is not None
        shards, shard = self.shards
        if self.offset == -1:
            return np.arange(shard, shard + -(-rows // shards) * shards, shards) % max(1, rows)
        each, more = divmod(rows, shards)
        sizes = [each + ((i - self.offset) % shards < more) for i in range(shards)]
        first = sum(sizes[:shard])
        return np.arange(first, first + sizes[shard])


def file_order(
    kind: Shuffle, shards: tuple[int, int] | None, num_samples: int | None
) -> BuiltinSampler:
    """The order of the rows of some files, shuffled and shared so."""
    return _FileOrder(kind, shards, num_samples)


def of_files(sampler: Sampler) -> Sampler:
    """A sampler as it orders the rows of MindRecord files: shuffles and shards are theirs."""
    made = sampler
    whole = (Shuffle.GLOBAL, Shuffle.ADAPTIVE)
    if type(sampler) is RandomSampler and not (sampler.replacement and sampler.shuffle in whole):
        if sampler.num_samples and sampler.shuffle in (Shuffle.FILES, Shuffle.INFILE):
            raise DatasetError(
                "RandomSampler: num_samples must not be given with Shuffle.FILES or Shuffle.INFILE,"
                f" got {sampler.num_samples}. Leave one of them out."
            )
        made = _FileOrder(sampler.shuffle, None, sampler.num_samples)
    elif type(sampler) is RandomSampler:
        made = RandomSampler(True, sampler.num_samples)
    elif type(sampler) is DistributedSampler:
        kind = Shuffle.GLOBAL if sampler.shuffle else Shuffle.FALSE
        shards = sampler.num_shards, sampler.shard_id
        made = _FileOrder(kind, shards, sampler.num_samples, sampler.offset)
    if sampler.child_sampler is not None:
        made = copy(made)
        made.child_sampler = of_files(sampler.child_sampler)
    return made


def _shuffled(order: np.ndarray, seed: int, kind: Shuffle, counts: Sequence[int]) -> np.ndarray:
    """What one pass makes of an order of rows, whose files are runs of ``counts`` rows."""
    if kind is Shuffle.GLOBAL:
        return shuffled(order, seed, MINSTD)
    *files, padded = counts
    parts = np.split(order, np.cumsum(files if padded else files[:-1]))
    if kind is Shuffle.INFILE:
        return np.concatenate([shuffled(part, seed, MINSTD) for part in parts])
    return np.concatenate([parts[i] for i in shuffled(np.arange(len(parts)), seed, MINSTD)])
