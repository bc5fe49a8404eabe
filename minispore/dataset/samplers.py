"""Samplers: they choose the rows of a pass over a source, and their order.

A sampler is a value; ``_order_(rows, rng, number, table)`` returns the row numbers of pass
``number`` over ``rows`` rows. A chained sampler (``add_child``) chooses from its child's rows.
Under a seed that the user chose, the orders are the same as MindSpore's. Distributed shuffles use
the seed that ``ds.config`` has when the sampler is made, the same on all ranks if none is set.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from copy import copy
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np

from minispore.dataset import check, config
from minispore.dataset.pipeline.mersenne import ConsecutiveShuffles, draw_integers, std_shuffle
from minispore.dataset.pipeline.random import PassGenerator, copy_for_iterator
from minispore.errors import DatasetError

INT64_MAX = 2**63 - 1


class Shuffle(StrEnum):
    """The ways to shuffle a source of several files."""

    FALSE = "false"
    ADAPTIVE = "adaptive"
    GLOBAL = "global"
    PARTIAL = "partial"
    FILES = "files"
    INFILE = "infile"


class Sampler:
    """Base of samplers; users' own samplers define ``__iter__`` or ``get_indices``.

    Both return the row numbers of one pass.

    Args:
        num_samples (int, optional): the maximum number of rows; None for all from ``__iter__``.

    Example:
        >>> import minispore.dataset as ds
        >>> class Backwards(ds.Sampler):
        ...     def __iter__(self):
        ...         return iter(range(self.dataset_size - 1, -1, -1))
        >>> data = ds.NumpySlicesDataset([10, 20, 30], ["x"], sampler=Backwards())
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]
        [30, 20, 10]
    """

    dataset_size: int = 0  # rows of the source; known when a pass starts
    _needs_classes_: ClassVar[bool] = False  # whether it must know the classes of the rows
    child_sampler: Sampler | None = None
    _computed_passes_ = 0  # number of passes whose rows were computed
    _stored_passes_: dict[int, np.ndarray] | None = None  # rows of passes computed and not used yet

    def __init__(self, num_samples: int | None = None) -> None:
        self.num_samples = check.num_samples(type(self).__name__, num_samples)

    def __iter__(self) -> Any:
        raise TypeError(
            f"{type(self).__name__}: must define __iter__, which gives the row numbers of a pass."
        )

    def get_indices(self) -> Sequence[int]:
        """Return the row numbers of one pass."""
        return list(self)

    def add_child(self, sampler: Sampler | None) -> None:
        """Choose from the rows of ``sampler``, not from the entire source; None changes nothing.

        Raises:
            RuntimeError: the sampler already has a child.
        """
        if self.child_sampler is not None:
            raise RuntimeError(
                "add_child: a sampler must have at most one child, it has one already. Cannot add "
                "child sampler, this sampler already has a child."
            )
        self.child_sampler = None if sampler is None else as_sampler(sampler)

    def get_child(self) -> Sampler | None:
        """Return the sampler that this one chooses from."""
        return self.child_sampler

    def get_num_samples(self) -> int | None:
        """Return the maximum number of rows, the smaller of its own and its child's, or None."""
        counts = [self.num_samples]
        if self.child_sampler is not None:
            counts.append(self.child_sampler.get_num_samples())
        limits = [c for c in counts if c is not None]
        return min(limits) if limits else None

    def is_shuffled(self) -> bool:
        """Whether the order is random."""
        return self.child_sampler is not None and self.child_sampler.is_shuffled()

    def is_sharded(self) -> bool:
        """Whether the rows are only a shard of the source."""
        return self.child_sampler is not None and self.child_sampler.is_sharded()

    def _copy_for_iterator_(self) -> Sampler:
        """Return the sampler for one iterator, a copy with a fresh state."""
        return copy_for_iterator(self)

    def _bind_table_(self, table: Any) -> Sampler:
        """Return the sampler bound to its table, on which its size may depend."""
        if self.child_sampler is not None:
            self.child_sampler._bind_table_(table)
        return self

    def _size_(self, rows: int) -> int:
        """Return the number of rows of a pass over a source of ``rows`` rows."""
        if self.child_sampler is not None:
            rows = self.child_sampler._size_(rows)
        return self._compute_size_(rows)

    def _order_(self, rows: int, rng: PassGenerator, number: int, table: Any = None) -> np.ndarray:
        """Return the row numbers of pass ``number``.

        Raises:
            RuntimeError: a row number is out of range.
        """
        child_order = None
        if self.child_sampler is not None:
            child_order = self.child_sampler._order_(rows, rng, number, table)
            rows = len(child_order)
        order = self._compute_order_(rows, rng, number, table)
        self._check_row_bounds_(order, rows)
        return order if child_order is None else child_order[order]

    def _compute_size_(self, rows: int) -> int:
        """Return the number of rows that this sampler chooses from ``rows``.

        A user-defined sampler that does not announce its size is iterated once to count its rows.
        """
        sampler = self._copy_for_iterator_()
        sampler.dataset_size = rows
        size = sampler._announced_size_()
        return len(sampler.get_indices()) if size is None else size

    def _announced_size_(self) -> int | None:
        """Return ``num_samples`` or the length of a user-defined sampler.

        None means that all rows are taken.
        """
        length = getattr(self, "__len__", None)
        return length() if self.num_samples is None and length is not None else self.num_samples

    def _compute_order_(self, rows: int, rng: PassGenerator, number: int, table: Any) -> np.ndarray:
        """Return the row numbers of a pass before any child's order is applied.

        A user-defined sampler is iterated pass by pass; rows of passes not needed yet are stored.
        """
        self.dataset_size = rows
        if self._stored_passes_ is None:
            self._stored_passes_ = {}
        while number not in self._stored_passes_:  # passes are computed in order, but used in any
            if self._computed_passes_ and hasattr(self, "reset"):  # a user-defined one
                self.reset()
            self._stored_passes_[min(self._computed_passes_, number)] = self._draw_rows_()
            self._computed_passes_ += 1
        return self._stored_passes_.pop(number)

    def _draw_rows_(self) -> np.ndarray:
        """Return the row numbers of a user-defined sampler's next pass, up to its announced size.

        Raises:
            DatasetError: the sampler yields no rows, non-ints, or fewer rows than announced.
        """
        indices = self.get_indices()
        index_list = indices if isinstance(indices, np.ndarray | list | tuple) else list(indices)
        array = np.asarray(index_list)
        if not array.size:
            raise DatasetError(
                f"{type(self).__name__}: __iter__ must give the row numbers of each pass, got none "
                f"for pass {self._computed_passes_}. An iterator gives them once: use a list."
            )
        if array.dtype.kind not in "iu":
            raise DatasetError(
                f"{type(self).__name__}: __iter__ must give ints, got {array.dtype} "
                f"{array.ravel()[:3].tolist()}."
            )
        numbers, size = array.astype(np.int64).ravel(), self._announced_size_()
        if size is not None and len(numbers) < size:
            raise DatasetError(
                f"{type(self).__name__}: must give the {size} rows that its __len__ or num_samples "
                f"tells, got {len(numbers)}: The actual amount of data read from generator "
                f"{len(numbers)} is different from generator.len {size}."
            )
        return numbers[:size]

    def _check_row_bounds_(self, order: np.ndarray, rows: int) -> None:
        """Check that all row numbers are in the source.

        Raises:
            DatasetError: a row number is not in the source.
        """
        is_invalid = (order < 0) | (order >= rows)
        if is_invalid.any():
            raise DatasetError(
                f"{public_class(self).__name__}: a row number must be in [0, {rows - 1}], got "
                f"{order[is_invalid][0]}. The source has {rows} rows."
            )

    def __repr__(self) -> str:
        attributes = [
            f"{k}={v!r:.40}"
            for k, v in vars(self).items()
            if v is not None and not k.startswith("_")
        ]
        return f"{public_class(self).__name__}({', '.join(attributes)})"


class BuiltinSampler(Sampler):
    """Base of the samplers that come with the package."""

    def __iter__(self) -> Any:
        raise TypeError(
            f"{type(self).__name__}: can't be iterated. Pass it to a dataset as sampler=..."
        )

    def _copy_for_iterator_(self) -> Sampler:
        """Return this sampler if it has no child, otherwise a copy whose child is what the same
        method of the child returns.
        """
        if self.child_sampler is None:
            return self
        sampler = copy(self)
        sampler.child_sampler = self.child_sampler._copy_for_iterator_()
        return sampler

    def _limit_(self, rows: int) -> int:
        """Return ``rows``, but at most ``num_samples``."""
        return rows if self.num_samples is None else min(rows, self.num_samples)

    def _compute_size_(self, rows: int) -> int:
        """Return the number of rows chosen from ``rows``: all, but at most ``num_samples``."""
        return self._limit_(rows)


class SequentialSampler(BuiltinSampler):
    """Rows in order, from ``start_index`` on.

    Args:
        start_index (int, optional): the first row. Default: ``None``, row 0.
        num_samples (int, optional): the maximum number of rows.
    """

    def __init__(self, start_index: int | None = None, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.start_index = 0
        if start_index is not None:
            api_name = "SequentialSampler"
            self.start_index = _check_int(api_name, "start_index", start_index, 0, INT64_MAX)

    def _compute_size_(self, rows: int) -> int:
        return self._limit_(max(0, rows - self.start_index))

    def _compute_order_(self, rows: int, rng: PassGenerator, number: int, table: Any) -> np.ndarray:
        """Return the rows in order; raise DatasetError if ``start_index`` is out of range."""
        if self.start_index and self.start_index >= rows:
            raise DatasetError(
                f"SequentialSampler: start_index must be less than the number of rows, {rows}, got "
                f"{self.start_index}."
            )
        return np.arange(self.start_index, self.start_index + self._compute_size_(rows))


class RandomSampler(BuiltinSampler):
    """Rows in random order.

    Args:
        replacement (bool): whether to draw with replacement. Default: ``False``.
        num_samples (int, optional): the maximum number of rows; with replacement, the exact number.
        shuffle (Shuffle): what to shuffle in MindRecord files. Default: ``Shuffle.GLOBAL``, all
            rows, the only choice for other sources.
    """

    def __init__(
        self,
        replacement: bool = False,
        num_samples: int | None = None,
        shuffle: Shuffle = Shuffle.GLOBAL,
    ) -> None:
        super().__init__(num_samples)
        self.replacement = _check_bool("RandomSampler", "replacement", replacement)
        if not isinstance(shuffle, Shuffle) or shuffle is Shuffle.FALSE:
            raise TypeError(
                f"RandomSampler: shuffle must be a Shuffle, and not FALSE, got {shuffle!r}."
            )
        self.shuffle = shuffle
        self._shuffles = ConsecutiveShuffles()
        self._fixed_seed: int | None = None  # seed of one order for all passes

    @staticmethod
    def with_fixed_order(seed: int) -> RandomSampler:
        """Make a sampler with one order for all passes, for the parts of a split."""
        sampler = RandomSampler()
        sampler._fixed_seed = seed
        return sampler

    def is_shuffled(self) -> bool:
        return True

    def _compute_size_(self, rows: int) -> int:
        """Return the number of rows; raise DatasetError for shuffles of files."""
        if self.shuffle is not Shuffle.GLOBAL:
            raise DatasetError(
                "RandomSampler: shuffle must be Shuffle.GLOBAL for what does not come from "
                f"MindRecord files, got {self.shuffle}."
            )
        return self._limit_(rows)

    def _compute_order_(self, rows: int, rng: PassGenerator, number: int, table: Any) -> np.ndarray:
        """Return the random rows of a pass; under a seed they are the same as MindSpore's."""
        count = self._compute_size_(rows)
        if self._fixed_seed is not None:
            return std_shuffle(np.arange(rows), self._fixed_seed)[:count]
        if not self.replacement:
            return _shuffle_rows(np.arange(rows), rng, number, self._shuffles)[:count]
        if not rows:
            return np.arange(0)
        if rng.seed is None:
            return rng.integers(rows, size=count)
        return draw_integers(rng.seed + number, rows, count)


class DistributedSampler(BuiltinSampler):
    """The rows of one of several shards.

    Row i of shard s is row s + i * num_shards, wrapping around at the end.

    Args:
        num_shards (int): the number of shards.
        shard_id (int): the shard, from 0.
        shuffle (bool): whether rows are shuffled first, the same way in all
            shards. Default: ``True``.
        num_samples (int, optional): the maximum number of rows.
        offset (int): the shard that gets the first row; if given, shards do not wrap around, and a
            shard without any row gets row 0. Default: ``-1``, shard 0.
    """

    def __init__(
        self,
        num_shards: int,
        shard_id: int,
        shuffle: bool = True,
        num_samples: int | None = None,
        offset: int = -1,
    ) -> None:
        super().__init__(num_samples)
        shards = check.shards("DistributedSampler", num_shards, shard_id)
        assert shards is not None
        self.num_shards, self.shard_id = shards
        self.shuffle = _check_bool("DistributedSampler", "shuffle", shuffle)
        self.offset = -1
        self.set_offset(offset)
        self.seed = config.get_seed()
        self._shuffles = ConsecutiveShuffles()

    def set_offset(self, offset: int) -> DistributedSampler:
        """Set which shard gets the first row, and return this sampler; -1 for shard 0."""
        self.offset = _check_int("DistributedSampler", "offset", offset, -1, self.num_shards)
        return self

    def is_shuffled(self) -> bool:
        return self.shuffle

    def is_sharded(self) -> bool:
        return self.num_shards > 1

    def _compute_size_(self, rows: int) -> int:
        """Return the number of rows of this shard, at most ``num_samples``.

        Without an offset it is the same for all shards; with one, shards differ by at most a row.
        """
        if self.offset == -1:
            return self._limit_(-(-rows // self.num_shards))
        return self._limit_(max(min(1, rows), len(range(self._first_row, rows, self.num_shards))))

    @property
    def _first_row(self) -> int:
        """The index of the first row of this shard."""
        return (self.shard_id - max(self.offset, 0)) % self.num_shards

    def _compute_order_(self, rows: int, rng: PassGenerator, number: int, table: Any) -> np.ndarray:
        """Return this shard's rows, wrapping around if needed; all shards shuffle alike."""
        if not rows or (self.offset >= 0 and self._first_row >= rows):
            return np.zeros(self._compute_size_(rows), np.int64)
        positions = self._first_row + np.arange(self._compute_size_(rows)) * self.num_shards
        if not self.shuffle:
            return positions % rows
        order = self._shuffles.compute_order(np.arange(rows), self.seed + 1, number)
        return order[positions % rows]


class SubsetSampler(BuiltinSampler):
    """The rows with the numbers ``indices``, in that order.

    Args:
        indices (Iterable[int]): row numbers.
        num_samples (int, optional): the maximum number of rows.
    """

    def __init__(self, indices: Iterable[int], num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        api_name = type(self).__name__
        self._shuffles = ConsecutiveShuffles()
        index_list = [indices] if isinstance(indices, int | np.integer) else indices
        if isinstance(index_list, str) or not isinstance(index_list, Iterable):
            raise TypeError(
                f"{api_name}: indices must be a sequence of ints, got {indices!r}. Unsupported "
                f"sampler object of type ({type(indices)})."
            )
        self.indices = list(index_list)
        for i, index in enumerate(self.indices):
            if isinstance(index, bool) or not isinstance(index, int | np.integer):
                raise TypeError(
                    f"{api_name}: indices must hold ints, got {index!r}. Type of indices element "
                    f"must be int, but got list[{i}]: {index}, type: {type(index)}."
                )
            if not -INT64_MAX <= index <= INT64_MAX:
                raise TypeError(f"{api_name}: indices must be row numbers, got {index}.")
        self._array = np.array(self.indices, np.int64)

    def _compute_size_(self, rows: int) -> int:
        return self._limit_(len(self._array))

    def _compute_order_(self, rows: int, rng: PassGenerator, number: int, table: Any) -> np.ndarray:
        """Return ``indices`` up to ``num_samples``, the same in every pass."""
        return self._array[: self.num_samples]


class SubsetRandomSampler(SubsetSampler):
    """The rows with the numbers ``indices``, in random order.

    Args:
        indices (Iterable[int]): row numbers.
        num_samples (int, optional): use only the first ``num_samples`` rows.
    """

    def is_shuffled(self) -> bool:
        return True

    def _compute_order_(self, rows: int, rng: PassGenerator, number: int, table: Any) -> np.ndarray:
        """Return ``indices`` up to ``num_samples`` in an order of this pass."""
        return _shuffle_rows(self._array[: self.num_samples], rng, number, self._shuffles, 0)


class IterSampler(Sampler):
    """The rows whose numbers an iterable yields, in that order.

    Args:
        sampler (Iterable[int]): yields the row numbers; iterated again in each pass.
        num_samples (int, optional): the maximum number of rows. Default: ``None``, its length.
    """

    def __init__(self, sampler: Iterable[int], num_samples: int | None = None) -> None:
        if num_samples is None and isinstance(sampler, Sized):
            num_samples = len(sampler)
        super().__init__(num_samples)
        self.sampler = sampler

    def __iter__(self) -> Any:
        return iter(self.sampler)


def public_class(sampler: Sampler) -> type[Sampler]:
    """Return the public class of a sampler: a source may use a private subclass of it."""
    return next(cls for cls in type(sampler).__mro__ if not cls.__name__.startswith("_"))


def _shuffle_rows(
    rows: np.ndarray, rng: PassGenerator, number: int, shuffles: ConsecutiveShuffles, step: int = 1
) -> np.ndarray:
    """Return the rows shuffled for a pass; under a seed the order is the same as MindSpore's."""
    if rng.seed is None:
        return rng.permutation(rows)
    return shuffles.compute_order(rows, rng.seed, number, step)


def as_sampler(sampler: Any, num_samples: int | None = None) -> Sampler:
    """Return a sampler unchanged, or make one from row numbers, limited to ``num_samples``.

    Raises:
        TypeError: ``sampler`` is neither a sampler nor row numbers.
    """
    if isinstance(sampler, Sampler):
        return sampler
    if isinstance(sampler, int | np.integer) and not isinstance(sampler, bool):
        return SubsetSampler([int(sampler)])
    if isinstance(sampler, list | tuple | np.ndarray):
        return SubsetSampler(sampler, num_samples)
    if is_iterable(sampler) and not isinstance(sampler, str):
        return IterSampler(sampler, num_samples)
    raise TypeError(
        f"sampler: must be a Sampler or an iterable of ints, got {sampler!r}. Unsupported sampler "
        f"object of type ({type(sampler)})."
    )


def is_iterable(sampler: Any) -> bool:
    """Whether ``sampler`` can be iterated, tested by calling ``iter`` once.

    MindSpore also calls ``iter`` once, so a sampler that counts its passes begins with the same
    number in both.
    """
    try:
        iter(sampler)
    except TypeError:
        return False
    return True


def _check_int(api_name: str, name: str, value: Any, low: int, high: int) -> int:
    """Check and return an int argument of a sampler; the error holds MindSpore's text."""
    return check.integer(
        api_name, name, value, low, high, mindspore_rule=f"must be integer but was: {value}"
    )


def _check_bool(api_name: str, name: str, value: Any) -> bool:
    """Check and return a bool argument of a sampler; the error holds MindSpore's text."""
    return check.boolean(api_name, name, value, f"must be a boolean value but was: {value}")
