"""GeneratorDataset: rows that Python code makes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.dataset import check
from minispore.dataset.arguments import shared_memory
from minispore.dataset.dataset import MappableDataset
from minispore.dataset.pipeline.block import Block, Column, Failure, from_rows, no_rows
from minispore.dataset.pipeline.lanes import ALONE, Turn
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.operation import as_value
from minispore.dataset.pipeline.order import Take
from minispore.dataset.pipeline.picked import Picked
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.source import StreamSource, TableSource
from minispore.dataset.pipeline.workers import Pool
from minispore.dataset.schema import Schema
from minispore.dataset.sources import picking
from minispore.errors import DatasetError

_OP = "GeneratorDataset"
_QUICK_NS = 4_000_000  # rows of a stream are handed on after so long,
_MANY_ROWS = 256  # or when there are so many


class GeneratorDataset(MappableDataset):
    """Rows that Python code makes.

    Args:
        source (callable, iterable or random access): a function that gives an iterator over rows,
            something to iterate over, or an object with ``__getitem__`` and ``__len__``. A row is a
            tuple or list with one array per column, or a single array. What can be iterated over
            only once (a generator, ``map(...)``) is kept for later passes.
        column_names (str or list, optional): Default: ``None``, those of ``schema``.
        column_types (list, optional): the data type of each column, checked.
            Default: ``None``, any.
        schema (Schema or str, optional): names, types and shapes of the columns.
        num_samples (int, optional): at most so many rows.
        num_parallel_workers (int): workers that call ``__getitem__``; with 1, it is called in
            order. Default: ``1``.
        shuffle (bool, optional): Default: ``None``, yes with random access.
        sampler (Sampler or iterable, optional): picks the rows; random access only.
        num_shards, shard_id (int, optional): only the rows of one shard; random access only.
        python_multiprocessing (bool): whether several workers are processes. Default: ``True``.
        max_rowsize (int or list, optional): megabytes of shared memory to and from a process.
        batch_sampler (iterable, optional): lists of row numbers, each of which makes a batch;
            random access only, and without all other arguments that pick rows. It is iterated over
            anew in each pass.
        collate_fn (callable, optional): makes a batch: called with a list of arrays for each
            column, it gives a tuple with an array for each. Default: ``None``, they are stacked.

    Raises:
        TypeError: ``source``, ``batch_sampler`` or ``collate_fn`` is none of those.
        ValueError: there are no column names, or arguments contradict each other.
        RuntimeError: later, when a row fails, has another number of columns, or other types.

    Example:
        >>> import minispore.dataset as ds
        >>> def squares():
        ...     for i in range(3):
        ...         yield i, i * i
        >>> data = ds.GeneratorDataset(squares, ["x", "y"])
        >>> [[int(v) for v in row] for row in data.create_tuple_iterator(num_epochs=1)]
        [[0, 0], [1, 1], [2, 4]]
    """

    of_files = False

    def __init__(
        self,
        source: Any,
        column_names: str | Sequence[str] | None = None,
        column_types: Sequence[Any] | None = None,
        schema: Schema | str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        python_multiprocessing: bool = True,
        max_rowsize: int | list[int] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        collate_fn: Callable[..., Any] | None = None,
    ) -> None:
        given = {"num_samples": num_samples, "shuffle": shuffle, "num_shards": num_shards}
        given |= {"shard_id": shard_id, "sampler": sampler}
        _check_batches(batch_sampler, collate_fn, given)
        rows = _Rows(*_columns(column_names, column_types, schema))
        workers = check.workers(_OP, num_parallel_workers) or 1
        check.boolean(_OP, "python_multiprocessing", python_multiprocessing)
        memory = shared_memory(_OP, max_rowsize)
        self.source = source
        if isinstance(source, zip):
            source = list(source)
        node: Node
        if hasattr(source, "__getitem__") and not isinstance(source, type | GeneratorDataset):
            table = GeneratorTable(source, rows, workers, python_multiprocessing, memory)
            if batch_sampler is None:
                picked = num_samples, sampler, shuffle, num_shards, shard_id
                chosen = picking.select(_OP, *picked, of_functions=True, of_files=False)
                node = TableSource(table, chosen._bound_(table), _OP, workers)
            else:
                node = Picked(
                    TableSource(table, None, _OP, workers), _OP, batch_sampler, collate_fn
                )
        else:
            if not callable(source) and not isinstance(source, Iterable):
                raise TypeError(
                    f"{_OP}: source must be a function, an iterable or have __getitem__, got "
                    f"{source!r}."
                )
            _refuse(
                sampler=sampler,
                num_shards=num_shards,
                shard_id=shard_id,
                batch_sampler=batch_sampler,
            )
            if shuffle is not None:
                check.boolean(_OP, "shuffle", shuffle)
            stream = _Streams(source, rows)
            node = StreamSource(_OP, rows.names, stream.open, stream.size)
            if num_samples := check.int32(_OP, "num_samples", num_samples or 0, 0):
                node = Take(node, num_samples)
        super().__init__(node)

    def __getitem__(self, index: int) -> Any:
        """What ``source`` has for row ``index`` of a first pass, as it is.

        Raises:
            TypeError: ``index`` is no int.
            RuntimeError: ``source`` has no random access, or a pass has no such row.
        """
        if not isinstance(index, int | np.number):
            raise check.wrong_type(_OP, "index", "be an int", index, int, np.number)
        return self.source[self._picked(int(index))]


# One value, although it can be iterated over; all else, a generator too, is a row of values.
_SINGLE = (str, bytes, dict, np.ndarray, np.generic, Tensor)


class _Rows:
    """What rows must be: names, dtypes and shapes of their columns."""

    def __init__(
        self,
        names: tuple[str, ...],
        dtypes: tuple[np.dtype | None, ...],
        shapes: tuple[tuple[int, ...] | None, ...],
    ) -> None:
        self.names, self._dtypes, self._shapes = names, dtypes, shapes

    def checked(self, row: Any) -> list[Any]:
        """A row as one value per column.

        Raises:
            TypeError, ValueError: it is not what it must be.
        """
        several = isinstance(row, Iterable) and not isinstance(row, _SINGLE)
        given = tuple(row) if several else (row,)
        if len(given) != len(self.names):
            raise ValueError(
                f"a row must have {len(self.names)} values, one for each of {list(self.names)}, "
                f"got {len(given)}: the 'source' of 'GeneratorDataset' should return same number "
                "of NumPy arrays as specified in column_names, the size of column_names is:"
                f"{len(self.names)} and number of returned NumPy array is:{len(given)}."
            )
        made = [as_value(v) for v in given]
        for name, dtype, shape, value in zip(self.names, self._dtypes, self._shapes, made):
            have = getattr(value, "dtype", None)
            if (
                dtype is not None
                and have != dtype
                and not (have is not None and have.kind == dtype.kind in "US")
            ):
                raise TypeError(
                    f"column {name!r} must be {dtype}, as column_types says, got {have}."
                )
            if shape is not None and np.shape(value) != shape:
                raise ValueError(
                    f"column {name!r} must have shape {shape}, as the schema says, got "
                    f"{np.shape(value)}."
                )
        return made


class GeneratorTable:
    """Rows of an object with ``__getitem__``."""

    def __init__(
        self, source: Any, rows: _Rows, workers: int, processes: bool, memory: tuple[int, int]
    ) -> None:
        self._source, self._rows = source, rows
        self._workers, self._processes, self._memory = workers, processes, memory

    @property
    def columns(self) -> tuple[str, ...]:
        return self._rows.names

    def __len__(self) -> int:
        if not hasattr(self._source, "__len__"):
            raise DatasetError(
                f"{_OP}: source must have __len__ beside __getitem__, got {self._source!r}: the "
                "'__len__' method is required to number its rows."
            )
        return len(self._source)

    def open(self, run: Run, workers: int | None) -> _Getter:
        """A reader; with worker processes of its own where there are several workers."""
        getter = _Getter(self._source, self._rows, self._workers)
        if self._processes:
            getter.pool = run.pool(_OP, getter.remote, self._workers, self._memory)
        return getter


class _Getter:
    def __init__(self, source: Any, rows: _Rows, lanes: int) -> None:
        self._source, self._rows, self.lanes = source, rows, lanes
        self.ordered = lanes == 1
        self.pool: Pool | None = None

    def read(self, index: np.ndarray) -> Block:
        return self.read_at(index, np.arange(len(index)), ALONE)

    def read_at(self, index: np.ndarray, at: np.ndarray, turn: Turn) -> Block:
        """The rows ``index``, which stand at the places ``at`` of a pass."""
        if self.pool is None:
            columns, failure = self.remote([index])
        else:
            columns, failure = self.pool.call([index], at, turn)
        names = self._rows.names
        if failure is None:
            return Block(dict(zip(names, columns)), len(index))
        cause = failure.cause
        error = DatasetError(
            f"{_OP}: source failed on row {index[failure.row]}. {type(cause).__name__}: {cause}"
        )
        error.__cause__ = cause
        block = Block(dict(zip(names, columns or [[] for _ in names])), failure.row)
        return block.failed(error)

    def remote(self, columns: list[Column]) -> tuple[list[Column], Failure | None]:
        """The rows of an index; this is what worker processes run."""
        rows, failure = [], None
        for i in np.asarray(columns[0]).tolist():
            try:
                rows.append(self._rows.checked(self._source[i]))
            except Exception as exc:
                failure = Failure(_OP, len(rows), exc)
                break
        return list(from_rows(self._rows.names, rows).columns.values()), failure


class _Streams:
    """Passes over a function or an iterable."""

    def __init__(self, source: Any, rows: _Rows) -> None:
        self._source, self._rows = source, rows
        self._kept: list[list[Any]] | None = None  # the rows of what gives them only once

    def size(self) -> int | None:
        return len(self._source) if hasattr(type(self._source), "__len__") else None

    def open(self, run: Run, number: int) -> Iterator[Block]:
        """The rows of one pass, in blocks that grow while rows are quick."""
        names = self._rows.names
        rows: list[list[Any]] = []
        since = time.perf_counter_ns()
        iterator: Iterator[Any] | None = None
        done = 0
        while True:
            try:
                if iterator is None:
                    iterator = self._iterator()
                row = next(iterator)
                rows.append(self._rows.checked(row))
            except StopIteration:
                break
            except Exception as exc:
                error = DatasetError(
                    f"{_OP}: source failed on row {done + len(rows)}. {type(exc).__name__}: {exc}"
                )
                error.__cause__ = exc
                yield from_rows(names, rows).failed(error) if rows else no_rows(names, error)
                return
            now = time.perf_counter_ns()
            if now - since > _QUICK_NS or len(rows) >= min(_MANY_ROWS, done + 1):
                yield from_rows(names, rows)
                done += len(rows)
                rows, since = [], time.perf_counter_ns()
        block = from_rows(names, rows) if rows else no_rows(names, None)
        if (known := self.size()) not in (None, done := done + len(rows)):
            block.error = DatasetError(
                f"{_OP}: source must give as many rows as its __len__ says, {known}, got {done}: "
                "the actual amount of data read is different."
            )
        if rows or block.error is not None:
            yield block

    def _iterator(self) -> Iterator[Any]:
        source = self._source
        if _gives_once(source):
            return self._replayed(source)
        made = source() if not isinstance(source, Iterable) else iter(source)
        if not isinstance(made, Iterator):
            try:
                made = iter(made)
            except TypeError:
                raise TypeError(
                    f"the function must give an iterator over rows, got {made!r}."
                ) from None
        return made

    def _replayed(self, source: Iterator[Any]) -> Iterator[Any]:
        if self._kept is not None:
            yield from self._kept
            return
        kept = []
        for row in source:
            kept.append(row)
            yield row
        self._kept = kept


def _gives_once(source: Any) -> bool:
    """Whether it is an iterator of Python's own, which is empty ever after its end. A user's
    iterator may begin again in ``__iter__``.
    """
    return isinstance(source, Iterator) and type(source).__module__ in ("builtins", "itertools")


def _columns(
    names: Any, dtypes: Any, schema: Any
) -> tuple[tuple[str, ...], tuple[np.dtype | None, ...], tuple[tuple[int, ...] | None, ...]]:
    if names is None and schema is None:
        raise ValueError(f"{_OP}: column_names or schema must be given, got neither.")
    if schema is not None:
        known = schema if isinstance(schema, Schema) else Schema(schema)
        chosen = (
            list(known.columns) if names is None else list(check.names(_OP, "column_names", names))
        )
        check.known(_OP, "column_names", chosen, list(known.columns))
        picked = [known.columns[n] for n in chosen]
        return tuple(chosen), tuple(c.dtype for c in picked), tuple(c.fixed_shape for c in picked)
    listed = check.names(_OP, "column_names", names)
    if not listed:
        raise ValueError(f"{_OP}: column_names must not be empty.")
    if dtypes is None:
        return listed, (None,) * len(listed), (None,) * len(listed)
    if not isinstance(dtypes, list | tuple):
        dtypes = [dtypes]
    if len(dtypes) != len(listed):
        raise ValueError(
            f"{_OP}: column_types must be {len(listed)}, one for each column, got {len(dtypes)}."
        )
    return (
        listed,
        tuple(None if t is None else mstype.to_numpy(mstype.resolve_dtype(t)) for t in dtypes),
        (None,) * len(listed),
    )


def _check_batches(batch_sampler: Any, collate_fn: Any, picking: dict[str, Any]) -> None:
    if batch_sampler is None:
        if collate_fn is not None:
            raise ValueError(f"{_OP}: collate_fn must come with a batch_sampler, got it alone.")
        return
    given = [name for name, value in picking.items() if value is not None]
    if given:
        raise ValueError(
            f"{_OP}: batch_sampler must stand alone, got it with {', '.join(given)}: it picks the "
            "rows itself."
        )
    if not isinstance(batch_sampler, Iterable):
        raise TypeError(
            f"{_OP}: batch_sampler must be iterable, with lists of row numbers, got "
            f"{batch_sampler!r}."
        )
    if collate_fn is not None and not callable(collate_fn):
        raise TypeError(f"{_OP}: collate_fn must be callable, got {collate_fn!r}.")


def _refuse(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value is not None:
            raise ValueError(
                f"{_OP}: {name} must not be given for a source without __getitem__, got {value!r}."
            )
