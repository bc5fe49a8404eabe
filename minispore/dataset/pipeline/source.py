"""Sources of rows: a table read in the order of a sampler, or a function that yields blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.node import Node, UnaryNode
from minispore.dataset.pipeline.ordered_workers import Ticket
from minispore.dataset.pipeline.passes import Indexed, Pass, Stream
from minispore.dataset.pipeline.random import PassGenerator
from minispore.dataset.pipeline.run import Run


class Table(Protocol):
    """Rows with random access, read by a reader in each run.

    A table over files may have ``list_row_files(row)``, the files of a row, for messages.
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""

    def __len__(self) -> int: ...

    def open_reader(self, run: Run, workers: int | None) -> Reader:
        """Check the files and return a reader for one run, which ends with the run."""


class Reader(Protocol):
    """Reads rows of a table.

    A reader that assigns rows to its processes has ``read_at(index, positions, ticket)`` beside
    ``read_rows``, which also gets the positions of the rows in the pass.

    Attributes:
        max_threads: how many threads can usefully read in parallel.
        is_ordered: whether blocks must be read one by one, in order.
    """

    max_threads: int
    is_ordered: bool

    def read_rows(self, index: np.ndarray) -> Block:
        """Read the rows ``index``, up to the first that fails."""


class Order(Protocol):
    """The interface of samplers, which choose the rows of a pass over a table and their order."""

    def _size_(self, rows: int) -> int:
        """Return the number of rows of a pass over a table of ``rows`` rows."""

    def _copy_for_iterator_(self) -> Order:
        """Return the sampler for one iterator, a copy if it has state."""

    def _order_(self, rows: int, rng: PassGenerator, number: int, table: Any) -> np.ndarray:
        """Return the row numbers of pass ``number``, in order."""


@dataclass(frozen=True, eq=False)
class Sampled(Node):
    """A node over the rows of a table, in the order of a sampler; None for all rows in order."""

    table: Table
    sampler: Order | None

    def size(self) -> int:
        rows = len(self.table)
        return rows if self.sampler is None else self.sampler._size_(rows)

    def prepare(self, run: Run) -> None:
        """Make the run's copy of the sampler when the run starts."""
        if self.sampler is not None:
            run.get_or_make(self.sampler, self.sampler._copy_for_iterator_)

    def order(self, run: Run, number: int) -> np.ndarray | None:
        """Return the row numbers of pass ``number``, in order; None for the order of the table."""
        if self.sampler is None:
            return None
        rng = run.make_generator(self, number)
        sampler = run.get_or_make(self.sampler, self.sampler._copy_for_iterator_)
        return sampler._order_(len(self.table), rng, number, self.table)


@dataclass(frozen=True, eq=False)
class TableSource(Sampled):
    """The rows of a table.

    Args:
        name: the name of the dataset, for messages.
        workers: the number of readers; None for the default.
        settings: the arguments in ``to_json``.
    """

    name: str
    workers: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.table.columns

    def prepare(self, run: Run) -> None:
        """Copy the sampler and open the table's reader when the run starts."""
        super().prepare(run)
        self._get_reader(run)

    def open_pass(self, run: Run, number: int) -> Pass:
        return _TablePass(self, run, self._get_reader(run), self.order(run, number))

    def describe(self) -> str:
        return self.name

    def get_arguments(self) -> dict[str, Any]:
        """Return the arguments that ``to_json`` writes, the sampler as its repr."""
        sampler = None if self.sampler is None else repr(self.sampler)
        return {**self.settings, "sampler": sampler, "num_parallel_workers": self.workers}

    def _get_reader(self, run: Run) -> Reader:
        """Return the table's reader in this run, opened at the first call."""
        return run.get_or_make(self, lambda: self.table.open_reader(run, self.workers))


class _TablePass(Indexed):
    """A pass that reads rows of a table, in the order of its sampler."""

    def __init__(
        self, node: TableSource, run: Run, reader: Reader, order: np.ndarray | None
    ) -> None:
        self._reader, self._order, self._trace = reader, order, run.options.trace
        self._read = getattr(
            reader, "read_at", lambda index, _positions, _ticket: reader.read_rows(index)
        )
        self._table = node.table
        self.size = len(node.table) if order is None else len(order)
        self.max_threads = reader.max_threads
        self._meter = run.get_meter(node, node.name, self.max_threads)

    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        """Read the rows at ``positions`` of the sampler's order.

        An ordered reader reads one block at a time, in their order.
        """
        index = positions if self._order is None else self._order[positions]
        # The meter starts only when it is the ticket's turn.
        turnstile = ticket.enter_turnstile(self) if self._reader.is_ordered else nullcontext()
        with turnstile, self._meter.time(len(index)):
            block = self._read(index, positions, ticket)
        if self._trace:
            block.source_rows = index[: block.count]
        return block

    def list_files(self, position: int) -> Sequence[Any]:
        row = position if self._order is None else int(self._order[position])
        return getattr(self._table, "list_row_files", lambda row: ())(row)


@dataclass(frozen=True, eq=False)
class Varying(UnaryNode):
    """A source whose passes may differ in their number of rows.

    A pass can't begin in the middle: it is read from its first row.
    """

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open the child's pass as a stream, so that nothing relies on its number of rows."""
        return _SequentialPass(run, self.child.open_pass(run, number))

    def describe(self) -> str:
        return self.child.describe()


class _SequentialPass(Stream):
    """A stream over an indexed pass."""

    def __init__(self, run: Run, child_pass: Pass) -> None:
        self._run, self._child_pass = run, child_pass

    def iterate_blocks(self) -> Iterator[Block]:
        return self._run.read_blocks(self._child_pass)


@dataclass(frozen=True, eq=False)
class StreamSource(Node):
    """A source whose rows are yielded by a function in each pass.

    Args:
        name: the name of the source, for messages.
        column_names: the names of the columns.
        make_blocks: returns an iterator over blocks for a pass; its arguments are the run and the
            number of the pass.
        count_rows: returns the number of rows, None if unknown.
    """

    name: str
    column_names: tuple[str, ...]
    make_blocks: Callable[[Run, int], Iterator[Block]]
    count_rows: Callable[[], int | None]
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.column_names

    def size(self) -> int | None:
        return self.count_rows()

    def open_pass(self, run: Run, number: int) -> Pass:
        return _StreamPass(self, run, number)

    def describe(self) -> str:
        return self.name

    def get_arguments(self) -> dict[str, Any]:
        return dict(self.settings)


class _StreamPass(Stream):
    """A pass of the blocks that the source's function yields, up to the first with an error."""

    def __init__(self, node: StreamSource, run: Run, number: int) -> None:
        self._node, self._run, self._number = node, run, number
        self._meter = run.get_meter(node, node.name)

    def iterate_blocks(self) -> Iterator[Block]:
        """Yield the source's blocks up to one with an error; add rows and time to its statistics.

        If the run is traced, the rows are numbered from 0 as source rows.
        """
        blocks = self._node.make_blocks(self._run, self._number)
        rows = 0
        while True:
            with self._meter.time(0):
                block = next(blocks, None)
            if block is None:
                return
            self._meter.add(block.count, 0)
            if self._run.options.trace:
                block.source_rows = np.arange(rows, rows + block.count)
            rows += block.count
            yield block
            if block.error is not None:
                return
