"""The orders of rows read from MindRecord files, as in MindSpore."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from minispore.dataset import config
from minispore.dataset.pipeline.mersenne import MINSTD, ConsecutiveShuffles, std_shuffle
from minispore.dataset.pipeline.random import PassGenerator
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

_PARTIAL_ROWS = 1_000_000  # PARTIAL shuffles blocks of this many rows
_ADAPTIVE_ROWS = 100_000_000  # with more rows, ADAPTIVE is PARTIAL


class _FileOrder(BuiltinSampler):
    """The order of the rows of some files, or of one shard of them.

    Under a seed, and always for shards, which must agree, the order is the same as MindSpore's.
    With shards and for PARTIAL, each pass has a different seed; without shards, each pass shuffles
    the order of the previous pass. PARTIAL shuffles the files, then the rows of the shard.

    Args:
        mode: the shuffle mode.
        shards: (number of shards, index of this one), None for all rows.
        num_samples: the maximum number of rows.
        offset: the first of the shards that get an extra row; shards are then consecutive rows.
            With -1, shard i of n has the rows i, i + n, i + 2n, ..., wrapping around at the end.
        fixed_seed: the seed of one order for all passes.
    """

    def __init__(
        self,
        mode: Shuffle,
        shards: tuple[int, int] | None = None,
        num_samples: int | None = None,
        offset: int = -1,
        fixed_seed: int | None = None,
    ) -> None:
        super().__init__(num_samples)
        self.mode, self.shards, self.offset, self._fixed_seed = mode, shards, offset, fixed_seed
        self._seed = config.get_seed()
        self._shuffles = ConsecutiveShuffles()

    def is_shuffled(self) -> bool:
        return self.mode is not Shuffle.FALSE

    def is_sharded(self) -> bool:
        return self.shards is not None and self.shards[0] > 1

    def _compute_size_(self, rows: int) -> int:
        return self._limit_(rows if self.shards is None else len(self._shard_positions(rows)))

    def _compute_order_(self, rows: int, rng: PassGenerator, number: int, table: Any) -> np.ndarray:
        """Return the row numbers of a pass: shuffled, sharded, and for PARTIAL shuffled again."""
        if not rows:
            return np.arange(0)
        if self._fixed_seed is not None:
            return std_shuffle(np.arange(rows), self._fixed_seed, MINSTD)
        mode, order = self.mode, np.arange(rows)
        if mode is Shuffle.ADAPTIVE:
            mode = Shuffle.GLOBAL if rows <= _ADAPTIVE_ROWS else Shuffle.PARTIAL
        seed = rng.seed if self.shards is None else self._seed
        continues_last_pass = (
            seed is not None and self.shards is None and mode is not Shuffle.PARTIAL
        )
        seed = int(rng.integers(2**31)) if seed is None else seed + 1
        if mode is not Shuffle.FALSE:
            shuffle_once = partial(_shuffle_once, mode=mode, counts=table.count_rows())
            if continues_last_pass:
                order = self._shuffles.compute_order(order, seed, number, shuffle_once=shuffle_once)
            else:
                order = shuffle_once(order, seed + number)
        if self.shards is not None:
            order = order[self._shard_positions(rows)]
        if mode is Shuffle.PARTIAL:
            blocks = np.split(order, range(_PARTIAL_ROWS, len(order), _PARTIAL_ROWS))
            order = np.concatenate([std_shuffle(block, seed + number, MINSTD) for block in blocks])
        return order[: self.num_samples]

    def reorder(self, order: np.ndarray, rng: PassGenerator, number: int) -> np.ndarray:
        """Return the rows of the first pass, reordered for pass ``number`` if they are shuffled.

        Used for chained samplers, see :class:`RecordSource`.
        """
        if self.mode is Shuffle.FALSE:
            return order
        if rng.seed is None:
            return rng.permutation(order)
        seed = rng.seed + 1 + number if self._fixed_seed is None else self._fixed_seed
        return std_shuffle(order, seed, MINSTD)

    def _shard_positions(self, rows: int) -> np.ndarray:
        """Return the positions of this shard's rows."""
        assert self.shards is not None
        shards, shard = self.shards
        if self.offset == -1:
            return np.arange(shard, shard + -(-rows // shards) * shards, shards) % max(1, rows)
        rows_per_shard, extra = divmod(rows, shards)
        sizes = [rows_per_shard + ((i - self.offset) % shards < extra) for i in range(shards)]
        first = sum(sizes[:shard])
        return np.arange(first, first + sizes[shard])


class _ReplacementSampler(RandomSampler):
    """A random sampler with replacement that may draw more rows than there are."""

    def _limit_(self, rows: int) -> int:
        """Return the number of rows to draw: ``num_samples``, by default ``rows``."""
        return self.num_samples or rows


class _ShuffledSubset(SubsetRandomSampler):
    """The rows with the numbers ``indices``, in random order, which a seed fixes for all passes."""

    def _compute_order_(self, rows: int, rng: PassGenerator, number: int, table: Any) -> np.ndarray:
        """Return the subset in random order, under a seed the same in every pass."""
        chosen_rows = self._array[: self.num_samples]
        seed = int(rng.integers(2**31)) if rng.seed is None else rng.seed + 1
        return std_shuffle(chosen_rows, seed, MINSTD)


@dataclass(frozen=True, eq=False)
class RecordSource(TableSource):
    """The rows of MindRecord files, in the order of a sampler.

    With chained samplers the rows are chosen in the first pass, and later passes shuffle these rows
    again, unless a sampler of the chain is sharded or draws with replacement.
    """

    def order(self, run: Run, number: int) -> np.ndarray | None:
        """Return the row numbers of pass ``number``, in order; None for the order of the table."""
        if not isinstance(self.sampler, Sampler):
            return super().order(run, number)
        sampler = run.get_or_make(self.sampler, self.sampler._copy_for_iterator_)
        return self._compute_order(run, sampler, number)

    def _compute_order(self, run: Run, sampler: Sampler, number: int) -> np.ndarray:
        """Return the rows of pass ``number`` that a sampler chooses among its child's rows.

        After the first pass, a chain of samplers only reorders the rows of that pass, unless one of
        them is sharded or draws with replacement.
        """
        child, rng, table = sampler.child_sampler, run.make_generator(self, number), self.table
        if child is None:
            return sampler._order_(len(table), rng, number, table)
        chain = list(_iterate_chain(sampler))
        chooses_anew = any(isinstance(s, _ReplacementSampler) or s.is_sharded() for s in chain)
        if number and not chooses_anew:

            def reorder_chain(order: np.ndarray, pass_number: int) -> np.ndarray:
                """Reorder the rows by each file order in the chain, for pass ``pass_number``."""
                for member in chain:
                    if isinstance(member, _FileOrder):
                        rng = run.make_generator(self, pass_number)
                        order = member.reorder(order, rng, pass_number)
                return order

            first = self._compute_order(run, sampler, 0)
            shuffles = run.get_or_make(sampler, ConsecutiveShuffles)
            return shuffles.compute_order(first, 1, number - 1, shuffle_once=reorder_chain)
        child_order = self._compute_order(run, child, number)
        positions = sampler._compute_order_(len(child_order), rng, number, table)
        sampler._check_row_bounds_(positions, len(child_order))
        return child_order[positions]


def _iterate_chain(sampler: Sampler | None) -> Iterator[Sampler]:
    """Yield the samplers of a chain, from the innermost child to ``sampler``."""
    if sampler is not None:
        yield from _iterate_chain(sampler.child_sampler)
        yield sampler


def make_file_order(
    mode: Shuffle, shards: tuple[int, int] | None, num_samples: int | None
) -> BuiltinSampler:
    """Make the sampler of the rows of some files, with this shuffle mode and these shards."""
    return _FileOrder(mode, shards, num_samples)


def adapt_to_files(sampler: Sampler) -> Sampler:
    """Adapt a sampler to MindRecord files, whose shuffles and shards differ from other sources'.

    Random, subset random and distributed samplers are replaced, also in the chain below; others
    are kept.

    Raises:
        DatasetError: ``num_samples`` is given with a mode that excludes it.
    """
    adapted = sampler
    global_modes = (Shuffle.GLOBAL, Shuffle.ADAPTIVE)
    if type(sampler) is RandomSampler and not (
        sampler.replacement and sampler.shuffle in global_modes
    ):
        if sampler.num_samples and sampler.shuffle in (Shuffle.FILES, Shuffle.INFILE):
            raise DatasetError(
                "RandomSampler: num_samples must not be given with Shuffle.FILES or Shuffle.INFILE,"
                f" got {sampler.num_samples}. Leave one of them out."
            )
        adapted = _FileOrder(
            sampler.shuffle, None, sampler.num_samples, fixed_seed=sampler._fixed_seed
        )
    elif type(sampler) is RandomSampler:
        adapted = _ReplacementSampler(True, sampler.num_samples)
    elif type(sampler) is SubsetRandomSampler:
        adapted = _ShuffledSubset(map(int, sampler.indices), sampler.num_samples)
    elif type(sampler) is DistributedSampler:
        mode = Shuffle.GLOBAL if sampler.shuffle else Shuffle.FALSE
        shards = sampler.num_shards, sampler.shard_id
        adapted = _FileOrder(mode, shards, sampler.num_samples, sampler.offset)
    if sampler.child_sampler is not None:
        adapted = copy(adapted)
        adapted.child_sampler = adapt_to_files(sampler.child_sampler)
    return adapted


def _shuffle_once(order: np.ndarray, seed: int, mode: Shuffle, counts: Sequence[int]) -> np.ndarray:
    """Return ``order`` shuffled once: all rows, those of each file, or the files, by ``mode``.

    The order lists the rows file by file; ``counts`` are the row counts of the files, then of the
    padded rows.
    """
    if mode is Shuffle.GLOBAL:
        return std_shuffle(order, seed, MINSTD)
    *files, padded_rows = counts
    file_rows = np.split(order, np.cumsum(files if padded_rows else files[:-1]))
    if mode is Shuffle.INFILE:
        return np.concatenate([std_shuffle(rows, seed, MINSTD) for rows in file_rows])
    shuffled_files = std_shuffle(np.arange(len(file_rows)), seed, MINSTD)
    return np.concatenate([file_rows[i] for i in shuffled_files])
