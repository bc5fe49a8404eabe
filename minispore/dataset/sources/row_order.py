"""In which order MindRecord files give their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from minispore.dataset import config
from minispore.dataset.pipeline.mersenne import MINSTD, Reshuffled, shuffled
from minispore.dataset.pipeline.random import Draws
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.source import TableSource
from minispore.dataset.samplers import (
    BuiltinSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    Shuffle,
    SubsetRandomSampler,
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
        dealt: the seed of one order for all passes.
    """

    def __init__(
        self,
        kind: Shuffle,
        shards: tuple[int, int] | None = None,
        num_samples: int | None = None,
        offset: int = -1,
        dealt: int | None = None,
    ) -> None:
        super().__init__(num_samples)
        self.kind, self.shards, self.offset, self._dealt = kind, shards, offset, dealt
        self._seed = config.get_seed()
        self._passes = Reshuffled()

    def is_shuffled(self) -> bool:
        return self.kind is not Shuffle.FALSE

    def is_sharded(self) -> bool:
        return self.shards is not None and self.shards[0] > 1

    def _own_size_(self, rows: int) -> int:
        return self._limit_(rows if self.shards is None else len(self._share(rows)))

    def _own_order_(self, rows: int, rng: Draws, number: int, table: Any) -> np.ndarray:
        if not rows:
            return np.arange(0)
        if self._dealt is not None:
            return shuffled(np.arange(rows), self._dealt, MINSTD)
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

    def again(self, order: np.ndarray, rng: Draws, number: int) -> np.ndarray:
        """The rows that were chosen for the first pass, in the order of another."""
        if self.kind is Shuffle.FALSE:
            return order
        if rng.seed is None:
            return rng.permutation(order)
        seed = rng.seed + 1 + number if self._dealt is None else self._dealt
        return shuffled(order, seed, MINSTD)

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


class _Drawn(RandomSampler):
    """Rows that may come again, as many as are asked for."""

    def _limit_(self, rows: int) -> int:
        return self.num_samples or rows


class _Subset(SubsetRandomSampler):
    """The rows named, in a random order: under a seed the same one in all passes."""

    def _own_order_(self, rows: int, rng: Draws, number: int, table: Any) -> np.ndarray:
        named = self._array[: self.num_samples]
        seed = int(rng.integers(2**31)) if rng.seed is None else rng.seed + 1
        return shuffled(named, seed, MINSTD)


@dataclass(frozen=True, eq=False)
class RecordSource(TableSource):
    """The rows of MindRecord files. Where a sampler picks from what another gives, the rows are
    chosen for the first pass; later ones shuffle these again, and shares are taken anew."""

    def order(self, run: Run, number: int) -> np.ndarray | None:
        if not isinstance(self.sampler, Sampler):
            return super().order(run, number)
        return self._ordered(run, run.keep(self.sampler, self.sampler._begun_), number)

    def _ordered(self, run: Run, sampler: Sampler, number: int) -> np.ndarray:
        child, rng, table = sampler.child_sampler, run.generator(self, number), self.table
        if child is None:
            return sampler._order_(len(table), rng, number, table)
        chain = list(_chain(sampler))
        if number and not any(isinstance(one, _Drawn) or one.is_sharded() for one in chain):

            def again(order: np.ndarray, pass_: int) -> np.ndarray:
                for one in chain:
                    if isinstance(one, _FileOrder):
                        order = one.again(order, run.generator(self, pass_), pass_)
                return order

            first = self._ordered(run, sampler, 0)
            return run.keep(sampler, Reshuffled).order(first, 1, number - 1, by=again)
        given = self._ordered(run, child, number)
        places = sampler._own_order_(len(given), rng, number, table)
        return given[sampler._bounded_(places, len(given))]


def _chain(sampler: Sampler | None) -> Iterator[Sampler]:
    """A sampler after those that it picks from, the innermost first."""
    if sampler is not None:
        yield from _chain(sampler.child_sampler)
        yield sampler


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
        made = _FileOrder(sampler.shuffle, None, sampler.num_samples, dealt=sampler._dealt)
    elif type(sampler) is RandomSampler:
        made = _Drawn(True, sampler.num_samples)
    elif type(sampler) is SubsetRandomSampler:
        made = _Subset(map(int, sampler.indices), sampler.num_samples)
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
