"""GeneratorDataset: rows of a Python object with random access, or of an iterable."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.dataset import check
from minispore.dataset.arguments import parse_max_rowsize
from minispore.dataset.dataset import MappableDataset
from minispore.dataset.pipeline.batch_sampler import SampledBatches
from minispore.dataset.pipeline.block import Block, Column, Failure, from_rows, make_empty_block
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.operation import convert_result
from minispore.dataset.pipeline.order import Take
from minispore.dataset.pipeline.ordered_workers import UNORDERED, Ticket
from minispore.dataset.pipeline.row_buffers import RowBufferCheck
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.source import StreamSource, TableSource
from minispore.dataset.pipeline.workers import ProcessPool
from minispore.dataset.schema import Schema
from minispore.dataset.sources import sampler_arguments
from minispore.errors import DatasetError
from minispore.ir import dtype as mstype

_OP = "GeneratorDataset"
_BLOCK_NS = 4_000_000  # rows of a stream are yielded as a block after this time,
_BLOCK_ROWS = 256  # or once there are this many rows


class GeneratorDataset(MappableDataset):
    """Rows produced by Python code.

    Args:
        source (callable, iterable or random access): a function that returns an iterator over rows,
            an iterable of rows, or an object with ``__getitem__`` and ``__len__``. A row is a tuple
            or list with one array per column, or a single array. The rows of an iterator that can
            be iterated only once (a generator, ``map(...)``) are stored for later passes.
        column_names (str or list, optional): the names of the columns. Default: ``None``, those of
            ``schema``.
        column_types (list, optional): the data type of each column, which is checked.
            Default: ``None``, any.
        schema (Schema or str, optional): names, types and shapes of the columns.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int): the number of workers that call ``__getitem__``; a single worker
            calls it in order. Default: ``1``.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes with random access.
        sampler (Sampler or iterable, optional): chooses the rows; random access only.
        num_shards, shard_id (int, optional): read only the rows of one shard; random access only.
        python_multiprocessing (bool): whether several workers are processes. Default: ``True``.
        max_rowsize (int or list, optional): megabytes of shared memory to and from a process.
        batch_sampler (iterable, optional): lists of row numbers, one list for each batch; random
            access only, and without any other argument that chooses rows. It is iterated again in
            each pass.
        collate_fn (callable, optional): makes a batch: called with a list of arrays for each
            column, it returns a tuple with an array for each. Default: ``None``, stack the arrays.

    Raises:
        TypeError: ``source``, ``batch_sampler`` or ``collate_fn`` has a wrong type.
        ValueError: there are no column names, or arguments are in conflict.
        RuntimeError: later, when a row fails, has a wrong number of columns or wrong types.

    Example:
        >>> import minispore.dataset as ds
        >>> def squares():
        ...     for i in range(3):
        ...         yield i, i * i
        >>> data = ds.GeneratorDataset(squares, ["x", "y"])
        >>> [[int(v) for v in row] for row in data.create_tuple_iterator(num_epochs=1)]
        [[0, 0], [1, 1], [2, 4]]
    """

    reads_files = False

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
        sampling = {"num_samples": num_samples, "shuffle": shuffle, "num_shards": num_shards}
        sampling |= {"shard_id": shard_id, "sampler": sampler}
        _check_batch_sampler(batch_sampler, collate_fn, sampling)
        rows = _RowFormat(*_check_columns(column_names, column_types, schema))
        workers = check.workers(_OP, num_parallel_workers) or 1
        check.boolean(_OP, "python_multiprocessing", python_multiprocessing)
        memory = parse_max_rowsize(_OP, max_rowsize)
        self.source = source
        if isinstance(source, zip):
            source = list(source)
        node: Node
        if hasattr(source, "__getitem__") and not isinstance(source, type | GeneratorDataset):
            table = GeneratorTable(source, rows, workers, python_multiprocessing, memory)
            if batch_sampler is None:
                sampler_args = num_samples, sampler, shuffle, num_shards, shard_id
                row_sampler = sampler_arguments.make_sampler(
                    _OP, *sampler_args, rows_from_python=True, reads_files=False
                )
                node = TableSource(table, row_sampler._bind_table_(table), _OP, workers)
            else:
                node = SampledBatches(
                    TableSource(table, None, _OP, workers), _OP, batch_sampler, collate_fn
                )
        else:
            if not callable(source) and not isinstance(source, Iterable):
                raise TypeError(
                    f"{_OP}: source must be a function, an iterable or have __getitem__, got "
                    f"{source!r}."
                )
            _refuse_arguments(
                sampler=sampler,
                num_shards=num_shards,
                shard_id=shard_id,
                batch_sampler=batch_sampler,
            )
            if shuffle is not None:
                check.boolean(_OP, "shuffle", shuffle)
            stream = _SourcePasses(source, rows)
            node = StreamSource(_OP, rows.names, stream.iterate_pass, stream.size)
            if num_samples := check.int32(_OP, "num_samples", num_samples or 0, 0):
                node = Take(node, num_samples)
        super().__init__(node)

    def __getitem__(self, index: int) -> Any:
        """Return row ``index`` of the first pass, unconverted, as ``source`` returns it.

        Raises:
            TypeError: ``index`` is not an int.
            RuntimeError: ``source`` has no random access, or ``index`` is out of range.
        """
        if not isinstance(index, int | np.number):
            raise check.wrong_type(_OP, "index", "be an int", index, int, np.number)
        return self.source[self._get_source_row(int(index))]


# Iterable types that count as a single value; any other iterable, even a generator, is a row.
_SINGLE = (str, bytes, dict, np.ndarray, np.generic, Tensor)


class _RowFormat:
    """The names, dtypes and shapes of the columns that rows must have."""

    def __init__(
        self,
        names: tuple[str, ...],
        dtypes: tuple[np.dtype | None, ...],
        shapes: tuple[tuple[int, ...] | None, ...],
    ) -> None:
        self.names, self._dtypes, self._shapes = names, dtypes, shapes
        self._buffers: RowBufferCheck | None = RowBufferCheck(f"{_OP}: source")

    def check_row(self, row: Any) -> list[Any]:
        """Check a row and return one value per column: an array, or a dict of arrays.

        Logs a warning if the source reuses the memory of an earlier row.

        Raises:
            TypeError, ValueError: the number of values, a dtype or a shape is wrong.
        """
        is_sequence = isinstance(row, Iterable) and not isinstance(row, _SINGLE)
        row_values = tuple(row) if is_sequence else (row,)
        if len(row_values) != len(self.names):
            raise ValueError(
                f"a row must have {len(self.names)} values, one for each of {list(self.names)}, "
                f"got {len(row_values)}: the 'source' of 'GeneratorDataset' should return same "
                "number of NumPy arrays as specified in column_names, the size of column_names "
                f"is:{len(self.names)} and number of returned NumPy array is:{len(row_values)}."
            )
        converted = [convert_result(v) for v in row_values]
        for name, dtype, shape, value in zip(self.names, self._dtypes, self._shapes, converted):
            actual = getattr(value, "dtype", None)
            if dtype is not None and not _is_of_dtype(actual, dtype):
                raise TypeError(
                    f"column {name!r} must be {dtype}, as column_types says, got {actual}."
                )
            if shape is not None and np.shape(value) != shape:
                raise ValueError(
                    f"column {name!r} must have shape {shape}, as the schema says, got "
                    f"{np.shape(value)}."
                )
        buffers = self._buffers  # another thread may drop it
        if buffers is not None:
            self._buffers = buffers.note_row(converted)
        return converted


def _is_of_dtype(actual: np.dtype | None, dtype: np.dtype) -> bool:
    """Whether a value's dtype is ``dtype``; strings may have any length."""
    if actual is None:
        return False
    return actual == dtype or actual.kind == dtype.kind in "US"


class GeneratorTable:
    """The rows of an object with ``__getitem__``."""

    def __init__(
        self, source: Any, rows: _RowFormat, workers: int, processes: bool, memory: tuple[int, int]
    ) -> None:
        self._source, self._rows = source, rows
        self._workers, self._processes, self._memory = workers, processes, memory

    @property
    def columns(self) -> tuple[str, ...]:
        return self._rows.names

    def __len__(self) -> int:
        """Return the number of rows; raise DatasetError if ``source`` has no ``__len__``."""
        if not hasattr(self._source, "__len__"):
            raise DatasetError(
                f"{_OP}: source must have __len__ beside __getitem__, got {self._source!r}: the "
                "'__len__' method is required to number its rows."
            )
        return len(self._source)

    def open_reader(self, run: Run, workers: int | None) -> _ItemReader:
        """Return a reader, which has worker processes if the table was made to use processes.

        The table's own number of workers counts; ``workers`` is ignored.
        """
        reader = _ItemReader(self._source, self._rows, self._workers)
        if self._processes:
            reader.pool = run.make_pool(_OP, reader.compute_rows, self._workers, self._memory)
        return reader


class _ItemReader:
    """Reads rows of an object with ``__getitem__``, in this or in worker processes."""

    def __init__(self, source: Any, rows: _RowFormat, max_threads: int) -> None:
        self._source, self._rows, self.max_threads = source, rows, max_threads
        self.is_ordered = max_threads == 1
        self.pool: ProcessPool | None = None

    def read_rows(self, index: np.ndarray) -> Block:
        """Read the rows ``index`` as if they were the first of a pass; see :meth:`read_at`."""
        return self.read_at(index, np.arange(len(index)), UNORDERED)

    def read_at(self, index: np.ndarray, positions: np.ndarray, ticket: Ticket) -> Block:
        """Read the rows ``index``, at ``positions`` of the pass, up to the first that fails."""
        if self.pool is None:
            columns, failure = self.compute_rows([index])
        else:
            columns, failure = self.pool.call([index], positions, ticket)
        names = self._rows.names
        if failure is None:
            return Block(dict(zip(names, columns)), len(index))
        cause = failure.cause
        error = DatasetError(
            f"{_OP}: source failed on row {index[failure.row]}. {type(cause).__name__}: {cause}"
        )
        error.__cause__ = cause
        block = Block(dict(zip(names, columns or [[] for _ in names])), failure.row)
        return block.copy_with_error(error)

    def compute_rows(self, columns: list[Column]) -> tuple[list[Column], Failure | None]:
        """Compute the rows whose numbers are the only column; worker processes run this."""
        rows, failure = [], None
        for i in np.asarray(columns[0]).tolist():
            try:
                rows.append(self._rows.check_row(self._source[i]))
            except Exception as exc:
                failure = Failure(_OP, len(rows), exc)
                break
        return list(from_rows(self._rows.names, rows).columns.values()), failure


class _SourcePasses:
    """Passes over the rows of a function or an iterable."""

    def __init__(self, source: Any, rows: _RowFormat) -> None:
        self._source, self._rows = source, rows
        # The rows of an iterator that yields them only once.
        self._stored_rows: list[list[Any]] | None = None

    def size(self) -> int | None:
        """Return the number of rows, None if the source has no ``__len__``."""
        return len(self._source) if hasattr(type(self._source), "__len__") else None

    def iterate_pass(self, run: Run, number: int) -> Iterator[Block]:
        """Yield the rows of one pass, read from the source anew, up to the first that fails.

        Blocks grow as long as rows come quickly. A number of rows different from the source's
        ``__len__`` is an error at the end.
        """
        names = self._rows.names
        rows: list[list[Any]] = []
        block_start = time.perf_counter_ns()
        iterator: Iterator[Any] | None = None
        yielded = 0
        while True:
            try:
                if iterator is None:
                    iterator = self._make_iterator()
                row = next(iterator)
                rows.append(self._rows.check_row(row))
            except StopIteration:
                break
            except Exception as exc:
                error = DatasetError(
                    f"{_OP}: source failed on row {yielded + len(rows)}. "
                    f"{type(exc).__name__}: {exc}"
                )
                error.__cause__ = exc
                block = from_rows(names, rows) if rows else make_empty_block(names, None)
                yield block.copy_with_error(error)
                return
            now = time.perf_counter_ns()
            if now - block_start > _BLOCK_NS or len(rows) >= min(_BLOCK_ROWS, yielded + 1):
                yield from_rows(names, rows)
                yielded += len(rows)
                rows, block_start = [], time.perf_counter_ns()
        block = from_rows(names, rows) if rows else make_empty_block(names, None)
        yielded += len(rows)
        expected_count = self.size()
        if expected_count not in (None, yielded):
            block.error = DatasetError(
                f"{_OP}: source must give as many rows as its __len__ says, {expected_count}, got "
                f"{yielded}: the actual amount of data read is different."
            )
        if rows or block.error is not None:
            yield block

    def _make_iterator(self) -> Iterator[Any]:
        """Return the iterator of a new pass.

        Raises:
            TypeError: the function does not return an iterable.
        """
        source = self._source
        if _is_exhaustible(source):
            return self._replay_rows(source)
        iterator = source() if not isinstance(source, Iterable) else iter(source)
        if not isinstance(iterator, Iterator):
            try:
                iterator = iter(iterator)
            except TypeError:
                raise TypeError(
                    f"the function must give an iterator over rows, got {iterator!r}."
                ) from None
        return iterator

    def _replay_rows(self, source: Iterator[Any]) -> Iterator[Any]:
        """Yield the rows of an exhaustible iterator, and store them for later passes."""
        if self._stored_rows is not None:
            yield from self._stored_rows
            return
        rows = []
        for row in source:
            rows.append(row)
            yield row
        self._stored_rows = rows


def _is_exhaustible(source: Any) -> bool:
    """Whether ``source`` is a built-in iterator, which stays empty after its end.

    A user's iterator may restart in ``__iter__``.
    """
    return isinstance(source, Iterator) and type(source).__module__ in ("builtins", "itertools")


def _check_columns(
    names: Any, dtypes: Any, schema: Any
) -> tuple[tuple[str, ...], tuple[np.dtype | None, ...], tuple[tuple[int, ...] | None, ...]]:
    """Check the columns and return their names, dtypes and shapes (None: any).

    Raises:
        TypeError, ValueError, RuntimeError: an argument is invalid.
    """
    if names is None and schema is None:
        raise ValueError(f"{_OP}: column_names or schema must be given, got neither.")
    if schema is not None:
        full_schema = schema if isinstance(schema, Schema) else Schema(schema)
        chosen = list(full_schema.columns)
        if names is not None:
            chosen = list(check.names(_OP, "column_names", names))
        check.check_columns_exist(_OP, "column_names", chosen, list(full_schema.columns))
        schema_columns = [full_schema.columns[n] for n in chosen]
        return (
            tuple(chosen),
            tuple(c.dtype for c in schema_columns),
            tuple(c.fixed_shape for c in schema_columns),
        )
    checked_names = check.names(_OP, "column_names", names)
    if not checked_names:
        raise ValueError(f"{_OP}: column_names must not be empty.")
    if dtypes is None:
        return checked_names, (None,) * len(checked_names), (None,) * len(checked_names)
    if not isinstance(dtypes, list | tuple):
        dtypes = [dtypes]
    if len(dtypes) != len(checked_names):
        raise ValueError(
            f"{_OP}: column_types must be {len(checked_names)}, one for each column, got "
            f"{len(dtypes)}."
        )
    return (
        checked_names,
        tuple(None if t is None else mstype.to_numpy(mstype.resolve_dtype(t)) for t in dtypes),
        (None,) * len(checked_names),
    )


def _check_batch_sampler(batch_sampler: Any, collate_fn: Any, sampling: dict[str, Any]) -> None:
    """Check ``batch_sampler`` and ``collate_fn``, which exclude the other sampling arguments.

    Raises:
        TypeError, ValueError: an argument is invalid, or given with other sampling arguments.
    """
    if batch_sampler is None:
        if collate_fn is not None:
            raise ValueError(f"{_OP}: collate_fn must come with a batch_sampler, got it alone.")
        return
    conflicting = [name for name, value in sampling.items() if value is not None]
    if conflicting:
        raise ValueError(
            f"{_OP}: batch_sampler must stand alone, got it with {', '.join(conflicting)}: it "
            "picks the rows itself."
        )
    if not isinstance(batch_sampler, Iterable):
        raise TypeError(
            f"{_OP}: batch_sampler must be iterable, with lists of row numbers, got "
            f"{batch_sampler!r}."
        )
    if collate_fn is not None and not callable(collate_fn):
        raise TypeError(f"{_OP}: collate_fn must be callable, got {collate_fn!r}.")


def _refuse_arguments(**arguments: Any) -> None:
    """Raise ValueError for an argument that a source without ``__getitem__`` does not support."""
    for name, value in arguments.items():
        if value is not None:
            raise ValueError(
                f"{_OP}: {name} must not be given for a source without __getitem__, got {value!r}."
            )
